package dashboard

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/twicehq/twice/httpapi"
)

// chosen reads which dead letters a change is about.
func chosenDead(v *visit) (httpapi.Filter, []fact) {
	q := v.r.URL.Query()
	f := httpapi.Filter{Queue: q.Get("queue"), Kind: q.Get("kind")}
	put(&f.Reason, q.Get("reason"))
	var facts []fact
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, fact{Name: name, Text: visible(shorten(text, 300))})
		}
	}
	add("Queue", f.Queue)
	add("Kind", f.Kind)
	if f.Reason != "" {
		add("Died because", textOf(reasons, string(f.Reason)))
	}
	if q.Has("signature") {
		signature := q.Get("signature")
		if signature == noSignature {
			signature = ""
		}
		f.Signature = &signature
		add("Error like", signature)
	}
	if f.Queue == "" && f.Kind == "" && f.Reason == "" && f.Signature == nil {
		f.All = true
		facts = append(facts, fact{Name: "Which", Text: "every dead letter of every queue"})
	}
	return f, facts
}

// deadChange sends dead letters back, or gives them up, as many as a filter selects: first counted, then in the background.
func deadChange(title, verb, says, button string, danger bool, do func(*visit) func(context.Context, httpapi.Change) (httpapi.Operation, error)) change {
	return change{here: "Dead letters",
		form: func(v *visit) (form, error) {
			filter, facts := chosenDead(v)
			f := form{Title: title, Says: []string{says}, Facts: facts, Button: button, Danger: danger, Back: v.d.to("dead"), Hidden: []field{{Name: "operation", Value: httpapi.NewOperation()}},
				Fields: []field{{Name: "rate", Label: "At most, a second", Value: "100", Number: true, Min: 1, Max: 10_000, Help: "It begins with 10 a second and doubles until this is reached."},
					{Name: "limit", Label: "At most, in all", Value: "10000", Number: true, Min: 1, Max: 1_000_000}}}
			o, err := ask(v.ctx, func(c context.Context) (httpapi.Operation, error) {
				return do(v)(c, httpapi.Change{Filter: &filter, DryRun: true})
			})
			if err != nil {
				return f, err
			}
			matched := noun(o.Matched, "job")
			if o.More {
				matched = "more than " + matched
			}
			f.Facts = append(f.Facts, fact{Name: "Would " + verb, Text: matched, Note: "counted just now, nothing is changed yet"})
			if o.InDoubt > 0 {
				f.Facts = append(f.Facts, fact{Name: "Left out", Text: noun(o.InDoubt, "job") + " in doubt", Note: "each needs a person's answer"})
			}
			if o.Matched == 0 {
				f.Cannot = "There is nothing to " + verb + " (any more)."
			}
			return f, nil
		},
		do: func(v *visit, given url.Values) (done, error) {
			filter, _ := chosenDead(v)
			ch := httpapi.Change{Filter: &filter, Operation: given.Get("operation"), Why: v.why(given)}
			for _, n := range []struct {
				name string
				to   *int
			}{{"rate", &ch.PerSecond}, {"limit", &ch.Limit}} {
				var err error
				if *n.to, err = strconv.Atoi(strings.TrimSpace(given.Get(n.name))); err != nil || *n.to < 1 {
					return done{}, wrongInput("The "+n.name+" is no number.", "Write a whole number of 1 or more.")
				}
			}
			o, err := ask(v.ctx, func(c context.Context) (httpapi.Operation, error) { return do(v)(c, ch) })
			return done{v.d.to("operations", o.ID), "It runs in the background: this page shows how far it is."}, err
		}}
}

var (
	redriveDead = deadChange("Redrive dead letters", "redrive", "They go back to their queues with fresh budgets, and stop by themselves once too many of them fail again the same way. Effects that they have made already are not made again.",
		"Redrive them", false, func(v *visit) func(context.Context, httpapi.Change) (httpapi.Operation, error) { return v.api.Redrive })
	discardDead = deadChange("Discard dead letters", "discard", "They are given up for good, and end cancelled. This cannot be taken back.",
		"Discard them", true, func(v *visit) func(context.Context, httpapi.Change) (httpapi.Operation, error) { return v.api.Discard })
)
