/* The protocol for one job id: two steps a handler, workers that crash or freeze
   anywhere, leases that run out at any moment, replies that get lost, an operator,
   a reaper, and a remote system.  check.sh runs every configuration and mutant.

   Bounds    NW workers; MAXF faults (a crash, a lease replaced while its holder lives,
             a lost reply, a request delivered twice); FCAP CCAP ICAP SCAP caps of
             failures, crashes, interruptions, snoozes (0: that counter is not used);
             MAXRED redrives; MAXCAN cancels; MAXDIS discards; TMAX last instant, H horizon
   Fence     FENCE_A  jobs, ledger and data in one database: the effect needs the held lease
             FENCE_B  ledger beside the data, engine elsewhere: unique key, seal, mark
   Features  CANCEL  REDRIVE  REPEAT (lost replies of claim and settle)  NETDUP (an old claim
             request arrives again)  TIME (clock, mark, reaper)  LATE_ORIGIN  LATE_NOORIGIN
             LATE_NEWER (a second request for the same id with its own, later origin)
             TIGHT (I7 less one)  RUNAT=n (scheduled for n)  LONE  PRUNE (the engine forgets ended ids before the ledger does)
             EXT=1 remote honours keys  =2 can be asked, no keys  =3 neither
             RESEND (declared by the effect)  RESOLVE (a person answers a doubt)
             KEYZOMBIE (a call may reach the remote after it forgot the key)
             STRICTNO (a person's "not happened" is held to be for ever)
   As the text stood (each breaks something):
             AW_SEALCRASHONLY  AW_CANCELNOTOKEN  AW_CRASHEQ  AW_LEASEFROMCLAIM  AW_NOMARKINEFFECT
             AW_FRESHNOCLAIM  AW_DUPNOFRESH  AW_TOKRESTART  AW_REAPBYID  AW_REPLAYNOFRESH
             AW_TOKSAME  AW_SEALNOTIME  AW_SETTLEBACK  AW_ASKNO  AW_PENDINGHIDDEN
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
#define CCAP 2
#endif
#ifndef ICAP
#define ICAP 0
#endif
#ifndef SCAP
#define SCAP 0
#endif
#ifndef MAXRED
#define MAXRED 1
#endif
#ifndef MAXCAN
#define MAXCAN 1
#endif
#ifndef MAXDIS
#define MAXDIS 1
#endif
#ifndef TMAX
#define TMAX 2
#endif
#ifndef H
#define H 1
#endif
#ifndef RUNAT
#define RUNAT 0
#endif
#ifndef EXT
#define EXT 0
#endif

mtype = { gone, queued, running, done, dead, cancelled };   /* gone: no row */
mtype = { nothing, pending, confirmed, unknown, denied };   /* the intent; denied: a person said that it did not happen */
mtype = { failure, interruption, snooze, finish, burial, doubt, back };

