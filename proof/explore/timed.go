package explore

import (
	"github.com/twicehq/twice/proof/history"
)

// timely gives the actions that have to do with time.
func (b Bounds) timely(r Row) (all []Act) {
	if r.Now < b.Instants {
		all = append(all, Act{What: Tick})
	}
	for to := r.Mark + 1; to <= r.Now; to++ {
		all = append(all, Act{What: MoveMark, At: to})
	}
	request := Enqueue
	if r.Known {
		request = Duplicate
	}
	for origin := int64(1); origin <= r.Now+1; origin++ {
		all = append(all, Act{What: request, At: origin})
	}
	if !r.Known || !r.Prunable() || r.Token < b.Tokens {
		all = append(all, Act{What: Reap})
	}
	return all
}

// timed is the rule where time is explored: what ruled says, and when the job was fresh.
func timed(r Row, a Act, b Bounds) (history.Answer, Row) {
	switch a.What {
	case Tick:
		r.Now++
		r.Due = 0
		return history.OK, r
	case MoveMark:
		r.Mark = moved(r.Mark, a.At, r.Now, b.Horizon)
		return history.OK, r
	case Reap:
		if !r.Prunable() || r.Fresh > r.Mark {
			return history.NotFound, r
		}
		return history.OK, Row{Job: r.Forgotten(), Now: r.Now, Mark: r.Mark}
	case Enqueue, Duplicate:
		if a.At > r.Now || a.At > 0 && !r.Known && a.At <= r.Mark {
			return "refused", r
		}
	}
	answer, j := ruled(r.Job, a, b)
	switch {
	case !j.Known:
		r.Fresh = 0
	case !r.Known && a.At == 0, r.Known && j.Token > r.Token: // enqueued without a word of its origin, or claimed
		r.Fresh = r.Now
	case r.Known && j.Counts.Redrives > r.Counts.Redrives:
		r.Fresh = max(r.Fresh, r.Now)
	case a.What == Enqueue, a.What == Duplicate:
		r.Fresh = max(r.Fresh, a.At)
		if b.Stored && !r.Known {
			r.Fresh = r.Now
		}
	}
	r.Job = j
	return answer, r
}

// moved is where a mark comes to that is asked to move to an instant.
func moved(mark, to, now, horizon int64) int64 { return max(mark, min(to, now-horizon)) }
