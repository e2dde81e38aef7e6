package main

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/alecthomas/kong"

	"github.com/twicehq/twice/queue"
)

// defaultEngine is a file in the folder one works in: nothing needs to be installed or named to begin.
const defaultEngine = "sqlite:twice.db"

// commands is all that the program can be told. Each command has a Run method, in a file of its name, that
// gets the context and the session.
type commands struct {
	Engine string `help:"Where the jobs are: sqlite:PATH, redis://HOST:PORT/DB, or memory: for trying. Else TWICE_ENGINE; else sqlite:twice.db." placeholder:"URL"`
	JSON   bool   `name:"json" help:"Answer with one JSON object or array, errors too."`

	Demo  demoCmd  `cmd:"" group:"begin" help:"See in half a minute what twice promises, done for real on this machine."`
	Prove proveCmd `cmd:"" group:"begin" help:"Attack an engine in every way there is, and report what held."`
	Serve serveCmd `cmd:"" group:"begin" help:"Run the orders application: API, workers, scheduler."`

	Enqueue enqueueCmd `cmd:"" group:"jobs" help:"Hand in a job."`
	Jobs    jobsCmd    `cmd:"" group:"jobs" help:"List jobs, newest first."`
	Job     jobCmd     `cmd:"" group:"jobs" help:"Show everything that is known of one job."`
	Cancel  cancelCmd  `cmd:"" group:"jobs" help:"End queued or running jobs."`

	Dead struct {
		List    deadListCmd    `cmd:"" help:"List jobs that gave up."`
		Show    deadShowCmd    `cmd:"" help:"Show one of them, and what can be done."`
		Redrive deadRedriveCmd `cmd:"" help:"Send dead jobs back to their queue."`
		Discard deadDiscardCmd `cmd:"" help:"Give dead jobs up for good."`
		Resolve deadResolveCmd `cmd:"" help:"Answer a doubt: did an effect happen?"`
		Export  deadExportCmd  `cmd:"" help:"Write dead jobs, whole, as JSON Lines."`
		Import  deadImportCmd  `cmd:"" help:"Hand exported dead jobs in again."`
	} `cmd:"" group:"jobs" help:"Work with dead letters: jobs that gave up and wait for a person."`

	Queue struct {
		List   queueListCmd   `cmd:"" help:"List queues with their counts."`
		Pause  queuePauseCmd  `cmd:"" help:"Let no job of a queue begin."`
		Resume queueResumeCmd `cmd:"" help:"Let the jobs of a queue begin again."`
		Purge  queuePurgeCmd  `cmd:"" help:"Cancel every job that waits in a queue."`
	} `cmd:"" group:"running" help:"Look at queues; pause, resume and empty them."`

	Schedule struct {
		List   scheduleListCmd   `cmd:"" help:"List cron entries."`
		Pause  schedulePauseCmd  `cmd:"" help:"Let an entry fire no more for now."`
		Resume scheduleResumeCmd `cmd:"" help:"Let an entry fire again."`
		Run    scheduleRunCmd    `cmd:"" help:"Run an entry's job now."`
	} `cmd:"" group:"running" help:"Look at cron entries; pause, resume and run them."`

	Diagnose diagnoseCmd `cmd:"" group:"running" help:"Say what is the matter with each queue, and what to do."`

	Top topCmd `cmd:"" group:"running" help:"Watch all queues in the terminal, and look into one or a job."`

	Workers workersCmd `cmd:"" group:"running" help:"List worker processes and what they run."`

	Relay relayCmd `cmd:"" group:"running" help:"Forward jobs from an outbox to the engine that works them."`

	Audit   auditCmd   `cmd:"" group:"store" help:"Count every job by scan and prove that none is missing."`
	Migrate migrateCmd `cmd:"" group:"store" help:"Make the store, or bring its schema up to date."`
	Bench   benchCmd   `cmd:"" group:"store" help:"Measure what an engine does on this machine."`
	Version versionCmd `cmd:"" group:"store" help:"Tell which version of twice this is."`
}

const description = `Twice runs durable jobs: run any job twice; the world changes once.

Exit status: 0 good; 1 the thing asked about is bad (not found, refused, jobs missing); 2 usage; 3 the engine cannot be reached or used.`

// style is how the parser reads, helps and ends.
func style(m Main) []kong.Option {
	return []kong.Option{
		kong.Name("twice"),
		kong.Description(description),
		kong.Writers(m.Stdout, m.Stderr),
		kong.KindMapper(reflect.String, kong.MapperFunc(verbatim)),
		kong.Exit(func(status int) { panic(ended{status}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.ExplicitGroups([]kong.Group{
			{Key: "begin", Title: "Begin here:"},
			{Key: "jobs", Title: "Jobs:"},
			{Key: "running", Title: "What runs them:"},
			{Key: "store", Title: "The store, and this program:"},
		}),
	}
}

// verbatim takes a text as it was given, byte for byte; the parser's own way goes through JSON and loses
// what is not UTF-8, so that one key would be taken for another.
func verbatim(ctx *kong.DecodeContext, target reflect.Value) error {
	t, err := ctx.Scan.PopValue("text")
	if err == nil {
		target.SetString(fmt.Sprint(t.Value))
	}
	return err
}

// misused says what is wrong with the arguments.
func misused(parser *kong.Kong, err error) error {
	path := parser.Model.Name
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil {
		if node := wrong.Context.Selected(); node != nil {
			path = node.FullPath()
		}
	}
	return &queue.Error{Op: path, Reason: queue.ErrInvalid, Detail: err.Error(), Remedy: "see `" + path + " --help`"}
}
