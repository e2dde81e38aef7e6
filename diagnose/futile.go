package diagnose

import (
	"fmt"
	"maps"
	"slices"
)

// futile: for the whole window, which is far longer than usual, slots were busy and jobs late, and none was done, whoever
// held them: workers that lose their slots to deaf handlers end, and are started again. Those that failed, or whose
// worker ended with no word, did not end for another reason.
func (v *view) futile() *match {
	from, now := v.moments[0].now, v.now().now
	span, all := now.Sub(from), v.all()
	busy, _ := v.utilisation()
	late := 0
	for _, m := range v.moments {
		if v.late(m) {
			late++
		}
	}
	if !v.lateNow() || 2*late < len(v.moments) || span < v.rules.Far || all.done > 0 || all.failed > all.timedOut || busy < full/2 ||
		slices.ContainsFunc(v.gone, func(g Gone) bool { return !g.At.Before(from) }) {
		return nil
	}
	for _, kind := range slices.Sorted(maps.Keys(v.moves())) {
		m := v.moves()[kind]
		far, known := v.far(kind)
		if far > span || m.begun == 0 && m.timedOut == 0 || !known && m.timedOut < repeated {
			continue
		}
		usual := "they run into their timeout"
		if known {
			usual = "99 % of these jobs take at most " + lasts(v.usual[kind])
		}
		return &match{
			says: fmt.Sprintf("Handlers of %s do not end: none was done for %s, though %.0f %% of the slots were busy, and %s. %s due, the oldest for %s.", kind,
				lasts(span), 100*busy, usual, verb(backlog(v.now().depth), "job", "is", "are"), lasts(v.now().wait())),
			change: "A job of this kind is done.",
			do:     "More slots do not help. Look at what these jobs wait for, and give their calls timeouts that are shorter than the job's.",
			evidence: []Evidence{seconds("since_last_done", span), seconds("usual_p99", v.usual[kind]), number("begun", float64(m.begun), ""), number("done", 0, ""),
				number("timed_out", float64(m.timedOut), ""), number("utilisation", 100*busy, "%"), jobs("due", backlog(v.now().depth), nil)},
		}
	}
	return nil
}