/* ---- the job's row ---- */
mtype st = queued;
byte tok = 0;                        /* rises for ever, also over redrive and reap */
byte lc = 0, lt = 0;                 /* lease_id = f(claim_id, token); 0: none      */
byte pc = 0, pt = 0; mtype pout = finish;   /* last lease_id with its outcome, until the next claim */
byte failures = 0, crashes = 0, interruptions = 0, snoozes = 0, redrives = 0;
bool lone = false, indoubt = false;
byte fresh = RUNAT;
/* ---- beside the data ---- */
byte led = 0;                        /* bit 1: step 1, bit 2: step 2 */
byte ltok = 0, lfresh = 0;           /* highest token and freshness among the ledger rows */
byte seal = 0, sealat = 0;            /* tokens up to it are barred; when it was set */
mtype intent = nothing;
/* ---- engine and remote ---- */
byte now = 0, mark = 0;              /* instants are 1 + time: mark 0 refuses nothing */
bool rkey = false, keyold = false;   /* the remote knows the key; its life is over */
byte flying = 0;                     /* calls decided upon and not yet made */
/* ---- ghosts: only assertions read them ---- */
byte ncl = 0, faults = 0, starts = 0, budgets = 1, reruns = 0, hightok = 0;
byte eff1 = 0, eff2 = 0, remote = 0;
bool hdead = false;                  /* the holder of the lease died */
bool orphan = false;                 /* ...or lives and was never told (no process was lost) */
bool lastlone = false, holdlone = false, saidno = false;
byte onjob = 0;                      /* the list on the job when it last ended */
#if EXT > 0
/* ---- withdrawal: beside the intent ---- */
byte alone = 0;                      /* the token of the try that wrote the pending intent, until any other sees it */
byte etok = 0;                       /* M_WDMAXTOKEN: the highest token that saw it */
bool wasno = false;                  /* a person denied it before: withdrawn, it is denied again */
#ifdef M_WDNOCHECK
#define UNSEEN (intent == pending)
#elif defined(M_WDMINEONLY)
#define UNSEEN (intent == pending && mine)
#elif defined(M_WDMAXTOKEN)
#define UNSEEN (intent == pending && mine && etok == t)
#elif defined(M_WDLATERONLY)
#define UNSEEN (intent == pending && mine && etok <= t)
#else
#define UNSEEN (intent == pending && mine && alone == t)
#endif
#ifdef M_WDFORGETSNO
#define BEFORE nothing
#else
#define BEFORE (wasno -> denied : nothing)
#endif
#ifdef M_WDUNGUARDED
#define WDALLOWED true
#else
#define WDALLOWED ALLOWED
#endif
#endif
byte ncan = 0, ndis = 0, ndup = 0, nnet = 0;

#ifdef AW_LEASEFROMCLAIM
#define MINE(c,t) (st == running && lc == c)
#else
#define MINE(c,t) (st == running && lc == c && lt == t)
#endif
#define MAX(a,b) ((a) > (b) -> (a) : (b))

#if defined(TIME) && !defined(AW_NOMARKINEFFECT)
#ifdef M_MARKCREATED
#define ABOVEMARK (1 > mark)                     /* created_at, whatever happened since */
#else
#define ABOVEMARK (f > mark)
#endif
#else
#define ABOVEMARK true
#endif
#ifdef FENCE_A
#ifdef M_NOHOLD
#define ALLOWED true
#else
#define ALLOWED MINE(c,t)
#endif
#else
#define ALLOWED (t > seal && ABOVEMARK)
#endif

#define TAKEABLE ((st == queued && now >= RUNAT) || (st == running && (hdead || orphan || faults < MAXF)))

/* I7, exact: every way back but the last, and one last start */
#define WAYS ((FCAP > 0 -> FCAP-1 : 0) + (ICAP > 0 -> ICAP-1 : 0) + (SCAP > 0 -> SCAP-1 : 0) + CCAP-1)
#ifdef TIGHT
#define STARTS ((WAYS + 1) * budgets - 1)      /* one less: must fail, so the bound is reached */
#else
#define STARTS ((WAYS + 1) * budgets)
#endif

inline cleartheLease() { lc = 0; lt = 0; hdead = false; orphan = false }

/* claim(c): the caller has checked that it is TAKEABLE. Sets got. */
inline grant(byitself) {
	if
	:: st == running ->                      /* the lease before it ran out, and is replaced */
		if :: hdead || orphan -> skip :: else -> faults++ fi;
		lastlone = holdlone;
#ifndef M_CRASHATFAIL
		assert(!orphan);                 /* a crash is counted for a process that was lost or late, no other */
		crashes++;
#endif
	:: else -> skip
	fi;
	tok++; pc = 0; pt = 0;
	assert(tok > hightok); hightok = tok;    /* I6 */
#ifndef AW_FRESHNOCLAIM
	fresh = MAX(fresh, now+1);
#endif
	if
#if defined(LONE) && !defined(AW_SETTLEBACK)
	::  crashes == CCAP-1 && !byitself && CCAP > 1 -> lone = true; st = queued; cleartheLease(); got = false
#endif
	:: else ->
		assert(st != done && st != dead && st != cancelled);    /* I5 */
		st = running; lc = c; lt = tok; hdead = false; orphan = false; holdlone = byitself; got = true
	fi
}

