/* Suspects: jobs that kill their process, among innocents.  The claim that counts the crash before
   the cap marks the job lone; a lone job runs with nothing beside it.  Innocents are not buried.

   NJ jobs, the first KILLERS of them kill.  A worker is a process: it claims up to two jobs in
   company, or one lone job, and where it dies all that it holds is lost.

   Bounds    NJ jobs; KILLERS; NW workers; CCAP; MAXF other deaths (a host is lost)
   Features  INSIDE (a worker that starts no process of its own runs a suspect beside others)
             ANYWHERE (a killer may be buried without a try alone)
   Reach     REACH_LONEINNOCENT REACH_TOGETHER: must fail
   Mutants   M_...: one guard removed each                                               */
#ifndef NJ
#define NJ 3
#endif
#ifndef KILLERS
#define KILLERS 1
#endif
#ifndef NW
#define NW 2
#endif
#ifndef CCAP
#define CCAP 3
#endif
#ifndef MAXF
#define MAXF 0
#endif

mtype = { queued, running, done, dead };
typedef Row { mtype st; byte lc; byte crashes; bool lone; bool out; bool hdead; bool alone };
Row r[NJ];                           /* out: its lease ran out. ghosts: hdead: the holder died; alone: it is, or was last, run alone */
byte ncl = 0, faults = 0;

#define KILLS(j) ((j) < KILLERS)
#define MINE(j,c) (r[j].st == running && r[j].lc == c)
#define DUE(j) (r[j].st == queued || (r[j].st == running && r[j].out))
#ifdef M_LONEHELD
#define RUNS(j) (r[j].st == running && r[j].lone)                /* also where that lease ran out */
#else
#define RUNS(j) (r[j].st == running && r[j].lone && !r[j].out)
#endif
#if NJ > 2
#define ANY(p) (p(0) || p(1) || p(2))
#else
#define ANY(p) (p(0) || p(1))
#endif
#define LONEBUSY ANY(RUNS)
#define FORCOMPANY(j) (COMPANY(j) && DUE(j))
#define TWO (has == 3 || has == 5 || has == 6)
#define ALONE(j) (r[j].lone && DUE(j))
#define ANYDUE ANY(FORCOMPANY)
#define LONEDUE ANY(ALONE)
#ifdef M_LONEMANY
#define LONEFREE true
#else
#define LONEFREE (!LONEBUSY)
#endif
#ifdef M_MARKLATE
#define MARKAT CCAP
#else
#define MARKAT (CCAP-1)
#endif
#ifdef M_LONETOALL
#define COMPANY(j) true
#else
#define COMPANY(j) (!r[j].lone)
#endif

/* One job of a claim; solo: a lone claim. */
inline take(j, solo) {
	crashed = (r[j].st == running);
	if :: crashed -> r[j].crashes++ :: else -> skip fi;
	r[j].out = false; r[j].hdead = false;
	if
#ifndef M_NOLONE
	:: crashed && !solo && CCAP > 1 && r[j].crashes == MARKAT -> r[j].lone = true; r[j].st = queued; r[j].lc = 0
#endif
	:: else -> r[j].st = running; r[j].lc = c; has = has | (1 << j)
	fi
}

