/* An outage of the engine: leases that ran out while the engine itself served no write for a ttl get
   one more, and no crash is counted.  One job, NW workers, a producer of other jobs.

   Time is ticks: how many the lease still has, and how many have passed since the last write
   that was served.  A live holder extends before each tick while the engine is up, or is late
   (a fault).  Whoever asks, asks as rarely as it likes: silence may also mean that nobody asked.

   Bounds    NW workers; MAXF faults (a crash, a holder that is late); MAXOUT outages, each as
             long as it likes; TTL ticks; BEATS extends an attempt; NENQ writes of others
             GRACE ticks of silence after which leases are spared (the protocol: TTL)
   Features  SHORT (an outage shorter than a ttl may cost a living holder its lease)
             TWICE (a second outage before the holder was heard may, too)
   Reach     REACH_SPARED REACH_LIVED REACH_CRASHED: must fail
   Mutants   M_...: one guard removed each                                               */
#ifndef NW
#define NW 2
#endif
#ifndef MAXF
#define MAXF 1
#endif
#ifndef MAXOUT
#define MAXOUT 1
#endif
#ifndef TTL
#define TTL 3
#endif
#ifndef GRACE
#define GRACE TTL
#endif
#ifndef BEATS
#define BEATS 4
#endif
#ifndef NENQ
#define NENQ 2
#endif
#ifndef CCAP
#define CCAP 2
#endif

mtype = { queued, running, done, dead };
mtype st = queued;
byte lc = 0, left = 0, crashes = 0;
byte silent = 0;                     /* ticks since the last write, at most TTL */
bool ranout = false;                 /* the lease ran out since the last write */
bool wasspared = false;              /* this lease was given one more, and its holder was not heard since */
bool spared = false;                 /* M_SPAREENGINE: the last write gave one more ttl: nothing was served since */
bool up = true;
/* ---- ghosts ---- */
byte ncl = 0, faults = 0, outages = 0, enqs = 0;
bool beaten = false, hdead = false, hlate = false;
byte outs = 0;                       /* outages since the holder was last heard */
byte dark = 0;                       /* ticks of the present or last outage */
bool brief = false;                  /* since the holder was last heard, the engine was out for less than a ttl */

#define OVER (st == done || st == dead)
#ifdef SHORT
#define SHORTLY brief
#else
#define SHORTLY false
#endif
#ifdef TWICE
#define TWICEOVER (outs > 1)
#else
#define TWICEOVER false
#endif
#define MINE(c) (st == running && lc == c)
#ifdef M_SPAREAGAIN
#define ONCE true
#elif defined(M_SPAREENGINE)
#define ONCE (!spared)                           /* once, until anything else was served */
#else
#define ONCE (!wasspared)                        /* once, until its holder is heard */
#endif
#ifdef M_GRACEANY
#define MEANWHILE true                           /* also what ran out while the engine served others */
#else
#define MEANWHILE ranout
#endif

/* Every write, before it does what it is for. */
inline served(isclaim) {
	if
#ifndef M_NOGRACE
#ifdef M_CLAIMONLY
	:: isclaim && st == running && left == 0 && silent >= GRACE && ONCE && MEANWHILE ->
#else
	:: st == running && left == 0 && silent >= GRACE && ONCE && MEANWHILE ->
#endif
		assert(ranout);                          /* where others were served meanwhile, it is replaced at once */
		left = TTL; spared = true; wasspared = true;
#ifdef M_GRACECRASH
		crashes++; assert(hdead || hlate);       /* no crash is counted */
#endif
#ifdef REACH_SPARED
		assert(false);
#endif
#endif
	:: else -> spared = false
	fi;
	silent = 0; ranout = false
}

proctype Worker() {
	byte c = 0, beats = 0;
	bool bury = false;
end_idle:
idle:
	atomic { c = 0; beats = 0; bury = false };
end_poll:
	atomic { up && !OVER && (silent > 0 || st == queued || left == 0) ->
		served(true);
		if
		:: st == queued || (st == running && left == 0) ->
			if
			:: st == running ->
				assert(hdead || hlate || SHORTLY || TWICEOVER);  /* a crash is counted for whoever died or was late, not for the engine */
#ifdef REACH_CRASHED
				assert(!(hdead && wasspared));   /* only after that */
#endif
				crashes++
			:: else -> skip
			fi;
			ncl++; c = ncl; st = running; lc = c; left = TTL; beaten = true; hdead = false; hlate = false; wasspared = false; brief = false; outs = 0;
			bury = (crashes >= CCAP)
		:: else -> goto idle
		fi };
	do
	:: atomic { up && !bury && beats < BEATS && !(beaten && lc == c) ->
		beats++; served(false);
		if
		:: MINE(c) -> left = TTL; beaten = true; hlate = false; wasspared = false; brief = false; outs = 0
		:: else -> goto idle
		fi }
	:: atomic { up -> served(false);
		if
		:: MINE(c) -> if :: bury -> st = dead :: else -> st = done fi; lc = 0; left = 0;
#ifdef REACH_LIVED
			assert(!wasspared || hdead || st == dead)
#endif
		:: else -> skip
		fi;
		goto idle }
	:: atomic { faults < MAXF && !bury -> faults++; if :: MINE(c) -> hdead = true :: else -> skip fi; goto idle }
	od
}

proctype Producer() { end_p: do :: atomic { up && !OVER && enqs < NENQ && silent > 0 -> enqs++; served(false) } od }

#define LIVES (st == running && !hdead && !hlate)
proctype Clock() {
end_c:	do
	:: atomic { !OVER && (silent < TTL || (st == running && left > 0)) && (!up || !LIVES || beaten) ->
		if :: silent < TTL -> silent++ :: else -> skip fi;
		if :: st == running && left > 0 -> left--; if :: left == 0 -> ranout = true :: else -> skip fi :: else -> skip fi;
		if :: !up && dark < TTL -> dark++ :: else -> skip fi;
		beaten = false }
	:: atomic { up && LIVES && !beaten && faults < MAXF -> faults++; hlate = true }
	od
}

proctype Outage() {
end_o:	do
	:: atomic { up && !OVER && outages < MAXOUT -> outages++; up = false; outs++; dark = 0 };
		atomic { up = true; beaten = false; if :: dark < TTL -> brief = true :: else -> skip fi }     /* whoever holds a lease has yet to be heard */
	od
}

proctype Term() { end_t: timeout -> assert(OVER) }

init {
	atomic {
		byte i = 0;
		do :: i < NW -> run Worker(); i++ :: else -> break od;
		run Producer(); run Clock(); run Outage(); run Term()
	}
}
