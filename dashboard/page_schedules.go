package dashboard

type schedulesBody struct {
	Schedules []scheduleRow
	More      bool
	Lacks     string
}

type scheduleRow struct {
	Name      string
	Spec      string
	Zone      string
	Queue     string
	QueueHref string
	Kind      string
	KindHref  string
	State     word
	Last      moment
	Next      moment
	Error     string
	Pause     string
	Resume    string
	Run       string
}

// mostSchedules bounds the list.
const mostSchedules = 500

func schedulesPage(v *visit) (view, error) {
	s := view{page: "schedules", Title: "Schedules", Here: "Schedules"}
	if !v.can("schedules") {
		s.Body = schedulesBody{Lacks: "This engine keeps no schedules."}
		return s, nil
	}
	all, more, err := some(v.ctx, mostSchedules, v.api.Schedules)
	if err != nil {
		return s, err
	}
	b := schedulesBody{More: more}
	for _, e := range all {
		r := scheduleRow{Name: visible(e.Name), Spec: visible(e.Spec), Zone: visible(e.Zone), Queue: visible(e.Queue), QueueHref: v.d.to("queues", e.Queue), Kind: visible(e.Kind),
			KindHref: queryTo(v.d.to("jobs"), "kind", e.Kind), State: word{"On", "good"}, Last: v.at(e.Last), Next: v.at(e.Next), Error: visible(e.Error)}
		switch {
		case e.Error != "":
			r.State = word{"Cannot be read", "bad"}
		case e.Paused:
			r.State = word{"Paused", "warn"}
		}
		if v.mayChange() {
			r.Run, r.Pause = v.d.to("schedules", e.Name, "run"), v.d.to("schedules", e.Name, "pause")
			if e.Paused {
				r.Pause, r.Resume = "", v.d.to("schedules", e.Name, "resume")
			}
		}
		b.Schedules = append(b.Schedules, r)
	}
	s.Body, s.Live = b, v.self()
	return s, nil
}
