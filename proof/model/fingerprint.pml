/* Fingerprints: an id with other content is a conflict, which changes nothing; and a job that the engine
   has forgotten, whose effects the ledger still has, hands its result to no other content.

   Two contents, 1 and 2, are asked for under one id, without origin.  The engine forgets an ended
   id at once; the ledger forgets later (swept), and only what the engine does not know.

   Bounds    NW workers; MAXF faults (a crash, a lease replaced while its holder lives); ASKS requests;
             FCAP CCAP caps
   Features  SWEEP (the ledger forgets, too: then a request runs once more)
   Reach     REACH_CONFLICT REACH_OTHER REACH_SECOND: must fail
   Mutants   M_...: one guard removed each                                               */
#ifndef NW
#define NW 2
#endif
#ifndef MAXF
#define MAXF 2
#endif
#ifndef ASKS
#define ASKS 3
#endif
#ifndef FCAP
#define FCAP 2
#endif
#ifndef CCAP
#define CCAP 3
#endif

mtype = { gone, queued, running, done, dead };
mtype = { none, finish, failure, burial };
mtype st = gone;
byte print = 0, lc = 0, failures = 0, crashes = 0;
byte led = 0;                        /* the effect's row: the fingerprint that it was made with; 0: no row */
#ifdef M_KEYPRINT
byte led2 = 0;                       /* the key has the fingerprint in it: a row for each content */
#define LED (mine == 1 -> led : led2)
#else
#define LED led
#endif
/* ---- ghosts ---- */
byte ncl = 0, faults = 0, asks = 0, eff = 0, sweeps = 0;
byte ran = 0;                        /* contents whose effect was made: bits 1 and 2 */
bool hdead = false;

#define MINE(c) (st == running && lc == c)
#ifdef M_LEDGERNOPRINT
#define SAME true                                /* whatever has the key has the result */
#else
#define SAME (LED == mine)
#endif

proctype Producer() {
	byte p = 0;
end_p:	do
	:: atomic { asks < ASKS -> asks++; if :: p = 1 :: p = 2 fi;
		if
		:: st == gone -> st = queued; print = p; failures = 0; crashes = 0; lc = 0; hdead = false      /* accepted */
#ifdef M_ENQUEUENOPRINT
		:: st != gone -> assert(print == p)      /* told "duplicate" */
#else
		:: st != gone && print == p -> skip      /* duplicate */
		:: st != gone && print != p ->           /* conflict: nothing changes */
#ifdef REACH_CONFLICT
			assert(st != running);
#endif
#ifdef M_CONFLICTREPLACES
			print = p;
#endif
			skip
#endif
		fi }
	od
}

proctype Worker() {
	byte c = 0, mine = 0, result = 0;
	mtype out = none;
end_idle:
idle:
	atomic { c = 0; mine = 0; result = 0; out = none };
end_wait:
	atomic { (st == queued || (st == running && (hdead || faults < MAXF))) ->
		if
		:: st == running -> if :: hdead -> skip :: else -> faults++ fi; crashes++
		:: else -> skip
		fi;
		ncl++; c = ncl; st = running; lc = c; hdead = false; mine = print;
		if :: crashes >= CCAP -> out = burial; goto settle :: else -> skip fi };
	if
	:: skip
	:: out = failure; goto settle
	:: atomic { faults < MAXF -> faults++; if :: MINE(c) -> hdead = true :: else -> skip fi; goto idle }
	fi;
	atomic {                                 /* the step: with the held lease, in one transaction */
		if
		:: !MINE(c) -> goto idle
		:: MINE(c) && LED == 0 -> eff++; ran = ran | mine;
			assert(eff <= 1 + sweeps);       /* I1: effects per key; the remote's key is id and step */
#ifdef REACH_SECOND
			assert(sweeps == 0);
#endif
#ifdef M_KEYPRINT
			if :: mine == 1 -> led = mine :: else -> led2 = mine fi;
#else
			led = mine;
#endif
			result = mine; out = finish
		:: MINE(c) && LED != 0 && SAME -> result = LED; out = finish
		:: MINE(c) && LED != 0 && !SAME -> out = failure         /* conflict */
#ifdef REACH_OTHER
			; assert(false)
#endif
		fi };
settle:
	atomic {
		if
		:: !MINE(c) -> skip
		:: MINE(c) && out == finish -> st = done; lc = 0; hdead = false;
			assert(print == mine);           /* a conflict changed nothing */
			assert(result == print);         /* done: with its own result */
			assert(ran & print)              /* ...and its own effect */
		:: MINE(c) && out == burial -> st = dead; lc = 0; hdead = false
		:: MINE(c) && out == failure -> failures++; lc = 0; hdead = false; if :: failures >= FCAP -> st = dead :: else -> st = queued fi
		fi };
	goto idle
}

proctype Keeper() {
end_k:	do
	:: atomic { st == done -> st = gone; print = 0 }     /* pruned */
	:: atomic { st == dead && asks < ASKS -> st = gone; print = 0 }      /* discarded, and pruned */
#ifdef SWEEP
	:: atomic { st == gone && led != 0 && sweeps < 1 -> sweeps++; led = 0 }
#endif
	od
}

proctype Term() { end_t: timeout -> assert(st != queued && st != running) }

init {
	atomic {
		byte i = 0;
		do :: i < NW -> run Worker(); i++ :: else -> break od;
		run Producer(); run Keeper(); run Term()
	}
}
