package demo

import (
	"context"
	"fmt"

	"github.com/twicehq/twice/queue"
)

// killer places an order whose charge kills the process that runs it, among good ones.
func killer(ctx context.Context, d *Demo, r *record) error {
	const beside = 20
	w := d.world
	r.did("placed an order whose job kills its own process, by SIGKILL, whenever it runs, among %d good ones; a supervisor restarts dead workers", beside)
	marks, deaths := map[*process]int64{}, w.deaths()
	for _, p := range w.workers {
		marks[p] = p.log.mark()
	}
	references := names("beside-killer", beside)
	at := int(d.cfg.Seed % beside)
	references = append(references[:at], append([]string{"killer-1"}, references[at:]...)...)
	placed, a, err := w.shop.place(ctx, references...)
	if err != nil {
		return err
	}
	d.killer = placed[at]
	good := append(append([]order{}, placed[:at]...), placed[at+1:]...)
	buried, err := w.dead(ctx, d.killer, queue.ReasonCrashes)
	if err != nil {
		return err
	}
	answered, err := w.answerDoubts(ctx)
	if err != nil {
		return err
	}
	if err := w.sent(ctx, "the orders beside are done", good...); err != nil {
		return err
	}
	s, err := w.see(ctx)
	if err != nil {
		return err
	}
	alone := 0 // processes that ran only the suspect, and died of it
	for _, p := range w.workers {
		n, err := p.log.count(marks[p], func(l line) bool {
			return l.Message == "suspect's process ended" && l.Error != "" && l.Job == d.killer.charge().String()
		})
		if err != nil {
			return err
		}
		alone += n
	}
	restarts := w.deaths() - deaths
	_, _, notOne := s.effects(good)
	r.saw("%d workers died and were restarted; then it ran alone, as a suspect does, and %d child process died; dead after %d crashes (reason %q). %d of %d good ones have one charge and one mail",
		restarts, alone, buried.Counts.Crashes, buried.Reason, beside-notOne, beside)
	if answered > 0 {
		r.Saw += fmt.Sprintf("; of %d receipts nobody could tell whether they were sent: they were parked, and answered as a person would", answered)
	}
	r.equal("orders accepted", a.Created, len(placed))
	r.equal("crashes counted, its cap", buried.Counts.Crashes, crashCap)
	r.equal("processes that it ended", restarts+alone, crashCap)
	r.check(restarts < crashCap, "the last of them was a child with nothing beside it", "%d workers, %d children", restarts, alone)
	r.equal("charges of the killer", s.chargesOf(d.killer), 0)
	r.equal("orders beside without exactly one charge and one mail", notOne, 0)
	r.figure("crashes", buried.Counts.Crashes)
	r.figure("workers_restarted", restarts)
	r.figure("lone_processes_ended", alone)
	r.figure("reason", buried.Reason)
	r.figure("error", buried.Error)
	r.figure("receipts_in_doubt_answered", answered)
	return nil
}
