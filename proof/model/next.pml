/* Next: a job that follows is stored in the write that settles the one before it: exactly once
   with the settlement, and not at all where that is refused.  One parent, one child id.

   Bounds    NW workers; MAXF faults (a crash, a lease replaced while its holder lives); REPEATS
             of a settlement by its worker, as late as it likes; FCAP CCAP caps
   Features  OTHER (somebody else stores the child's id, with the same or with other content)
             FORWARD (the child's queue is on another node: the write keeps it in a list, from which
             whoever comes by forwards it, maybe twice)  FROZEN (a forwarder sleeps longer than the id is known)
   Reach     REACH_AGAIN REACH_CONFLICT REACH_DUPLICATE: must fail
   Mutants   M_...: one guard removed each                                               */
#ifndef NW
#define NW 2
#endif
#ifndef MAXF
#define MAXF 2
#endif
#ifndef REPEATS
#define REPEATS 2
#endif
#ifndef FCAP
#define FCAP 2
#endif
#ifndef CCAP
#define CCAP 3
#endif

mtype = { gone, queued, running, done, dead };
mtype = { none, finish, failure, burial };
mtype = { ok, lost, conflict };
mtype st = queued;
byte lc = 0, pc = 0; mtype pout = none;          /* the lease; the last one with its outcome, until the next claim */
byte failures = 0, crashes = 0;
mtype kid = gone; byte kprint = 0;               /* the child's row */
bool list = false;                               /* FORWARD: it waits in the parent's queue */
/* ---- ghosts ---- */
byte ncl = 0, faults = 0, repeats = 0;
byte accepted = 0, stored = 0, credited = 0;     /* settlements with a child; children stored by them; those with both */
bool hdead = false;
byte busy = 0;                                   /* forwarders between their read and their write */

#define OVER (st == done || st == dead || st == gone)
#define MINE(c) (st == running && lc == c)

inline store() {                                 /* a duplicate is well */
	if
#ifdef FORWARD
	:: !list -> list = true
#else
	:: kid == gone -> kid = queued; kprint = 1; stored++
#endif
	:: else ->
#ifdef REACH_DUPLICATE
		assert(false);
#endif
		skip
	fi
}
#ifdef FORWARD
#define KNOWN (list || (kid != gone && kprint == 1))
#define CONFLICTS false
#else
#define KNOWN (kid != gone && kprint == 1)
#ifdef M_CONFLICTIGNORED
#define CONFLICTS false
#else
#define CONFLICTS (kid != gone && kprint != 1)
#endif
#endif

inline settle() {
	atomic {
#ifdef M_NEXTFIRST
		if :: CONFLICTS || out == burial -> skip :: else -> store() fi };     /* the child first: the settlement may yet be refused */
	atomic {
#endif
		if
		:: pc == c && pout == out -> ans = ok;   /* the same again: no-op, success */
#ifdef REACH_AGAIN
			assert(kid == queued || out == burial);
#endif
#ifdef M_REPEATSTORES
			if :: out != burial -> store() :: else -> skip fi
#endif
		:: MINE(c) && out == burial -> ans = ok; st = dead; pc = c; pout = out; lc = 0; hdead = false
		:: MINE(c) && out != burial && CONFLICTS -> ans = conflict
#ifdef M_DUPLICATEREFUSES
		:: MINE(c) && out != burial && !CONFLICTS && kid != gone -> ans = conflict; assert(kprint != 1)
		:: MINE(c) && out != burial && !CONFLICTS && kid == gone ->
#else
		:: MINE(c) && out != burial && !CONFLICTS ->
#endif
			ans = ok; accepted++;
#if !defined(M_SPLIT) && !defined(M_NEXTFIRST)
			store();
#endif
#if !defined(M_SPLIT) && !defined(M_NEXTFIRST)
			assert(KNOWN);                   /* it is there, with the settlement */
#endif
#ifndef M_SPLIT
			credited++;
#endif
			if
			:: out == finish -> st = done
			:: out == failure -> failures++; if :: failures >= FCAP -> st = dead :: else -> st = queued fi
			fi;
			pc = c; pout = out; lc = 0; hdead = false
		:: else -> ans = lost
		fi;
		assert(stored <= accepted) };            /* a settlement refused, or told "the same", stores none */
#ifdef M_SPLIT
	if
	:: ans == ok && accepted > credited -> if :: atomic { store(); credited++ } :: faults < MAXF -> faults++; goto idle fi
	:: else -> skip
	fi
#endif
}

proctype Worker() {
	byte c = 0;
	mtype out = none, ans = ok;
end_idle:
idle:
	atomic { c = 0; out = none; ans = ok };
end_wait:
	atomic { (st == queued || (st == running && (hdead || faults < MAXF))) ->
		if
		:: st == running -> if :: hdead -> skip :: else -> faults++ fi; crashes++
		:: else -> skip
		fi;
		ncl++; c = ncl; st = running; lc = c; pc = 0; pout = none; hdead = false;
		if :: crashes >= CCAP -> out = burial :: else -> skip fi };
	if
	:: out == burial
	:: out == none -> out = finish
	:: out == none -> out = failure
	:: atomic { out == none && faults < MAXF -> faults++; if :: MINE(c) -> hdead = true :: else -> skip fi; goto idle }
	fi;
	do
	:: settle();
		if
		:: ans == conflict ->            /* the child's id is somebody else's: tried again, then given up; the lease runs out */
#ifdef REACH_CONFLICT
			assert(false);
#endif
			atomic { if :: MINE(c) -> hdead = true :: else -> skip fi; goto idle }
		:: ans != conflict -> break
		:: atomic { ans == ok && repeats < REPEATS -> repeats++ }        /* its reply was lost */
		fi
	od;
	goto idle
}

proctype Child() {
end_k:	do
	:: atomic { kid == queued -> kid = done }
	:: atomic { kid == done && busy == 0 -> kid = gone; kprint = 0 }       /* pruned */
	:: atomic { st == done && kid == gone && !list -> st = gone; pc = 0; pout = none }
	od
}

#ifdef FORWARD
proctype Forwarder() {
	bool has = false;
end_f:	do
	:: atomic { list -> has = true;
#ifndef FROZEN
		busy++                           /* no forwarder sleeps for as long as an ended id is known */
#endif
		};
		atomic { if :: kid == gone -> kid = queued; kprint = 1; stored++; assert(stored <= accepted) :: else -> skip fi };
		atomic { list = false; has = false;
#ifndef FROZEN
		busy--
#endif
		}
	od
}
#endif

#ifdef OTHER
proctype Producer() {
end_p:	atomic { kid == gone -> kid = queued; if :: kprint = 1 :: kprint = 2 fi }
}
#endif

proctype Whole() { end_w: atomic { accepted != credited -> assert(false) } }   /* never one without the other */
proctype Term() { end_t: timeout -> assert(OVER && !list && kid != queued) }

init {
	atomic {
		byte i = 0;
		do :: i < NW -> run Worker(); i++ :: else -> break od;
		run Child();
#ifdef FORWARD
		run Forwarder(); run Forwarder();
#endif
#ifdef OTHER
		run Producer();
#endif
		run Whole(); run Term()
	}
}
