package worker

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// failures groups what failed lately by signature. Time is cut into halves of a minute each: the present one and the one
// before are told. What it keeps is bounded, however many jobs and texts there are.
type failures struct {
	turned time.Time // when the present half began
	list   []*failing
	others [2]int // of signatures for which there is no room: present, before
}

const failuresHalf = time.Minute

type failing struct {
	queue.Failing                  // but for what is counted; its Text whole
	halves        [2]failingInHalf // present, before
}

type failingInHalf struct {
	count int
	jobs  map[queue.ID]int // how often each failed; at most MaxDistinct
}

func (f *failures) add(now time.Time, job queue.ID, signature, text string) {
	f.turn(now)
	one := f.find(signature)
	if one == nil {
		f.others[0]++
		return
	}
	one.Text, one.Last = text, now
	half := &one.halves[0]
	half.count++
	if half.jobs == nil {
		half.jobs = map[queue.ID]int{}
	}
	if _, known := half.jobs[job]; known || len(half.jobs) < queue.MaxDistinct {
		half.jobs[job]++
	}
}

// find gives the signature's place. Where there is none left, that of the oldest signature that came only once is taken,
// so that texts which never repeat do not keep out the one that does.
func (f *failures) find(signature string) *failing {
	for _, one := range f.list {
		if one.Signature == signature {
			return one
		}
	}
	fresh := &failing{Failing: queue.Failing{Signature: signature}}
	if len(f.list) < queue.MaxFailing {
		f.list = append(f.list, fresh)
		return fresh
	}
	for i, one := range f.list {
		if one.halves[0].count+one.halves[1].count <= 1 {
			for h := range one.halves {
				f.others[h] += one.halves[h].count
			}
			f.list = append(slices.Delete(f.list, i, i+1), fresh)
			return fresh
		}
	}
	return nil
}

// turn begins a new half when the present one is over. A clock that went back begins none.
func (f *failures) turn(now time.Time) {
	past := now.Sub(f.turned)
	if past < failuresHalf {
		return
	}
	long := past >= 2*failuresHalf
	f.turned = now
	f.others = [2]int{0, f.others[0]}
	if long {
		f.others[1] = 0
	}
	f.list = slices.DeleteFunc(f.list, func(one *failing) bool {
		one.halves = [2]failingInHalf{{}, one.halves[0]}
		return long || one.halves[1].count == 0
	})
}

func (f *failures) told(now time.Time) (told []queue.Failing, others int) {
	f.turn(now)
	for _, one := range f.list {
		t := one.Failing
		t.Text = sample(t.Text)
		t.Count = one.halves[0].count + one.halves[1].count
		jobs := map[queue.ID]int{}
		for _, half := range one.halves {
			for id, n := range half.jobs {
				jobs[id] += n
			}
		}
		t.Jobs = min(len(jobs), queue.MaxDistinct)
		for id, n := range jobs {
			t.Top = append(t.Top, queue.Repeat{Job: id, N: n})
		}
		slices.SortFunc(t.Top, func(a, b queue.Repeat) int {
			return cmp.Or(cmp.Compare(b.N, a.N), bytes.Compare(a.Job[:], b.Job[:]))
		})
		t.Top = slices.Clone(t.Top[:min(len(t.Top), queue.MaxRepeats)])
		told = append(told, t)
	}
	slices.SortStableFunc(told, func(a, b queue.Failing) int { return cmp.Compare(b.Count, a.Count) })
	return told, f.others[0] + f.others[1]
}