/* the list on the job, for I4: steps recorded, and bit 4 for an intent that nobody confirmed */
#ifdef AW_PENDINGHIDDEN
#define LISTING led
#else
#define LISTING (led | ((intent == pending || intent == unknown || intent == denied) -> 4 : 0))
#endif
#define I4(l) ((l & 3) == led && (remote == 0 || EXT == 0 || (l & 6) != 0))

#define ENDED (st == dead || st == cancelled)

inline die() {
#ifndef FENCE_B
	list = LISTING;
#endif
	assert(I4(list)); onjob = list; st = dead
}
inline apply() {                                 /* a settlement that is accepted */
	assert(st == running);                   /* I5 */
	assert(t == lt && t == tok);             /* fenced: the newest claim, no other */
	if
	:: out == finish -> assert(led == 3); st = done                          /* I3 */
	:: out == burial -> die()
	:: out == doubt -> indoubt = true; if :: intent == pending -> intent = unknown :: else -> skip fi;
		list = list | 4; die()
	:: out == back -> lone = true; st = queued
	:: out == failure -> failures++;
#ifdef M_CRASHATFAIL
		crashes++;
#endif
#ifdef M_CAPOFF
		if :: failures > FCAP -> die() :: else -> st = queued fi
#else
		if :: failures >= FCAP -> die() :: else -> st = queued fi
#endif
	:: out == interruption -> interruptions++; if :: interruptions >= ICAP -> die() :: else -> st = queued fi
	:: out == snooze -> snoozes++; if :: snoozes >= SCAP -> die() :: else -> st = queued fi
	fi;
	pc = c; pt = t; pout = out; cleartheLease()
}
#ifdef AW_SEALCRASHONLY
#define ENDS (out == burial || out == doubt)
#else
#define ENDS (out == burial || out == doubt || (out == failure && failures+1 >= FCAP) || (out == interruption && interruptions+1 >= ICAP) || (out == snooze && snoozes+1 >= SCAP))
#endif

#ifdef TIME
#define SEAL(x) seal = MAX(seal, x); sealat = now+1
#else
#define SEAL(x) seal = MAX(seal, x)
#endif
inline crash() {
	atomic { faults < MAXF -> faults++;
		if :: st == running && lt == t -> hdead = true :: else -> skip fi;
		goto idle }
}
#define RECORD(b) led = led | b; ltok = MAX(ltok,t); lfresh = MAX(lfresh,f)
#ifdef AW_REPLAYNOFRESH
#define REPLAY skip
#else
#define REPLAY lfresh = MAX(lfresh,f); ltok = MAX(ltok,t)   /* a repeat keeps the row alive */
#endif
/* the mark may pass a held lease only if its holder froze for a whole horizon */
#define frozen (now + 1 >= at + H)

#if defined(M_SPLITTX)
inline step(b, e) {
	atomic { if :: (led & b) != 0 -> n = 0
	            :: else -> if :: ALLOWED -> e++; assert(e <= 1 + reruns); n = b
	                          :: else -> out = failure; goto settle fi fi };
	if :: crash() :: skip fi;
	atomic { led = led | n; ltok = MAX(ltok,t); lfresh = MAX(lfresh,f) }
}
#elif defined(M_SEALRACE)                        /* the seal is read before, not in, the transaction */
inline step(b, e) {
	if :: atomic { !ALLOWED && (led & b) == 0 -> out = failure; goto settle } :: atomic { ALLOWED || (led & b) != 0 -> skip } fi;
	atomic { if :: (led & b) != 0 -> skip
	            :: else -> e++; RECORD(b); assert(e <= 1 + reruns); assert(!ENDED) fi }
}
#else
inline step(b, e) {                              /* one transaction: the row and the change */
	atomic {
		if
		:: (led & b) != 0 -> if :: ALLOWED -> REPLAY :: else -> skip fi      /* the recorded result */
		:: else ->
			if
			:: ALLOWED ->
				e++; RECORD(b);
				assert(e <= 1 + reruns);                      /* I1 */
				assert(!ENDED)                                /* I4, afterwards */
			:: else ->
#ifdef TIME
				assert(!(t == lt && st == running && t > seal && !frozen));  /* alive but old: never refused */
#endif
				out = failure; goto settle
			fi
		fi }
}
#endif

