package proof

// move makes one move of a schedule. One that finds nothing to act on is missed.
func (t *trial) move(m move) {
	switch m.do {
	case doRedrive:
		t.redrive()
		return
	case doReap:
		t.reap()
		return
	case doAgain:
		t.again()
		return
	}
	if t.missed {
		return
	}
	if m.attempt == len(t.attempts) && !t.deliver() {
		t.missed = true // the job has ended
		return
	}
	if m.attempt >= len(t.attempts) {
		t.missed = true
		return
	}
	a := t.attempts[m.attempt]
	if a.over || a.crashed {
		t.missed = t.missed || m.at > 0
		return
	}
	if t.thawing(a) {
		t.cut(a.name, "goes on, and does not know how long it stood still")
	}
	switch a.advance(m.at) {
	case stuck:
		if !t.othersStand(a) {
			t.stuck(a)
		}
		t.say(a.name, "waits for an attempt that stands")
		t.missed = true
		return
	case ended:
		t.settle(a)
		t.missed = t.missed || m.at > 0
		return
	}
	if m.at == 0 {
		return
	}
	switch m.do {
	case doCrash:
		t.crash(a)
	case doError, doDead:
		t.refuse(a, m.do == doDead)
	default:
		t.cut(a.name, "stands still %s", a.at)
	}
}

// thawing tells whether others moved since a was left standing.
func (t *trial) thawing(a *attempt) bool { return a.at != nil && len(a.points) > 0 }

// crash ends the attempt's process where it stands.
func (t *trial) crash(a *attempt) {
	a.crashed = true
	t.cut(a.name, "✗ its process crashes %s", a.at)
	t.mu.Lock()
	deaths := t.deaths[a]
	t.mu.Unlock()
	for _, f := range deaths {
		f()
	}
}

// refuse makes the call fail at which the attempt stands, and lets it run to its end.
func (t *trial) refuse(a *attempt, last bool) {
	a.last = last
	switch a.at.when {
	case answer:
		t.missed = true
		return
	case after:
		t.cut(a.name, "✗ the reply of %s is lost: it acted, and the handler gets an error", a.at.name)
	case before:
		t.cut(a.name, "✗ %s fails: nothing was done, and the handler gets an error", a.at.name)
	default:
		t.cut(a.name, "✗ %s fails", a.at.name)
	}
	a.release(fail)
	if a.advance(0) == stuck {
		t.stuck(a)
	}
	t.settle(a)
}

// stuck ends the trial because of an attempt that waits for nothing that could come.
func (t *trial) stuck(a *attempt) {
	t.fail("It may wait for what a crashed attempt held, such as a lock or a connection of a pool that is used up: what a process has to itself, Case.Start makes anew. Or for another call of its own: they are made one after the other.",
		"attempt %s is stuck: for %s it made no call and gave no answer", a.name, t.p.limits.Patience)
}

func (t *trial) othersStand(a *attempt) bool {
	for _, b := range t.attempts {
		if b != a && b.at != nil && !b.crashed {
			return true
		}
	}
	return false
}
