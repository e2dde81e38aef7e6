package diagnose_test

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/queue"
)

// scene is a way in which a queue fares.
type scene struct {
	name string
	want diagnose.Verdict // two windows after its onset; empty: at no sample anything but well
	play func(*stage)
}

// scenes are well at first, for a random time; then something begins.
var scenes = []scene{
	{"the broker goes away", diagnose.BrokerDown, func(s *stage) {
		s.warm()
		s.broker.shut.Store(true)
		s.settle()
	}},
	{"counts cannot be read", diagnose.NoData, func(s *stage) {
		s.warm()
		s.broker.uncounts.Store(true)
		s.settle()
	}},
	{"a person pauses the queue", diagnose.Paused, func(s *stage) {
		s.warm()
		if err := s.engine.Pause(s.ctx, queue.Actor{Name: "ann", Why: "a test"}, theQueue); err != nil {
			s.t.Error(err)
		}
		s.settle()
	}},
	{"jobs of a kind that nobody handles", diagnose.NoConsumer, func(s *stage) {
		s.warm()
		other := s.kind("orders.refund")
		if s.r.IntN(2) == 0 {
			s.make.Store(other) // only these
		} else {
			every := time.Duration(s.between(1, 9) * float64(time.Second))
			s.wait.Go(func() { // these as well
				for n := -1; s.sleep(every); n-- {
					_, _ = other.Enqueue(s.ctx, s.broker, args{N: n})
				}
			})
		}
		s.settle()
	}},
	{"all workers are stopped in order", diagnose.NoConsumer, func(s *stage) {
		s.warm()
		s.eachPod(func(p *pod) { p.stop() })
		s.settle()
	}},
	{"all workers are killed", diagnose.ConsumerDead, func(s *stage) {
		s.warm()
		s.eachPod(func(p *pod) {
			p.kill()
			s.sleep(time.Duration(s.between(0, 2) * float64(time.Second)))
		})
		s.settle()
	}},
	{"handlers freeze", diagnose.StuckHandler, func(s *stage) {
		s.warm()
		deaf := s.r.IntN(2) == 0
		s.behave(func(ctx context.Context, _ twice.Job[args]) error { return s.frozen(ctx, deaf) })
		s.settle()
	}},
	{"handlers freeze, and run into their timeout", diagnose.StuckHandler, func(s *stage) {
		s.timed = time.Duration(s.between(20, 50)) * time.Second
		s.warm()
		s.behave(func(ctx context.Context, _ twice.Job[args]) error { return s.frozen(ctx, false) })
		s.settle()
	}},
	{"some handlers are deaf to their context", diagnose.StuckHandler, func(s *stage) {
		s.timed, s.slots = 10*time.Second, s.pick(3, 8)
		s.mean = min(s.mean, 3*time.Second)
		s.warm()
		s.eachPod(func(p *pod) { p.deaf.Store(int32(s.slots-1) / 2) }) // with half of its slots deaf a worker ends
		s.behave(func(ctx context.Context, job twice.Job[args]) error {
			if p := ctx.Value(podKey{}).(*pod); p.deaf.Add(-1) >= 0 {
				return s.frozen(ctx, true)
			}
			return s.work(ctx, job)
		})
		s.settle()
	}},
	{"all handlers are deaf, and workers end and start again", diagnose.StuckHandler, func(s *stage) {
		s.timed = 10 * time.Second
		s.mean = min(s.mean, 3*time.Second)
		s.warm()
		s.behave(func(ctx context.Context, _ twice.Job[args]) error { return s.frozen(ctx, true) })
		s.eachPod(func(p *pod) {
			s.wait.Go(func() {
				for {
					select {
					case <-p.done:
					case <-s.ctx.Done():
						return
					}
					if !s.sleep(2 * time.Second) {
						return
					}
					p = s.pod(&gate{Engine: s.engine, via: s.broker}, "orders.charge")
				}
			})
		})
		s.settle()
	}},
	{"handlers of one worker freeze, and the others cannot keep up", diagnose.StuckHandler, func(s *stage) {
		s.pods = s.pick(2, 3)
		s.warm()
		var bad *pod
		s.eachPod(func(p *pod) { bad = p })
		s.behave(func(ctx context.Context, job twice.Job[args]) error {
			if ctx.Value(podKey{}) == bad {
				return s.frozen(ctx, false)
			}
			return s.work(ctx, job)
		})
		s.overload(1.3, 2)
		s.settle()
	}},
	{"claims find nothing", diagnose.StuckDispatch, func(s *stage) {
		s.warm()
		s.eachPod(func(p *pod) { p.gate.empty.Store(true) })
		s.settle()
	}},
	{"claims hang", diagnose.StuckDispatch, func(s *stage) {
		s.warm()
		s.eachPod(func(p *pod) {
			p.gate.hang = s.release
			p.gate.empty.Store(true)
		})
		s.settle()
	}},
	{"workers crash soon after their start", diagnose.CrashLoop, func(s *stage) {
		s.pods = s.pick(1, 3)
		s.warm()
		s.eachPod(func(p *pod) {
			s.wait.Go(func() {
				for first := true; ; first = false {
					life := time.Duration(3+int(s.n.Load()*7%20)) * time.Second
					if first {
						life = time.Second
					}
					if !s.sleep(life) {
						return
					}
					p.kill()
					if !s.sleep(time.Duration(1+int(s.n.Load()%5)) * time.Second) {
						return
					}
					p = s.pod(&gate{Engine: s.engine, via: s.broker}, "orders.charge")
				}
			})
		})
		s.settle()
	}},
	{"a few jobs always fail", diagnose.Poison, func(s *stage) {
		s.warm()
		bad := map[int]bool{}
		for range s.pick(1, 4) {
			bad[int(s.n.Load())+1+s.r.IntN(10)] = true
		}
		s.behave(func(ctx context.Context, job twice.Job[args]) error {
			if bad[job.Args.N] {
				return fmt.Errorf("order %d has no price", job.Args.N)
			}
			return s.work(ctx, job)
		})
		s.settle()
	}},
	{"what all jobs need is down", diagnose.DependencyDown, func(s *stage) {
		s.warm()
		took := time.Duration(s.between(0, 1) * float64(s.mean))
		s.behave(func(ctx context.Context, job twice.Job[args]) error {
			time.Sleep(took)
			return fmt.Errorf("charge order %d: dial tcp 10.0.0.%d:443: connect: connection refused", job.Args.N, job.Args.N%7)
		})
		s.settle()
	}},
	{"more comes than the slots can do", diagnose.UnderProvisioned, func(s *stage) {
		s.rate = min(s.rate, 1)
		s.warm()
		s.overload(1.4, 3)
		s.settle()
	}},
	{"a large batch comes", diagnose.CatchingUp, func(s *stage) {
		s.rate = min(s.rate, 1)
		s.warm()
		s.burst(s.between(200, 300))
		s.settle()
	}},
	{"a part of the jobs gives up", diagnose.DeadLettersGrowing, func(s *stage) {
		s.warm()
		part := min(0.35, s.between(0.1, 0.3)+0.1/s.rate)
		s.behave(func(ctx context.Context, job twice.Job[args]) error {
			err := s.work(ctx, job)
			if float64(job.Args.N*7919%1000) < 1000*part {
				return twice.Bury(fmt.Errorf("order %d is unknown", job.Args.N))
			}
			return err
		})
		s.settle()
	}},
	{"all is well", diagnose.Healthy, func(s *stage) {
		s.warm()
		s.settle()
	}},
	{"no more jobs come", diagnose.Idle, func(s *stage) {
		s.warm()
		s.setRate(0)
		s.settle()
	}},
	{"late, and nobody keeps the workers", diagnose.Undetermined, func(s *stage) {
		s.watch = diagnose.NewWatch(counted{s.broker, s.broker}, diagnose.Config{})
		s.warm()
		s.eachPod(func(p *pod) { p.kill() })
		s.settle()
	}},

	{"a quiet run", "", func(s *stage) {
		s.rate, s.mean = s.between(0.01, 0.05), time.Duration(s.between(0.1, 20)*float64(time.Second))
		s.setRate(s.rate)
		s.warm()
		s.sleep(5 * time.Minute)
	}},
	{"a bursty run", "", func(s *stage) {
		s.warm()
		for range 6 {
			s.burst(s.between(5, 50))
			s.sleep(time.Duration(s.between(20, 90) * float64(time.Second)))
		}
	}},
	{"one slow job", "", func(s *stage) {
		s.mean, s.slots = min(s.mean, 4*time.Second), max(s.slots, 5) // the others can do without its slot
		s.warm()
		slow := s.n.Load() + 1
		s.behave(func(ctx context.Context, job twice.Job[args]) error {
			if int64(job.Args.N) == slow {
				time.Sleep(150 * time.Second)
				return nil
			}
			return s.work(ctx, job)
		})
		s.sleep(200 * time.Second)
	}},
	{"one of several workers is killed", "", func(s *stage) {
		s.pods = s.pick(3, 4)
		s.mean = min(s.mean, time.Duration(0.4*float64(2*s.slots)/s.rate*float64(time.Second)))
		s.warm()
		dead := false
		s.eachPod(func(p *pod) {
			if !dead {
				dead = true
				p.kill()
			}
		})
		s.settle()
	}},
	{"a rolling deploy", "", func(s *stage) {
		s.warm()
		s.eachPod(func(p *pod) {
			next := s.pod(&gate{Engine: s.engine, via: s.broker}, "orders.charge")
			s.sleep(time.Duration(s.between(0, 10) * float64(time.Second)))
			p.stop()
			<-p.done
			_ = next
			s.sleep(time.Duration(s.between(0, 20) * float64(time.Second)))
		})
		s.sleep(time.Minute)
	}},
}

// warm lets the queue fare well for a while.
func (s *stage) warm() {
	s.setRate(s.rate)
	s.start()
	s.sleep(time.Duration(s.between(50, 75) * float64(time.Second)))
}

// settle lets two windows pass.
func (s *stage) settle() { s.sleep(2 * window) }

// overload makes more jobs than the slots can do, by a factor.
func (s *stage) overload(from, to float64) {
	s.setRate(s.between(from, to) * float64(s.pods*s.slots) / s.mean.Seconds())
}

// burst makes, at once or within some seconds, what the slots can do in so many seconds beside what comes anyway.
func (s *stage) burst(seconds float64) {
	spare := float64(s.pods*s.slots)/s.mean.Seconds() - s.rate
	n := max(1, int(seconds*spare))
	for part := s.pick(1, 4); part > 0; part-- {
		s.enqueue(n/part, s.r)
		n -= n / part
		s.sleep(time.Duration(s.between(0, 2) * float64(time.Second)))
	}
}
