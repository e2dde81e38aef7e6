package explore

import (
	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// person is the operator: a cancel reads the token first, and holds only at that.
func (w *walk) person() {
	j, o := w.job(), w.from.operator
	living := j.State == queue.Queued || j.State == queue.Running
	switch o.at {
	case resting:
		if living && int(w.from.cancels) < w.life.Cancels {
			w.add(func(s *life) { s.cancels++; s.operator.at, s.operator.token = sealed, uint8(j.Token) })
		}
		if j.State == queue.Dead && j.Counts.Redrives < w.life.Redrives {
			row, _ := w.engine(Act{What: Redrive})
			w.add(func(s *life) { s.row, s.holderDead = row, false })
		}
		if j.State == queue.Dead && int(w.from.discards) < w.life.Discards {
			row, _ := w.engine(Act{What: Discard})
			w.add(func(s *life) { s.row, s.discards = row, s.discards+1 })
		}
	case sealed:
		row, answer := w.engine(Act{What: CancelSealed, Token: int64(o.token)})
		w.add(func(s *life) {
			switch {
			case answer == history.OK:
				s.row, s.listed, s.holderDead = row, s.data, false
				s.operator.at, s.operator.list = forgets, s.data
			case living:
				s.operator.token = uint8(j.Token) // claimed meanwhile: once more
			default:
				s.operator.at = forgets
			}
		})
	case forgets:
		w.add(func(s *life) { s.operator.at, s.operator.token = forgetful, 0 })
	case forgetful:
		w.add(func(s *life) { s.operator.at, s.operator.list = resting, 0 })
	}
}