#ifdef STRICTNO
#define SAIDNO false
#else
#define SAIDNO saidno                            /* a person's "no" is about the past; a frozen call is not there yet */
#endif
#ifdef AW_CRASHEQ
#define ATCAP (crashes == CCAP)
#else
#define ATCAP (crashes >= CCAP)
#endif

proctype Worker() {
	byte c = 0, t = 0, f = 0, list = 0, n = 0, at = 0;
	mtype out = finish;
	bool got = false, solo = false, bury = false, mine = false, none = false;
end_idle:
idle:
	atomic { c = 0; t = 0; f = 0; at = 0; list = 0; n = 0; out = finish; got = false; bury = false; solo = false; mine = false; none = false };
end_wait:
	atomic { (TAKEABLE) ->
#ifdef LONE
		if :: !lone -> solo = false :: solo = true fi;
#endif
		ncl++; c = ncl; grant(solo);
		t = tok; f = fresh; at = now+1; bury = ATCAP;
		if :: !got -> goto idle :: else -> skip fi };
#ifdef REPEAT
	if                                       /* the reply was lost: the same claim_id again */
	:: skip
	:: atomic { faults < MAXF -> faults++ };
		atomic {
#ifdef M_CLAIMREPEAT
			if :: MINE(c,t) -> orphan = true :: else -> skip fi; goto idle
#else
			if
			:: MINE(c,t) -> skip
			:: else -> goto idle      /* replaced or ended meanwhile: nothing (NETDUP has the grant anew) */
			fi
#endif
		}
	fi;
#endif
	if
	:: bury -> out = burial; goto settle
	:: else -> skip
	fi;
#if defined(LONE) && defined(AW_SETTLEBACK)
	if :: crashes == CCAP-1 && !solo && CCAP > 1 -> if :: crash() :: skip fi; out = back; goto settle :: else -> skip fi;
#endif
	atomic { starts++; assert(starts <= STARTS);                             /* I7 */
#ifdef M_STEP1DONE
		if :: (led & 1) != 0 -> out = finish; goto settle :: else -> skip fi
#endif
	};
	if :: step(1, eff1) :: goto again :: crash() fi;
#if EXT == 0
	if :: step(2, eff2) :: goto again :: crash() fi;
#else
	if :: skip :: goto again :: crash() fi;
	atomic {                                 /* the intent, in a ledger transaction */
		if
		:: intent == confirmed -> goto said
		:: else ->
			if
			:: !ALLOWED -> out = failure; goto settle
			:: else ->
				if
#if EXT == 2
				:: intent == denied ->   /* asked first: whoever was frozen when it was denied may have called since */
					wasno = true; intent = pending; alone = t; etok = t; mine = true; flying++; goto ask
				:: intent == nothing -> intent = pending; wasno = false; alone = t; etok = t; mine = true; flying++
#else
				:: intent == nothing || intent == denied -> wasno = (intent == denied); intent = pending;
					alone = t; etok = t; mine = true; flying++
#endif
				:: else ->
#ifndef M_NOTSEEN
					alone = 0; etok = MAX(etok, t);
#endif           /* pending, or unknown: somebody may have sent it, or be about to */
#if EXT == 1
#ifdef M_PASTLIFE
					flying++
#else
					if :: !keyold -> flying++ :: else -> out = doubt; goto settle fi
#endif
#elif EXT == 2
					goto ask
#else
#ifdef RESEND
					flying++
#else
					out = doubt; goto settle
#endif
#endif
				fi
			fi
		fi };
call:
	if
	:: atomic { flying--;
#if EXT == 1
			if :: rkey -> skip :: else -> rkey = true; remote++ fi;
#else
			remote++;
#endif
#ifndef RESEND
			assert(remote <= 1 || SAIDNO)                            /* I2 */
#endif
			assert(!ENDED || (onjob & 6) != 0)                       /* I4, afterwards */
		}
#ifndef NONOTDONE
	:: atomic { flying--; none = true }          /* NotDone: this call did nothing, whatever others did */
#endif
	:: atomic { faults < MAXF -> faults++; flying--; if :: st == running && lt == t -> hdead = true :: else -> skip fi; goto idle }
	fi;
	if :: skip :: goto again :: crash() fi;
#if EXT == 2
notasked:
#endif
	if
	:: none ->
		atomic { if :: WDALLOWED && UNSEEN -> intent = BEFORE; alone = 0 :: else -> skip fi };
		goto again
	:: else -> skip
	fi;
	atomic { if :: ALLOWED -> intent = confirmed; RECORD(2) :: else -> out = failure; goto settle fi };
	goto said;
#if EXT == 2
ask:
	atomic {
		if
		:: remote > 0 -> if :: mine -> flying-- :: else -> skip fi;
			if :: ALLOWED -> intent = confirmed; RECORD(2) :: else -> out = failure; goto settle fi
		:: remote == 0 && mine -> goto call
		:: mine -> flying--; none = true; goto notasked      /* the question failed: never called */
#ifdef AW_ASKNO
		:: remote == 0 && !mine -> flying++; goto call   /* "no" taken as proof */
#else
		:: remote == 0 && !mine -> out = doubt; goto settle /* "no" now does not say that nobody is about to call */
#endif
		fi };
#endif
said:
#endif
	if :: out = finish; goto settle :: goto again :: crash() fi;
again:
	if
	:: out = failure
#if ICAP > 0
	:: out = interruption
#endif
#if SCAP > 0
	:: out = snooze
#endif
	fi;
settle:
#ifdef FENCE_B
#ifndef M_NOSEALBURY
	if
	:: ENDS -> atomic { SEAL(t); list = LISTING };
		if :: crash() :: skip fi
	:: else -> atomic { list = LISTING }
	fi;
#else
	atomic { list = LISTING };
#endif
#endif
	atomic {
		if
#ifdef M_SETTLENOLEASE
		:: st == running ->
#elif defined(M_SETTLEANY)
		:: st != gone ->
#else
		:: MINE(c,t) ->
#endif
#ifdef LONE
			assert(out != burial || lastlone); /* buried only after a try made alone */
#endif
			apply(); got = true
		:: else -> got = false           /* lease lost */
		fi };
#ifdef REPEAT
	if
	:: skip
	:: atomic { got && faults < MAXF -> faults++ };
		atomic {                         /* the reply was lost: the same settlement again */
			if
#ifndef M_REPEATLOST
			:: pc == c && pt == t && pout == out -> skip          /* no-op, success */
#endif
			:: else -> assert(tok != t || st == gone)     /* "lost" only if another claim came since */
			fi }
	fi;
#endif
	goto idle
}

