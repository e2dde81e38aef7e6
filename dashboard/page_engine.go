package dashboard

// engineBody says what the engine is and can do.
type engineBody struct {
	Engine     string
	Durability string
	Facts      []fact
	Can        []ability
	You        string
}

type ability struct {
	Does  string
	Has   bool
	Names string
}

// lacking says what a person misses where the engine lacks an ability.
var lacking = map[string]string{
	"inspect": "Neither queues nor jobs can be shown here.", "operate": "No job can be cancelled, redriven, discarded or resolved here.", "pause": "No queue can be paused here.",
	"presence": "Workers and their slots cannot be shown here.", "schedules": "There are no schedules here.", "audit": "There is no trail of changes here, and no books.",
	"ledger": "A cancel seals no effects, and doubts cannot be answered here.", "verdicts": "Queues are shown with their counts, and not judged. Run twice serve for verdicts.",
}

func enginePage(v *visit) (view, error) {
	e := v.engine
	b := engineBody{Engine: visible(e.Engine), Durability: visible(e.Durability), Facts: []fact{
		{Name: "Survives the end of every process", Text: yesNo(e.Durable)}, {Name: "Largest payload", Text: size(e.MaxPayload)},
		{Name: "Ended jobs are known for", Text: lasts(secs(e.UniqueForSeconds))}}}
	for _, a := range e.Abilities {
		one := ability{Does: sentence(visible(a.Does)), Has: a.Has}
		if !a.Has {
			one.Names = lacking[a.Name]
		}
		b.Can = append(b.Can, one)
	}
	b.You = e.You
	return view{page: "engine", Title: "Engine", Here: "Engine", Body: b}, nil
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
