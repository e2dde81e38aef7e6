/* Failover: an asynchronous standby takes over and lacks the latest writes, so tokens repeat.
   One job, a handler of one step; the standby copies the engine's rows whenever it likes.

   Bounds    NW workers; MAXF faults (a crash, a lease replaced while its holder lives); MAXFO
             failovers; FCAP CCAP caps
   Fence     FENCE_A  jobs, ledger and data in one database, which fails over as one
             FENCE_B  ledger beside the data, in a store that loses nothing
   Features  SYNC (a write is reported once the standby has it; until then its outcome is unknown)
             INSIDE (fence A: the effect's transaction settles, too)
             KEPT (I3: of a job that is done the effect is there)  LISTED (I4)  ENDS (I5)  RISES (I6)
   Reach     REACH_REPEATED REACH_ZOMBIE REACH_BARRED REACH_LOST: must fail
   Mutants   M_...: one guard removed each                                               */
#ifndef NW
#define NW 2
#endif
#ifndef MAXF
#define MAXF 2
#endif
#ifndef MAXFO
#define MAXFO 1
#endif
#ifndef FCAP
#define FCAP 2
#endif
#ifndef CCAP
#define CCAP 3
#endif
#define MAX(a,b) ((a) > (b) -> (a) : (b))

mtype = { queued, running, done, dead };
mtype = { none, finish, failure, burial };
typedef Row { mtype st; byte tok; byte lc; byte lt; byte failures; byte crashes; byte onjob; byte writes
#ifdef FENCE_A
	; byte led; byte eff
#endif
};
Row a, b;                            /* the engine's; the standby's. writes: how many it has */
#ifdef FENCE_A
#define LED a.led
#define EFF a.eff
#else
byte led = 0, eff = 0, seal = 0;
#define LED led
#define EFF eff
#endif
/* ---- ghosts ---- */
byte ncl = 0, faults = 0, failovers = 0;
byte live = 0;                       /* bit c: whoever has claim c is at work with it */
byte begun = 0;                      /* the highest token that a handler was given */
bool ended = false;                  /* somebody was told that the job has ended */

#define OVER (a.st == done || a.st == dead)
#ifdef M_TOKENONLY
#define MINE(c,t) (a.st == running && a.lt == t)
#else
#define MINE(c,t) (a.st == running && a.lc == c && a.lt == t)
#endif
#ifdef FENCE_A
#define ALLOWED MINE(c,t)
#else
#define ALLOWED (t > seal)
#endif
#ifdef M_NOLEDGER
#define RECORDED 0
#else
#define RECORDED LED
#endif
#ifdef LISTED
#define LISTS assert(list == LED)
#else
#define LISTS skip
#endif
#define LIVES ((live & (1 << a.lc)) != 0)

inline copy(x, y) {
	x.st = y.st; x.tok = y.tok; x.lc = y.lc; x.lt = y.lt; x.failures = y.failures; x.crashes = y.crashes; x.onjob = y.onjob; x.writes = y.writes;
#ifdef FENCE_A
	x.led = y.led; x.eff = y.eff;
#endif
}

