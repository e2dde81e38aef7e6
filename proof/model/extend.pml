/* Extend: a heartbeat keeps the lease of a handler that runs.  One job, NW workers, each with
   a heart beside its handler; of time there is only how many ticks the lease still has.

   A heart reads what it extends and sends it later, as late as it likes: so every extend may
   come from an old holder.  A live holder extends before each tick, or is late (a fault).

   Bounds    NW workers; MAXF faults (a crash, a holder that is late); TTL ticks; BEATS
             extends an attempt (then its timeout ends it); FCAP CCAP caps
   Reach     REACH_LATE REACH_LOST REACH_CUT: must fail, so what they name happens
   Mutants   M_...: one guard removed each                                               */
#ifndef NW
#define NW 2
#endif
#ifndef MAXF
#define MAXF 2
#endif
#ifndef TTL
#define TTL 2
#endif
#ifndef BEATS
#define BEATS 3
#endif
#ifndef FCAP
#define FCAP 2
#endif
#ifndef CCAP
#define CCAP 2
#endif

mtype = { queued, running, done, dead, cancelled };
mtype st = queued;
byte lc = 0, pc = 0;                 /* the lease's id (its claim, random); the last one that was settled */
byte left = 0;                       /* ticks until it runs out; at 0 it may be replaced, and is held until then */
byte failures = 0, crashes = 0;
/* ---- ghosts ---- */
byte ncl = 0, faults = 0;
byte owner = 0;                      /* whose lease it is: the newest claim's, until the job is settled or cancelled */
bool beaten = false;                 /* the holder has extended since the last tick */
bool hdead = false, hlate = false;   /* the holder died; is late */

typedef Side { byte c; bool runs; bool lost; byte beats };
Side w[NW];                          /* what handler and heart of a worker share */

#define OVER (st == done || st == dead || st == cancelled)
#define MINE(c) (st == running && lc == c)
#ifdef M_EXTENDANY
#define EXTENDS(c) (st == running)                               /* whoever asks */
#elif defined(M_EXTENDREVIVES)
#define EXTENDS(c) (MINE(c) || pc == c)                          /* the last lease will do, whatever became of the job */
#elif defined(M_EXTENDEXPIRED)
#define EXTENDS(c) (MINE(c) && left > 0)                         /* a lease that ran out is lost */
#else
#define EXTENDS(c) MINE(c)
#endif

inline end(to) { pc = lc; st = to; lc = 0; owner = 0; left = 0; hdead = false; hlate = false }

proctype Handler(byte i) {
	bool bury = false;
end_idle:
idle:
	atomic { (st == queued || (st == running && left == 0)) ->
		if
		:: st == running -> assert(hdead || hlate);      /* who extends in time keeps the lease */
			crashes++
		:: else -> skip
		fi;
		ncl++; st = running; lc = ncl; owner = ncl; pc = 0; left = TTL; beaten = true; hdead = false; hlate = false;
		w[i].c = ncl; w[i].lost = false; w[i].beats = 0; w[i].runs = true; bury = (crashes >= CCAP) };
	if
	:: atomic { faults < MAXF && !bury -> faults++; if :: owner == w[i].c -> hdead = true :: else -> skip fi; w[i].runs = false; goto idle }
#ifndef M_LOSTIGNORED
	:: atomic { w[i].lost -> w[i].runs = false; goto idle }          /* told: the attempt ends, and settles nothing */
#endif
	:: atomic { true ->
		if
		:: !MINE(w[i].c) -> skip                                 /* lease lost */
		:: MINE(w[i].c) && bury -> assert(owner == w[i].c); end(dead)
		:: MINE(w[i].c) && !bury -> assert(owner == w[i].c); end(done)
		:: MINE(w[i].c) && !bury -> assert(owner == w[i].c); failures++;
			if :: failures >= FCAP -> end(dead) :: else -> end(queued) fi
		fi;
		w[i].runs = false; goto idle }
	fi
}

proctype Heart(byte i) {
	byte c = 0;
end_beat: do
	:: atomic { w[i].runs && !w[i].lost && w[i].beats < BEATS && !(beaten && owner == w[i].c) -> w[i].beats++; c = w[i].c };
		atomic {                         /* it arrives, maybe long after */
			if
			:: EXTENDS(c) ->
				assert(!OVER);                           /* I5: it revives nothing */
				assert(c == owner);                      /* it lengthens nobody else's lease */
#ifdef REACH_LATE
				assert(left > 0);
#endif
				if :: pc == c && c > 0 -> st = running; lc = c; owner = c :: else -> skip fi;
#ifndef M_EXTENDNOTHING
				left = TTL;
#endif
				beaten = true; hlate = false
			:: else ->
				assert(c != owner);                      /* lost only where it was replaced, or the job settled or cancelled */
#ifdef REACH_LOST
				assert(!(w[i].runs && w[i].c == c));
#endif
#ifdef REACH_CUT
				assert(!(w[i].runs && w[i].c == c && st == cancelled));
#endif
				if :: w[i].runs && w[i].c == c -> w[i].lost = true :: else -> skip fi
			fi;
			c = 0 }
	od
}

proctype Clock() {
end_c:	do
	:: atomic { st == running && left > 0 && (beaten || hdead || hlate) -> left--; beaten = false }
	:: atomic { st == running && left > 0 && !beaten && !hdead && !hlate && faults < MAXF -> faults++; hlate = true }
	od
}

proctype Operator() { end_o: atomic { !OVER -> end(cancelled) } }

/* L1: nothing more can happen, and the job has not ended */
proctype Term() { end_t: timeout -> assert(OVER) }

init {
	atomic {
		byte i = 0;
		do :: i < NW -> run Handler(i); run Heart(i); i++ :: else -> break od;
		run Clock(); run Operator(); run Term()
	}
}