#if defined(M_DOUBTREDRIVEN) || defined(M_DOUBTCLEARED)
#define NODOUBT true
#else
#define NODOUBT !indoubt
#endif
#ifdef KEYZOMBIE
#define LANDED true
#else
#define LANDED (flying == 0)                     /* assumed: no call arrives after the key was forgotten */
#endif

proctype Operator() {
	byte s = 0, list = 0;
end_op:	do
	:: false -> skip
#ifdef CANCEL
	:: atomic { ncan < MAXCAN && (st == queued || st == running) -> ncan++; s = tok };
		do
		:: 
#if defined(FENCE_B) && !defined(M_NOSEALCANCEL)
			atomic { SEAL(s); list = LISTING };
			if :: break :: skip fi;          /* the operator's process may die here */
#endif
			atomic {
				if
#ifdef AW_CANCELNOTOKEN
				:: (st == queued || st == running) ->
#else
				:: (st == queued || st == running) && tok == s ->
#endif
#if !defined(FENCE_B) || defined(M_NOSEALCANCEL)
					list = LISTING;
#endif
					assert(I4(list)); onjob = list; st = cancelled; cleartheLease(); break
				:: (st == queued || st == running) && tok != s -> s = tok        /* claimed meanwhile: seal again */
				:: else -> break
				fi }
		od; s = 0; list = 0
#endif
#ifdef REDRIVE
	:: atomic { st == dead && redrives < MAXRED && NODOUBT -> redrives++; budgets++; failures = 0; crashes = 0; interruptions = 0; snoozes = 0;
		lone = false; st = queued; cleartheLease();
#ifdef M_DOUBTREDRIVEN
		indoubt = false;
#endif
#ifdef M_DOUBTCLEARED
		if :: indoubt || intent == unknown -> intent = nothing; indoubt = false :: else -> skip fi;
#endif
#ifndef M_REDRIVENOFRESH
		fresh = MAX(fresh, now+1);
#endif
#ifdef M_REDRIVETOK
		tok = 0;
#endif
#ifdef M_REDRIVELEDGER
		led = 0;
#endif
#ifdef M_REDRIVENORESET
		crashes = CCAP; failures = FCAP;
#endif
		}
#endif
#ifdef DISCARD
	:: atomic { st == dead && ndis < MAXDIS -> ndis++; st = cancelled; indoubt = false }
#endif
#ifdef RESOLVE
	:: atomic { st == dead && indoubt && redrives < MAXRED ->
		if
		:: remote > 0 -> intent = confirmed; led = led | 2; ltok = MAX(ltok, tok)
		:: remote == 0 -> intent = denied; keyold = false; saidno = true    /* true when it was said */
		fi;
		indoubt = false; redrives++; budgets++; failures = 0; crashes = 0; interruptions = 0; snoozes = 0;
		lone = false; fresh = MAX(fresh, now+1); st = queued; cleartheLease() }
#endif
	od
}

