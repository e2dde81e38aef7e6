/* Batches: one claim leases several jobs, one lease each; what becomes of one is nothing to the others.

   Bounds    two jobs; NW workers; MAXF faults (a crash of a worker, a lease replaced while its holder
             lives, a lost reply); FCAP CCAP caps
   Reach     REACH_BOTH REACH_PART REACH_REPEATPART REACH_MIXED: must fail
   Mutants   M_...: one guard removed each                                               */
#ifndef NW
#define NW 2
#endif
#ifndef MAXF
#define MAXF 2
#endif
#ifndef FCAP
#define FCAP 2
#endif
#ifndef CCAP
#define CCAP 3
#endif

mtype = { queued, running, done, dead };
mtype = { finish, failure };
typedef Row { mtype st; byte lc; byte failures; byte crashes; byte owner; byte losses; bool hdead; bool orphan };
Row r[2];                            /* ghosts: owner: the newest claim, until its job is settled; losses: leases lost
                                        with no word; hdead, orphan: the holder died; lives and was never told */
byte ncl = 0, faults = 0;
byte counted = 0;                    /* M_CRASHONCE: the claim whose loss was counted last */

#define OVER(j) (r[j].st == done || r[j].st == dead)
#define MINE(j,c) (r[j].st == running && r[j].lc == c)
#define DUE(j) (r[j].st == queued || (r[j].st == running && (r[j].hdead || r[j].orphan || faults < MAXF)))
#define ON(j) (1 << (j))
#ifdef M_ALLORNOTHING
#define GOES (((ends & 1) == 0 || MINE(0,c)) && ((ends & 2) == 0 || MINE(1,c)))
#else
#define GOES true
#endif

/* One job of a claim. */
inline take(j) {
	if
	:: r[j].st == running ->
		if :: r[j].hdead || r[j].orphan -> skip :: else -> faults++ fi;
		assert(!r[j].orphan);                    /* a crash is counted for a process that was lost or late, no other */
		r[j].losses++;
#ifdef M_CRASHONCE
		if :: counted != r[j].lc -> r[j].crashes++; counted = r[j].lc :: else -> skip fi;
#else
		r[j].crashes++;
#endif
		assert(r[j].crashes == r[j].losses);     /* each job of a worker that died counts its own */
#ifdef M_RELEASECLAIM
		if :: r[1-j].st == running && r[1-j].lc == r[j].lc && r[1-j].lc != c -> r[1-j].st = queued; r[1-j].lc = 0; r[1-j].hdead = false; r[1-j].orphan = false :: else -> skip fi;
#endif
	:: else -> skip
	fi;
	r[j].st = running; r[j].lc = c; r[j].owner = c; r[j].hdead = false; r[j].orphan = false;
	has = has | ON(j)
}
/* One settlement of a batch. */
inline settle(j) {
	if
	:: (ends & ON(j)) == 0 -> skip
	:: (ends & ON(j)) != 0 && goes && MINE(j,c) ->
		if
		:: r[j].crashes >= CCAP -> r[j].st = dead
		:: r[j].crashes < CCAP -> r[j].st = done
		:: r[j].crashes < CCAP -> r[j].failures++; if :: r[j].failures >= FCAP -> r[j].st = dead :: else -> r[j].st = queued fi
		fi;
		r[j].lc = 0; r[j].owner = 0; r[j].hdead = false; r[j].orphan = false
	:: else -> assert(r[j].owner != c)               /* refused only where this very lease was lost */
	fi
}

proctype Worker() {
	byte c = 0, has = 0, gave = 0, ends = 0;
	bool goes = true;
end_idle:
idle:
	atomic { c = 0; has = 0; gave = 0; ends = 0 };
end_wait:
	atomic { DUE(0) || DUE(1) ->
		ncl++; c = ncl;
		if                               /* both, or the one that is due */
		:: DUE(0) -> take(0); if :: DUE(1) -> take(1) :: skip fi
		:: DUE(1) -> take(1)
		fi;
#ifdef REACH_BOTH
		assert(has != 3);
#endif
		gave = has };
	if                                       /* the reply was lost: the same claim again */
	:: skip
	:: atomic { faults < MAXF -> faults++ };
		atomic {
			has = (MINE(0,c) -> 1 : 0) | (MINE(1,c) -> 2 : 0);
#ifdef REACH_REPEATPART
			assert(!(gave == 3 && (has == 1 || has == 2)));
#endif
#ifdef M_REPEATMORE
			if :: has == 1 && r[1].st == queued -> take(1) :: has == 2 && r[0].st == queued -> take(0) :: else -> skip fi;
#endif
#ifdef M_REPEATREMEMBERED
			has = gave;                      /* without a look at the rows */
#endif
#ifdef M_REPEATFIRST
			if :: has == 3 -> has = 1; r[1].orphan = true :: else -> skip fi;
#endif
			assert((has & ~gave) == 0);                      /* the same leases, and no others */
			assert((has & 1) == 0 || r[0].owner == c);       /* ...as far as they are held */
			assert((has & 2) == 0 || r[1].owner == c);
			if :: has == 0 -> goto idle :: else -> skip fi }
	fi;
	do
	:: atomic { has != 0 ->                  /* some of them, or all, in one call */
		if :: (has & 1) != 0 -> ends = 1 :: (has & 2) != 0 -> ends = 2 :: has == 3 -> ends = 3 fi;
#ifdef REACH_PART
		assert(!(has == 3 && ends != 3));
#endif
#ifdef REACH_MIXED
		assert(!(ends == 3 && MINE(0,c) != MINE(1,c)));
#endif
		};
		atomic { goes = GOES; settle(0); settle(1); has = has & ~ends; ends = 0; goes = true }
	:: has == 0 -> goto idle
	:: atomic { has != 0 && faults < MAXF -> faults++;       /* it dies with all that it holds */
		if :: MINE(0,c) && (has & 1) != 0 -> r[0].hdead = true :: else -> skip fi;
		if :: MINE(1,c) && (has & 2) != 0 -> r[1].hdead = true :: else -> skip fi;
		goto idle }
	od
}

proctype Term() { end_t: timeout -> assert(OVER(0) && OVER(1)) }

init {
	atomic {
		r[0].st = queued; r[1].st = queued;
		byte i = 0;
		do :: i < NW -> run Worker(); i++ :: else -> break od;
		run Term()
	}
}
