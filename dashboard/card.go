package dashboard

import (
	"encoding/json"
	"slices"
	"time"
)

func (v *visit) card(q sight) card {
	c := card{Name: q.Queue.Queue, Href: v.d.to("queues", q.Queue.Queue), Paused: q.Paused, Verdict: word{"Not judged", ""}}
	if f := q.finding; f != nil {
		c.Verdict, c.Says, c.Also = verdictWord(f.Verdict), f.Says, slices.Clone(f.Also)
		c.Paused = q.Paused && f.Verdict != "paused"
	}
	all := v.d.history.of(q.Queue.Queue)
	depth, oldest, _ := charts(all)
	c.Depth, c.Oldest = asJSON(depth), asJSON(oldest)
	c.DepthNow, c.OldestNow = counts(q.Ready.N, q.Ready.More), since(q.OldestDue, v.now)
	c.Facts = v.facts(q, all)
	return c
}

// facts are the numbers of a queue, in the order in which a person asks for them.
func (v *visit) facts(q sight, all []sample) []fact {
	if !q.counted {
		return nil
	}
	facts := []fact{
		{Name: "Due now", Text: counts(q.Ready.N, q.Ready.More), Note: oldestNote(q.OldestDue, v.now)},
		{Name: "Due later", Text: counts(q.Waiting.N, q.Waiting.More)},
		{Name: "Running", Text: counted(q.Running), Note: expiredNote(q.Expired.N)},
		{Name: "Dead", Text: counted(q.Dead), Note: diedNote(all), Bad: diedNote(all) != ""},
		{Name: "Done", Text: counted(q.Done), Note: paceNote(all)},
	}
	switch {
	case !v.can("presence"):
	case q.slots.Workers == 0:
		facts = append(facts, fact{Name: "Slots busy", Text: "no worker", Note: silentNote(q.slots.Silent)})
	default:
		facts = append(facts, fact{Name: "Slots busy", Text: counted(q.slots.Busy) + " of " + counted(q.slots.All), Note: handsNote(q.slots)})
	}
	return facts
}

func asJSON(c chart) string {
	if len(c.At) < 2 {
		return ""
	}
	b, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	return string(b)
}

func since(t, now time.Time) string {
	if t.IsZero() {
		return "none"
	}
	return lasts(max(0, now.Sub(t)))
}