#ifdef NETDUP
proctype Net() {                                 /* an old claim request arrives once more; nobody waits for its answer */
	byte c = 0; bool got = false;
end_net:
	atomic { nnet == 0 && ncl > 0 && TAKEABLE && faults < MAXF ->
		nnet++; faults++;
		if :: c = 1 :: ncl > 1 -> c = ncl fi;
		if
		:: lc == c && st == running -> skip      /* the same lease again: nothing changes */
		:: else -> grant(false); hdead = true
		fi }
}
#endif

#if EXT == 1
proctype Remote() {
end_r:	atomic { intent == pending -> keyold = true };                  /* first_sent_at + KeyLife has passed */
end_s:	atomic { rkey && LANDED -> rkey = false }
}
#endif

#ifdef TIME
proctype Clock() { end_c: do :: atomic { now < TMAX -> now++ } od }

inline accept(o) {                               /* no row with this id */
#if defined(AW_TOKRESTART)
	tok = 0; hightok = 0;
#elif !defined(AW_TOKSAME)
	tok++; hightok = tok;                    /* a new row starts above every token before it */
#endif
	st = queued; fresh = MAX(o, now < RUNAT -> RUNAT+1 : 0);
	failures = 0; crashes = 0; interruptions = 0; snoozes = 0; indoubt = false; budgets++;
	pc = 0; pt = 0; cleartheLease()
}
proctype Producer() {
	byte o = 0;
end_p:	do
	:: false -> skip
#ifdef LATE_ORIGIN
	:: atomic { ndup < 2 && st == gone -> ndup++;
		if
#ifdef M_NOMARKENQ
		:: true -> accept(1)
#else
		:: 1 > mark -> accept(1)
		:: else -> skip                  /* refused, and said so */
#endif
		fi }
#endif
#ifdef LATE_NOORIGIN
	:: atomic { ndup < 1 && st == gone -> ndup++;
#ifdef ALLOWRERUN
		reruns++;
#endif
		accept(now+1) }
#endif
#ifdef LATE_NEWER                                /* first told "duplicate", then tried again with the same origin */
	:: atomic { ndup == 0 && st != gone -> ndup++; o = now+1;
#ifndef AW_DUPNOFRESH
		fresh = MAX(fresh, o)
#endif
		}
	:: atomic { ndup == 1 && st == gone -> ndup++; if :: o > mark -> accept(o) :: else -> skip fi }
#endif
	od
}

