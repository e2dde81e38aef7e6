/* Settling inside the effect's transaction: jobs, ledger and data in one database (fence A); the
   effect, its row in the ledger and "done" commit together or not at all.

   Bounds    NW workers; MAXF faults (a crash, a lease replaced while its holder lives, a reply lost
             after the commit, a commit that fails); FCAP CCAP caps
   Features  NOLEDGER (the effect leaves no row: what fences it is the held lease alone)
   Reach     REACH_UNKNOWN REACH_ZOMBIE: must fail
   Mutants   M_...: one guard removed each                                               */
#ifndef NW
#define NW 2
#endif
#ifndef MAXF
#define MAXF 3
#endif
#ifndef FCAP
#define FCAP 2
#endif
#ifndef CCAP
#define CCAP 3
#endif

mtype = { queued, running, done, dead };
mtype = { none, finish, failure, burial };
mtype st = queued;
byte lc = 0, pc = 0; mtype pout = none;
byte failures = 0, crashes = 0;
bool led = false;                    /* the effect's row */
byte eff = 0;                        /* the data: how often the effect was made */
/* ---- ghosts ---- */
byte ncl = 0, faults = 0;
byte owner = 0;
bool hdead = false, orphan = false;

#define OVER (st == done || st == dead)
#define MINE(c) (st == running && lc == c)
#define AGAIN(c,o) (pc == c && pout == o)        /* the same settlement again, until the next claim */
#ifdef M_NOHOLD
#define HELD true
#else
#define HELD MINE(c)
#endif
#ifdef NOLEDGER
#define RECORDED false
#else
#define RECORDED led
#endif
#ifdef M_SETTLENOLEASE
#define SETTLES (st == running)
#else
#define SETTLES MINE(c)
#endif

inline ended(to) { assert(c == owner); st = to; pc = c; pout = out; lc = 0; owner = 0; hdead = false; orphan = false }

proctype Worker() {
	byte c = 0;
	mtype out = none;
	bool committed = false, marked = false;
end_idle:
idle:
	atomic { c = 0; out = none; committed = false; marked = false };
end_wait:
	atomic { (st == queued || (st == running && (hdead || orphan || faults < MAXF))) ->
		if
		:: st == running -> if :: hdead || orphan -> skip :: else -> faults++ fi;
			assert(!orphan);                 /* a crash is counted for a process that was lost or late */
			crashes++
		:: else -> skip
		fi;
		ncl++; c = ncl; st = running; lc = c; owner = c; pc = 0; pout = none; hdead = false; orphan = false;
		if :: crashes >= CCAP -> out = burial :: else -> skip fi };
	if
	:: out == burial -> goto settle
	:: out == none
	:: out == none -> out = failure; goto settle
	:: atomic { out == none && faults < MAXF -> faults++; if :: MINE(c) -> hdead = true :: else -> skip fi; goto idle }
	fi;
tx:
	committed = false;
#ifdef M_MARKFIRST
	marked = true;
#endif
#ifdef M_HOLDBEFORE
	if :: MINE(c) -> skip :: else -> goto idle fi;   /* looked before, in no transaction */
#endif
	atomic {                                 /* one transaction */
		out = finish;
		if
#ifdef M_HOLDBEFORE
		:: true ->
#else
		:: !HELD ->
#ifdef REACH_ZOMBIE
			assert(led);
#endif
			skip                             /* lease lost: rolled back */
		:: HELD ->
#endif
			if
			:: SETTLES -> if :: RECORDED -> skip :: else -> eff++; led = true fi;
				assert(eff <= 1);                /* I1 */
#ifdef M_SPLIT
				committed = true                 /* "done" comes in another */
#else
				ended(done); committed = true
#endif
			:: AGAIN(c, finish) ->           /* told success, as outside a transaction */
				if :: RECORDED -> skip :: else -> eff++ fi;
				assert(eff <= 1);
				committed = true
			:: else ->                       /* the settlement is refused: rolled back */
#ifdef M_ANSWERIGNORED
				if :: RECORDED -> skip :: else -> eff++; led = true fi;
				committed = true;
#endif
				skip
			fi
		:: faults < MAXF -> faults++             /* the commit fails */
		fi };
#ifdef M_SPLIT
	if :: committed -> goto settle :: else -> skip fi;
#endif
	if
	:: committed || marked -> if :: MINE(c) -> orphan = true :: else -> skip fi; goto idle       /* marked: nothing more to settle */
	:: !committed && !marked -> out = failure
	:: atomic { committed && faults < MAXF -> faults++ };        /* it stands, and the worker does not know */
#ifdef REACH_UNKNOWN
		assert(false);
#endif
		if
		:: goto idle                     /* died */
		:: goto tx                       /* the same once more */
		:: out = failure                 /* the handler's error */
		fi
	fi;
settle:
	atomic {
		if
		:: !MINE(c) -> skip              /* lease lost, or done already */
		:: MINE(c) && out == finish -> ended(done)
		:: MINE(c) && out == burial -> assert(eff == 0); ended(dead)
		:: MINE(c) && out == failure -> failures++; if :: failures >= FCAP -> ended(dead) :: else -> ended(queued) fi
		fi };
	goto idle
}

proctype Whole() { end_w: atomic { (st == done) != (eff == 1) -> assert(false) } }    /* never one without the other */
proctype Term() { end_t: timeout -> assert(OVER) }

init {
	atomic {
		byte i = 0;
		do :: i < NW -> run Worker(); i++ :: else -> break od;
		run Whole(); run Term()
	}
}