proctype Worker() {
	byte c = 0, has = 0, j = 0;
	bool crashed = false, solo = false;
end_idle:
idle:
	atomic { c = 0; has = 0; j = 0; solo = false; crashed = false };
end_wait:
	if
	:: atomic { ANYDUE -> ncl++; c = ncl;
		do                               /* up to two of those that are due */
		:: !TWO && FORCOMPANY(0) -> take(0, false)
		:: !TWO && FORCOMPANY(1) -> take(1, false)
#if NJ > 2
		:: !TWO && FORCOMPANY(2) -> take(2, false)
#endif
		:: has != 0 -> break
		:: has == 0 && !(ANYDUE) -> break
		od;
		crashed = false;
		if :: has == 0 -> c = 0; goto idle :: else -> skip fi }
	:: atomic { LONEFREE && LONEDUE -> ncl++; c = ncl; solo = true;
		if
		:: ALONE(0) -> j = 0
		:: ALONE(1) -> j = 1
#if NJ > 2
		:: ALONE(2) -> j = 2
#endif
		fi;
		take(j, true);
#ifdef M_LONEBATCH
		j++;
		do :: j < NJ && r[j].lone && DUE(j) -> take(j, true); break :: j < NJ -> j++ :: j == NJ -> break od;
#endif
		j = 0; crashed = false }
	fi;
begin:
	atomic {                                 /* at its cap a job is not run, but buried */
		j = 0;
		do
		:: j < NJ && (has & (1 << j)) != 0 && r[j].crashes >= CCAP ->
			assert(MINE(j,c));
			assert(KILLS(j));                /* an innocent is never buried */
#ifndef ANYWHERE
			assert(r[j].alone || CCAP == 1); /* buried after a try alone */
#endif
			assert(r[j].crashes == CCAP);    /* exactly at its cap */
			r[j].st = dead; r[j].lc = 0; has = has & ~(1 << j); j++
		:: j < NJ && (has & (1 << j)) != 0 && r[j].crashes < CCAP -> r[j].alone = solo;
#ifdef REACH_LONEINNOCENT
			assert(KILLS(j) || !solo);
#endif
			j++
		:: j < NJ && (has & (1 << j)) == 0 -> j++
		:: j == NJ -> break
		od;
#ifdef REACH_TOGETHER
		assert(!((has & 1) != 0 && (has & 6) != 0));
#endif
		j = 0 };
	do
	:: has == 0 -> goto idle
	:: atomic { has != 0 ->                  /* one of its handlers comes to its end */
		if
		:: (has & 1) != 0 -> j = 0
		:: (has & 2) != 0 -> j = 1
		:: (has & 4) != 0 -> j = 2
		fi;
		if
		:: (has & (1 << j)) != 0 && !KILLS(j) ->
			if :: MINE(j,c) -> r[j].st = done; r[j].lc = 0 :: else -> skip fi;
			has = has & ~(1 << j)
		:: (has & (1 << j)) != 0 && KILLS(j) -> goto die
		fi;
		j = 0 }
	:: atomic { has != 0 && faults < MAXF -> faults++; goto die }
#ifdef INSIDE
	:: atomic { has != 0 && LONEFREE && !solo && (ALONE(NJ-1) || ALONE(0)) ->
		if :: ALONE(NJ-1) -> j = NJ-1 :: ALONE(0) -> j = 0 fi;
		if
		:: r[j].st == queued -> r[j].st = running; r[j].lc = c; has = has | (1 << j); goto begin
		:: else -> take(j, true); goto begin
		fi }
#endif
	od;
die:
	atomic {
		j = 0;
		do
		:: j < NJ -> if :: MINE(j,c) && (has & (1 << j)) != 0 -> r[j].hdead = true :: else -> skip fi; j++
		:: j == NJ -> break
		od;
		goto idle }
}

proctype Clock(byte j) {                         /* a lease of somebody who died runs out */
end_c:	do :: atomic { r[j].st == running && r[j].hdead && !r[j].out -> r[j].out = true } od
}

#define ENDED(j) (KILLS(j) -> r[j].st == dead : r[j].st == done)
#if NJ > 2
#define ALL (ENDED(0) && ENDED(1) && ENDED(2))
#else
#define ALL (ENDED(0) && ENDED(1))
#endif
proctype Term() { end_t: timeout -> assert(ALL) }

init {
	atomic {
		byte i = 0;
		do :: i < NJ -> r[i].st = queued; run Clock(i); i++ :: else -> break od;
		i = 0;
		do :: i < NW -> run Worker(); i++ :: else -> break od;
		run Term()
	}
}