#define OVERHONEST (st == done || st == cancelled)
#ifdef M_REAPDEAD
#define OVER (st == done || st == cancelled || st == dead)
#else
#define OVER OVERHONEST
#endif
#ifdef M_REAPBEFOREMARK
#define REAPABLE (OVER && now + 1 >= fresh + H)
#elif defined(M_REAPCREATED)
#define REAPABLE (OVER && 1 <= mark)
#else
#define REAPABLE (OVER && fresh <= mark)
#endif
#ifdef AW_SEALNOTIME
#define SWEEPABLE (lfresh <= mark)
#else
#define SWEEPABLE (lfresh <= mark && sealat <= mark)   /* the seal outlives whoever it bars */
#endif
inline dropLedger() {
	assert(led == 0 || lfresh <= mark);      /* I10 */
	led = 0; lfresh = 0; ltok = 0; seal = 0; sealat = 0;
	intent = nothing
}
proctype Reaper() {                              /* the mark moves for other jobs of the queue, too */
	byte rt = 0;
end_m:	do
	:: atomic { mark + H < now + 1 -> mark++ }
#ifdef FENCE_A
	:: atomic { REAPABLE -> assert(OVERHONEST); st = gone; cleartheLease(); dropLedger() }
#elif defined(M_LEDGERFIRST)
	:: atomic { REAPABLE -> rt = tok; dropLedger() };
		atomic { if :: OVER && tok == rt -> st = gone; cleartheLease() :: else -> skip fi }; rt = 0
#else
	/* two stores: the row first, in the write that compares its freshness; what is in the
	   ledger then goes by its own freshness, and no higher than that row's token */
	:: atomic { REAPABLE ->
			assert(OVERHONEST);              /* a dead letter never leaves by itself */
			rt = tok; st = gone; cleartheLease() };
		atomic {
#ifdef AW_REAPBYID
			dropLedger()
#else
			if :: SWEEPABLE && ltok <= rt -> dropLedger() :: else -> skip fi
#endif
			};
		rt = 0
#endif
#ifdef M_REAPDEADLEDGER
	:: atomic { st == dead && fresh <= mark -> dropLedger() }
#endif
#ifdef PRUNE
	:: atomic { OVER && now + 1 > fresh -> st = gone; cleartheLease() }
	:: atomic { st == gone && (led != 0 || seal != 0) && SWEEPABLE -> rt = MAX(ltok, seal) };
		atomic { if :: SWEEPABLE && ltok <= rt -> dropLedger() :: else -> skip fi }; rt = 0
#endif
	od
}
#endif

/* L1: nothing more can happen, and the job has not ended */
proctype Term() { end_t: timeout -> assert(st != queued && st != running) }

init {
	atomic {
#if defined(TIME)
		fresh = RUNAT + 1;
#endif
		byte i = 0;
		do :: i < NW -> run Worker(); i++ :: else -> break od;
		run Operator();
#ifdef NETDUP
		run Net();
#endif
#if EXT == 1
		run Remote();
#endif
#ifdef TIME
		run Clock(); run Producer(); run Reaper();
#endif
		run Term()
	}
}
