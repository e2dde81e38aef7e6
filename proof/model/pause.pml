/* Pause: a paused queue gives no lease; what is leased runs on, extends and settles; after the
   resume every job ends.  NJ jobs of one queue, NW workers whose claims sleep until they are woken.

   Bounds    NJ jobs; NW workers; MAXF faults (a crash, a lease replaced while its holder lives,
             a lost reply); PAUSES pauses; FCAP CCAP caps
   Reach     REACH_EXTEND REACH_SETTLE REACH_EXPIRED REACH_REPEAT: must fail
   Mutants   M_...: one guard removed each                                               */
#ifndef NJ
#define NJ 1
#endif
#ifndef NW
#define NW 2
#endif
#ifndef MAXF
#define MAXF 2
#endif
#ifndef PAUSES
#define PAUSES 2
#endif
#ifndef FCAP
#define FCAP 2
#endif
#ifndef CCAP
#define CCAP 2
#endif

mtype = { queued, running, done, dead };
typedef Row { mtype st; byte lc; byte failures; byte crashes; bool hdead; bool orphan; bool out; byte owner };
Row r[NJ];                           /* ghosts: hdead, orphan: the holder died; lives and was never told. out: the lease ran
                                        out. owner: the newest claim, until its job is settled */
bool paused = false;
bool asleep[NW];                     /* a claim that waits, and was not woken */
byte ncl = 0, faults = 0, pauses = 0;

#define OVER(j) (r[j].st == done || r[j].st == dead)
#define MINE(j,c) (r[j].st == running && r[j].lc == c)
#define DUE(j) (r[j].st == queued || (r[j].st == running && r[j].out))
#ifdef M_CLAIMPAUSED
#define FREE true
#else
#define FREE (!paused)
#endif
#ifdef M_SETTLEPAUSED
#define SETTLES(j,c) (MINE(j,c) && !paused)
#else
#define SETTLES(j,c) MINE(j,c)
#endif
#ifdef M_EXTENDPAUSED
#define EXTENDS(j,c) (MINE(j,c) && !paused)
#else
#define EXTENDS(j,c) MINE(j,c)
#endif

inline wake() { byte k = 0; do :: k < NW -> asleep[k] = false; k++ :: else -> k = 0; break od }

proctype Worker(byte i) {
	byte c = 0, j = 0;
	bool bury = false, beat = false;
end_idle:
idle:
	atomic { c = 0; j = 0; bury = false; beat = false };
look:
	atomic {
		j = 0;
		do :: j < NJ && !(FREE && DUE(j)) -> j++ :: else -> break od;
		if
		:: j == NJ -> j = 0; asleep[i] = true; goto sleep
		:: else -> skip
		fi;
		assert(!paused);                         /* a paused queue gives no lease */
		if
		:: r[j].st == running -> assert(!r[j].orphan);   /* a crash is counted for a process that was lost or late */
			r[j].crashes++
		:: else -> skip
		fi;
		ncl++; c = ncl; r[j].st = running; r[j].lc = c; r[j].owner = c; r[j].hdead = false; r[j].orphan = false; r[j].out = false;
		bury = (r[j].crashes >= CCAP) };
	if                                       /* the reply was lost: the same claim again */
	:: skip
	:: atomic { faults < MAXF -> faults++ };
		atomic {
			if
#ifdef M_REPEATPAUSED
			:: MINE(j,c) && !paused -> skip
			:: MINE(j,c) && paused -> r[j].orphan = true; goto idle
#else
			:: MINE(j,c) ->
#ifdef REACH_REPEAT
				assert(!paused);
#endif
				skip
#endif
			:: else -> goto idle
			fi }
	fi;
	do
	:: atomic { !beat && !bury -> beat = true;
		if
		:: EXTENDS(j,c) -> r[j].out = false;
#ifdef REACH_EXTEND
			assert(!paused)
#endif
		:: else -> assert(r[j].owner != c); goto idle         /* lost only where it was replaced */
		fi }
	:: atomic { true ->
		if
		:: SETTLES(j,c) ->
#ifdef REACH_SETTLE
			assert(!paused);
#endif
			if
			:: bury -> r[j].st = dead
			:: !bury -> r[j].st = done
			:: !bury -> r[j].failures++; if :: r[j].failures >= FCAP -> r[j].st = dead :: else -> r[j].st = queued; wake() fi
			fi;
			r[j].lc = 0; r[j].owner = 0; r[j].hdead = false; r[j].out = false
		:: else -> assert(r[j].owner != c)
		fi;
		goto idle }
	:: atomic { faults < MAXF && !bury -> faults++; if :: MINE(j,c) -> r[j].hdead = true :: else -> skip fi; goto idle }
	od;
end_sleep:
sleep:	atomic { !asleep[i] -> goto look }
}

/* A lease runs out: of one who died, or (a fault) of one who lives. Whoever waits looks again when that time has come. */
proctype Clock() {
	byte j = 0;
end_c:	do
	:: atomic { r[0].st == running && !r[0].out && (r[0].hdead || r[0].orphan || faults < MAXF) ->
		if :: r[0].hdead || r[0].orphan -> skip :: else -> faults++ fi;
		r[0].out = true; wake();
#ifdef REACH_EXPIRED
		assert(!paused)
#endif
		}
#if NJ > 1
	:: atomic { r[1].st == running && !r[1].out && (r[1].hdead || r[1].orphan || faults < MAXF) ->
		if :: r[1].hdead || r[1].orphan -> skip :: else -> faults++ fi;
		r[1].out = true; wake() }
#endif
	od
}

proctype Operator() {
end_o:	do
	:: atomic { !paused && pauses < PAUSES -> pauses++; paused = true;
#ifdef M_PAUSERELEASES
		if :: r[0].st == running -> r[0].st = queued; r[0].lc = 0; r[0].hdead = false; r[0].out = false :: else -> skip fi;
#endif
		}
	:: atomic { paused -> paused = false;
#ifndef M_RESUMESILENT
		wake()
#endif
		}
	od
}

#if NJ > 1
#define ALL (OVER(0) && OVER(1))
#else
#define ALL OVER(0)
#endif
proctype Term() { end_t: timeout -> assert(ALL) }

init {
	atomic {
		byte i = 0;
		do :: i < NJ -> r[i].st = queued; i++ :: else -> break od;
		i = 0;
		do :: i < NW -> run Worker(i); i++ :: else -> break od;
		run Clock(); run Operator(); run Term()
	}
}
