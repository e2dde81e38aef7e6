package broken

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof"
)

// FileAppend appends a line to a file for the bookkeeper.
var FileAppend = Example{
	Name:  "file append",
	Why:   "a file does not know that it has the line already",
	Fix:   "give each job a file of its own name, and put it there whole: the second time changes nothing",
	Wrong: onFolder(fileAppendWrong),
	Right: onFolder(fileAppendRight),
	Found: proof.Crash,
	Says:  []string{"made twice, not once: append a line to book.csv", "book.csv: "},
	By:    []proof.Sort{proof.Crash, proof.Lost, proof.Redrive, proof.Zombie, proof.SecondCrash, proof.Duplicate, proof.Late},
}

func fileAppendWrong(f folder, ctx context.Context, job twice.Job[Order]) error {
	return proof.Call(ctx, "append a line to book.csv", func() error {
		book, err := os.OpenFile(filepath.Join(string(f), "book.csv"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = book.WriteString(job.Args.ID + ";shipped\n")
		if err2 := book.Close(); err == nil {
			err = err2
		}
		return err
	})
}

func fileAppendRight(f folder, ctx context.Context, job twice.Job[Order]) error {
	final := filepath.Join(string(f), job.ID().String()+".csv")
	draft := final + "." + strings.ReplaceAll(job.Lease.ID.String(), "/", "") + ".draft" // of this attempt
	err := proof.Call(ctx, "write a draft", func() error { return os.WriteFile(draft, []byte(job.Args.ID+";shipped\n"), 0o600) })
	if err != nil {
		return err
	}
	return proof.Call(ctx, "put it in its place", func() error { return os.Rename(draft, final) })
}

// folder is where the bookkeeper looks. Drafts are none of the bookkeeper's business.
type folder string

func newFolder(o *proof.Outside) (folder, error) {
	dir, err := os.MkdirTemp("", "broken")
	o.Cleanup(func() { _ = os.RemoveAll(dir) })
	return folder(dir), err
}

func (f folder) look() any {
	names, err := filepath.Glob(filepath.Join(string(f), "*.csv"))
	if err != nil {
		return err.Error()
	}
	files := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err.Error()
		}
		files[filepath.Base(name)] = string(text)
	}
	return maps.Clone(files)
}

func onFolder(handle func(f folder, ctx context.Context, job twice.Job[Order]) error) Explore {
	return func(skip ...proof.Sort) (proof.Report, error) {
		return proof.Run(proof.Case[Order, folder]{
			World: newFolder, Kind: Ship, Args: Order{"o-17"}, Handle: handle, Observe: folder.look, Skip: skip,
		})
	}
}
