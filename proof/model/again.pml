/* The same settlement again: sent twice, or arriving once more as late as it likes, it is applied
   once and counted once; until the next claim it is a success, after it the lease is lost.

   Bounds    NW workers; MAXF faults (a crash, a lease replaced while its holder lives, a lost reply);
             DUPS requests that arrive once more; FCAP SCAP CCAP caps; MAXRED redrives
   Features  MIND (whoever lost the reply may then send another outcome)  TIGHT (I7 less one)
   Reach     REACH_LATE REACH_BEFORE REACH_REDRIVEN: must fail
   Mutants   M_...: one guard removed each                                               */
#ifndef NW
#define NW 2
#endif
#ifndef MAXF
#define MAXF 2
#endif
#ifndef DUPS
#define DUPS 2
#endif
#ifndef FCAP
#define FCAP 2
#endif
#ifndef SCAP
#define SCAP 2
#endif
#ifndef CCAP
#define CCAP 2
#endif
#ifndef MAXRED
#define MAXRED 1
#endif
#define MAXCL 14

mtype = { queued, running, done, dead };
mtype = { none, finish, failure, snooze, burial };
mtype = { ok, lost };
mtype st = queued;
byte lc = 0, pc = 0; mtype pout = none;          /* the lease; the last one with its outcome, until the next claim */
byte failures = 0, snoozes = 0, crashes = 0, redrives = 0;
/* ---- ghosts ---- */
byte ncl = 0, faults = 0, dups = 0, starts = 0;
mtype sent[MAXCL];                               /* what the holder of each claim sent last */
mtype applied[MAXCL];                            /* what was applied of it */
byte nf = 0, ns = 0;                             /* failures and snoozes applied since the redrive */
bool hdead = false;

#define OVER (st == done || st == dead)
#define MINE(c) (st == running && lc == c)
#ifdef M_LASTNOOUTCOME
#define SAME(c,o) (pc == c)
#else
#define SAME(c,o) (pc == c && pout == o)
#endif
#ifdef M_NOLEASE
#define APPLIES(c) (st == running || st == queued)
#else
#define APPLIES(c) MINE(c)
#endif
#define STARTS (((FCAP-1) + (SCAP-1) + (CCAP-1) + 1) * (1 + redrives))

inline apply(c, o) {
	if
	:: o == finish -> st = done
	:: o == burial -> st = dead
	:: o == failure -> failures++; if :: failures >= FCAP -> st = dead :: else -> st = queued fi
	:: o == snooze -> snoozes++; if :: snoozes >= SCAP -> st = dead :: else -> st = queued fi
	fi;
	pc = c; pout = o; lc = 0; hdead = false
}
/* A settlement arrives. */
inline settle(c, o) {
	if
	:: SAME(c,o) -> ans = ok;
		assert(applied[c] == o);                 /* told success of what was applied */
#ifdef REACH_LATE
		assert(st == running || dups == 0);
#endif
#ifdef REACH_REDRIVEN
		assert(redrives == 0 || st != queued);
#endif
#ifdef M_COUNTSAGAIN
		if :: o == failure -> failures++ :: o == snooze -> snoozes++ :: else -> skip fi
#endif
	:: !SAME(c,o) && APPLIES(c) -> ans = ok;
		assert(applied[c] == none);              /* applied once */
		applied[c] = o;
		if :: o == failure -> nf++ :: o == snooze -> ns++ :: else -> skip fi;
		apply(c, o)
	:: else -> ans = lost;
		assert(!(applied[c] == o && ncl == c))   /* lost, though it was applied: only after another claim */
	fi;
	assert(failures == nf && snoozes == ns)          /* counted once */
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
		ncl++; c = ncl; st = running; lc = c; hdead = false;
#ifndef M_LASTKEPT
		pc = 0; pout = none;
#endif
		if :: crashes >= CCAP -> out = burial :: else -> skip fi };
	if
	:: out == burial
	:: out == none -> atomic { starts++;
#ifdef TIGHT
			assert(starts <= STARTS - 1);
#else
			assert(starts <= STARTS);        /* I7 */
#endif
			if :: out = finish :: out = failure :: out = snooze fi }
	:: atomic { out == none && faults < MAXF -> faults++; starts++; assert(starts <= STARTS); if :: MINE(c) -> hdead = true :: else -> skip fi; goto idle }
	fi;
	sent[c] = out;                           /* on its way: from here on it may arrive at any time */
send:
	atomic { settle(c, out) };
	if
	:: goto idle
	:: atomic { faults < MAXF -> faults++;   /* the reply was lost */
#ifdef MIND
		if :: skip :: out == failure -> out = finish; sent[c] = out :: out == finish -> out = failure; sent[c] = out fi;
#endif
		goto send }
	fi
}

proctype Net() {                                 /* a request arrives once more, or before its sender's own */
	byte k = 0;
	mtype ans = ok;
end_n:	do
	:: atomic { dups < DUPS && ncl > 0 -> dups++;
		k = 1;
		do :: k < ncl -> k++ :: break od;
		if
		:: sent[k] != none ->
#ifdef REACH_BEFORE
			assert(applied[k] != none || !MINE(k));
#endif
			settle(k, sent[k])
		:: else -> skip
		fi;
		k = 0; ans = ok }
	od
}

proctype Operator() {
end_o:	do
	:: atomic { st == dead && redrives < MAXRED -> redrives++; st = queued; failures = 0; snoozes = 0; crashes = 0; nf = 0; ns = 0; lc = 0; hdead = false
#ifdef M_REDRIVEFORGETS
		; pc = 0; pout = none
#endif
		}
	od
}

proctype Term() { end_t: timeout -> assert(OVER) }

init {
	atomic {
		byte i = 0;
		do :: i < MAXCL -> sent[i] = none; applied[i] = none; i++ :: else -> break od;
		i = 0;
		do :: i < NW -> run Worker(); i++ :: else -> break od;
		run Net(); run Operator(); run Term()
	}
}
