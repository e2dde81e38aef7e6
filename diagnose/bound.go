package diagnose

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/twicehq/twice/queue"
)

// busiest keeps the queues in which something is due or runs, the latest first, then those that have seen most; and gives
// how many were left out. They are told by name.
func busiest(all []queue.Depth, most int) ([]queue.Depth, int) {
	over := max(0, len(all)-most)
	kept := slices.Clone(all[:len(all)-over])
	if over > 0 {
		slices.SortFunc(kept, busier)
		room := most + most/2 + 1
		for _, d := range all[most:] {
			if busier(d, kept[most-1]) >= 0 {
				continue
			}
			if kept = append(kept, d); len(kept) == room {
				slices.SortFunc(kept, busier)
				kept = kept[:most]
			}
		}
		slices.SortFunc(kept, busier)
		kept = slices.Clone(kept[:most])
	}
	slices.SortFunc(kept, func(a, b queue.Depth) int { return strings.Compare(a.Queue, b.Queue) })
	return kept, over
}

// busier orders queues: the busier one first.
func busier(a, b queue.Depth) int {
	return cmp.Or(cmp.Compare(rank(b), rank(a)), a.OldestDue.Compare(b.OldestDue), cmp.Compare(b.Accepted, a.Accepted), strings.Compare(a.Queue, b.Queue))
}

func rank(d queue.Depth) int {
	switch {
	case !d.OldestDue.IsZero():
		return 3
	case d.Running > 0 || d.Expired.N > 0:
		return 2
	case d.Queued > 0 || d.Paused:
		return 1
	}
	return 0
}

// Bounds of one worker in a sample, and of what all of them together run and tell.
const (
	maxSubscribed = 1024
	maxRunning    = 128
	maxRunningAll = 20_000
	maxRecentAll  = 20_000
)

// bounded keeps the first workers by name, with no more of each than a sample has room for.
func bounded(all []queue.Worker, most int) ([]queue.Worker, int) {
	over := max(0, len(all)-most)
	kept := slices.Clone(all[:len(all)-over])
	running, recent := 0, 0
	for i := range kept {
		w := &kept[i]
		w.Name, w.Host, w.Version = first(w.Name, 4*queue.MaxName), first(w.Host, 4*queue.MaxName), first(w.Version, queue.MaxName)
		w.Queues, w.Kinds = few(w.Queues), few(w.Kinds)
		n := min(len(w.Running), maxRunning, maxRunningAll-running)
		running += n
		w.Running = slices.Clone(w.Running[:n])
		n = min(len(w.Recent), queue.MaxRecent, maxRecentAll-recent)
		recent += n
		w.Recent = slices.Clone(w.Recent[:n])
		for j := range w.Recent {
			r := &w.Recent[j]
			r.Queue, r.Kind = first(r.Queue, queue.MaxName), first(r.Kind, queue.MaxName)
			r.Failures = slices.Clone(r.Failures[:min(len(r.Failures), queue.MaxFailing)])
			for k := range r.Failures {
				f := &r.Failures[k]
				f.Signature, f.Text = first(f.Signature, queue.MaxSignature), first(f.Text, queue.MaxSample)
				f.Top = f.Top[:min(len(f.Top), queue.MaxRepeats)]
			}
		}
	}
	return kept, over
}

func few(names []string) []string {
	kept := slices.Clone(names[:min(len(names), maxSubscribed)])
	for i := range kept {
		kept[i] = first(kept[i], queue.MaxName)
	}
	return kept
}

// first gives the first n bytes of a text, between characters, without holding on to the rest.
func first(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.Clone(text[:n])
}
