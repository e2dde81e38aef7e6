package dashboard

import (
	"context"
	"strconv"

	"github.com/twicehq/twice/httpapi"
)

// perPage is how many queues the overview shows at a time.
const perPage = 12

// overview is the body of the first page.
type overview struct {
	Headline  word
	Cards     []card
	Known     int // queues that are known
	More      bool
	Unwell    int
	Page      int
	Pages     int
	Earlier   string
	Later     string
	Away      *trouble // the engine is: what is shown is older
	AwaySince moment
	AsOf      moment
	Unsaid    string // why nothing is judged
	Hands     string // why no worker is known
}

// card is one queue at a glance.
type card struct {
	Name      string
	Href      string
	Verdict   word
	Says      string
	Also      []word
	Paused    bool
	Facts     []fact
	Depth     string // charts, as JSON
	Oldest    string
	DepthNow  string
	OldestNow string
}

func overviewPage(v *visit) (view, error) {
	now := v.d.look(v.ctx, v.api, v.now, v.abilities())
	if t := now.trouble; t != nil && !t.away() {
		if t.lacks() {
			return view{page: "overview", Title: "Overview", Here: "Overview", OwnHeading: true, Body: overview{Headline: word{"Queues cannot be shown", "bad"}, Away: t}}, nil
		}
		return view{Here: "Overview"}, t
	}
	v.d.sampled(now)
	good, since := v.d.last.keep(now)
	o := v.overview(good, now.trouble != nil)
	o.Away, o.AwaySince, o.AsOf = now.trouble, v.at(since), v.at(good.at)
	o.Headline = headline(now.trouble != nil, o.Known, o.Unwell, now.unsaid != nil || !v.can("verdicts"))
	s := view{page: "overview", Title: o.Headline.Text, Here: "Overview", Live: v.self(), OwnHeading: true, Body: o}
	if o.Away != nil {
		s.status = o.Away.status
	}
	return s, nil
}

// abilities gives those that the engine has.
func (v *visit) abilities() map[string]bool {
	all := map[string]bool{}
	for _, a := range v.engine.Abilities {
		all[a.Name] = a.Has
	}
	return all
}

// overview makes the page of what was seen; while the engine is away that is how it was, and nothing is called well.
func (v *visit) overview(s seen, away bool) overview {
	o := overview{Known: len(s.queues), More: s.more}
	for _, q := range s.queues {
		if q.finding != nil && !q.finding.Well {
			o.Unwell++
		}
	}
	if !v.can("verdicts") {
		o.Unsaid = "This server judges no queues: only their counts are shown. The command twice serve judges them."
	} else if s.unsaid != nil {
		o.Unsaid = s.unsaid.Title + ": the queues cannot be judged at the moment."
	}
	if !v.can("presence") {
		o.Hands = "This engine cannot tell which workers live."
	}
	o.Pages = max(1, (len(s.queues)+perPage-1)/perPage)
	o.Page = 1
	if n, err := strconv.Atoi(v.query("page")); err == nil {
		o.Page = max(1, min(n, o.Pages))
	}
	if o.Page > 1 {
		o.Earlier = queryTo(v.d.to(), "page", strconv.Itoa(o.Page-1))
	}
	if o.Page < o.Pages {
		o.Later = queryTo(v.d.to(), "page", strconv.Itoa(o.Page+1))
	}
	for _, q := range s.queues[(o.Page-1)*perPage : min(o.Page*perPage, len(s.queues))] {
		if !q.counted && !away { // one of so many that its counts were not among those read
			if one, err := ask(v.ctx, func(ctx context.Context) (httpapi.Queue, error) { return v.api.Queue(ctx, q.Queue.Queue) }); err == nil {
				q.Queue, q.counted = one, true
				v.d.history.add(q.Queue.Queue, sampleOf(one, v.now))
			}
		}
		before := *v
		before.now = s.at
		c := before.card(q)
		if away {
			c.Verdict = word{"before: " + c.Verdict.Text, ""}
			for i := range c.Also {
				c.Also[i].Tone = ""
			}
		}
		o.Cards = append(o.Cards, c)
	}
	return o
}

// headline tells in one line whether anybody is needed.
func headline(away bool, known, unwell int, unsaid bool) word {
	switch {
	case away:
		return word{"The engine does not answer", "bad"}
	case known == 0:
		return word{"No queue yet", ""}
	case unsaid:
		return word{noun(known, "queue") + ", not judged", ""}
	case unwell == 0 && known == 1:
		return word{"The queue is well", "good"}
	case unwell == 0:
		return word{"All " + noun(known, "queue") + " are well", "good"}
	case known == 1:
		return word{"The queue needs somebody", "bad"}
	case unwell == 1:
		return word{"1 of " + noun(known, "queue") + " needs somebody", "bad"}
	}
	return word{counted(unwell) + " of " + noun(known, "queue") + " need somebody", "bad"}
}