proctype Worker() {
	byte c = 0, t = 0, list = 0, n = 0, fo = 0;
	mtype out = none;
	bool got = false;                        /* this one's settlement ended the job */
end_idle:
idle:
	atomic { if :: c > 0 -> live = live & ~(1 << c) :: else -> skip fi; c = 0; t = 0; list = 0; n = 0; fo = 0; out = none; got = false };
end_wait:
	atomic { (a.st == queued || (a.st == running && (!LIVES || faults < MAXF))) ->
		if
		:: a.st == running -> if :: LIVES -> faults++ :: else -> skip fi; a.crashes++
		:: else -> skip
		fi;
#ifdef ENDS
		assert(!ended);                          /* I5: who was told "ended" was told the truth */
#endif
		ncl++; c = ncl; a.tok++; t = a.tok; a.st = running; a.lc = c; a.lt = t; a.writes++; n = a.writes; fo = failovers;
#ifdef RISES
		assert(t > begun);                       /* I6: above every token that a handler was given */
#endif
#ifdef REACH_REPEATED
		assert(t != begun);
#endif
		live = live | (1 << c); if :: a.crashes >= CCAP -> out = burial :: else -> skip fi };
#ifdef SYNC
	if :: b.writes >= n && fo == failovers :: fo != failovers -> goto idle fi;      /* unknown whether it was claimed */
#endif
	if :: out == burial -> goto settle :: else -> skip fi;
	begun = MAX(begun, t);
	if
	:: skip
	:: out = failure; goto settle
	:: atomic { faults < MAXF -> faults++; goto idle }
	fi;
	n = 0;
	atomic {                                 /* the effect and its row in the ledger */
		if
#ifdef INSIDE
		:: RECORDED != 0 && !MINE(c,t) -> goto idle      /* the settlement is refused: rolled back */
		:: RECORDED != 0 && MINE(c,t) -> a.st = done; a.lc = 0; a.lt = 0; a.writes++; n = a.writes; fo = failovers; got = true; goto told
#else
		:: RECORDED != 0 -> out = finish
#endif
		:: RECORDED == 0 && ALLOWED -> EFF++; LED = 1; out = finish;
			assert(EFF <= 1);                /* I1 */
#ifdef FENCE_A
			a.writes++; n = a.writes; fo = failovers;
			assert(a.lc == c);               /* fenced: the newest claim, no other */
#ifdef INSIDE
			a.st = done; a.lc = 0; a.lt = 0; got = true; goto told
#endif
#endif
#ifdef REACH_ZOMBIE
			assert(a.st == running && a.lc == c);
#endif
#ifdef LISTED
			assert(a.st != dead || a.onjob != 0)     /* I4, afterwards */
#endif
		:: RECORDED == 0 && !ALLOWED -> out = failure;
#ifdef REACH_BARRED
			assert(!(a.st == running && a.lc == c && a.lt == t))
#endif
		fi };
#ifdef SYNC
	if :: b.writes >= n && (n == 0 || fo == failovers) :: n > 0 && fo != failovers -> out = failure fi;      /* unknown whether it was made */
#endif
settle:
#ifdef FENCE_B
	if
	:: out == burial || (out == failure && a.failures + 1 >= FCAP) -> atomic { seal = MAX(seal, t); list = LED }
	:: else -> skip
	fi;
#endif
	atomic {
		if
		:: !MINE(c,t) -> goto idle               /* lease lost */
		:: MINE(c,t) ->
			assert(a.lc == c && a.lt == t);  /* fenced */
#ifdef FENCE_A
			list = LED;
#endif
			if
			:: out == finish -> a.st = done;
#ifdef KEPT
				assert(LED == 1)         /* I3 */
#endif
			:: out == burial -> LISTS; a.onjob = list; a.st = dead      /* I4 */
			:: out == failure -> a.failures++;
				if :: a.failures >= FCAP -> LISTS; a.onjob = list; a.st = dead :: else -> a.st = queued fi
			fi;
			got = (a.st != queued); a.lc = 0; a.lt = 0; a.writes++; n = a.writes; fo = failovers
		fi };
#ifdef INSIDE
told:
#endif
#ifdef SYNC
	if :: b.writes >= n && fo == failovers :: fo != failovers -> goto idle fi;
#endif
	atomic { if :: fo == failovers && got -> ended = true :: else -> skip fi };
	goto idle
}

proctype Standby() {
end_s:	do
	:: atomic { b.writes != a.writes -> copy(b, a) }
	:: atomic { failovers < MAXFO && b.writes != a.writes -> failovers++;
#ifdef REACH_LOST
		assert(!(a.st == done && b.st != done));
#endif
		copy(a, b) }
	od
}

proctype Term() { end_t: timeout -> assert(OVER) }

init {
	atomic {
		a.st = queued; b.st = queued;
		byte i = 0;
		do :: i < NW -> run Worker(); i++ :: else -> break od;
		run Standby(); run Term()
	}
}
