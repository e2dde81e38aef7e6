#!/usr/bin/env bash
# Runs every configuration and mutant of the models and compares each with what is expected.
#   ./check.sh            all            ./check.sh PATTERN    only the lines whose name matches
#   QUICK=1 ./check.sh    the lines that begin with +: each file, and the mutants that matter most
# ok: explored completely, no error.   fails: an assertion must be violated, or the run proves nothing.
# survives: a removed guard that is expected to break nothing here (README.md says why).
# A line is a name, what is expected, the file (pipeline.pml where none is named) and defines.
#   doc-…    documented: what cannot be had, and must fail
#   …-reach-…  what must be reachable: asserting that it never happens must fail
#   …cycles…   no run goes on for ever
# Needs spin, cc and about 6 GB; JOBS=2 runs are made at a time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
pattern=${1:-.}
began=$SECONDS

L="-DREPEAT -DCANCEL -DREDRIVE -DDISCARD"
A="-DFENCE_A $L"; B="-DFENCE_B $L"
T="-DTIME -DREDRIVE -DLATE_ORIGIN -DMAXF=1 -DFCAP=1"
TA="-DFENCE_A $T"; TB="-DFENCE_B $T -DCANCEL"
N="-DFENCE_B -DTIME -DREDRIVE -DMAXF=1 -DFCAP=1 -DLATE_NEWER"
X="-DREDRIVE -DCANCEL -DFCAP=1"
Y="-DREDRIVE -DCANCEL -DFCAP=2"
Z="-DREDRIVE -DCANCEL -DFCAP=2"
K="-DFCAP=1 -DDISCARD -DLONE -DCCAP=3 -DMAXF=3 -DMAXRED=0"
FA="failover.pml -DFENCE_A"; FB="failover.pml -DFENCE_B"
S="-DSYNC -DKEPT -DLISTED -DENDS -DRISES"
O="outage.pml -DSHORT"; O2="-DMAXF=2 -DMAXOUT=2 -DTWICE"

one() { # name expectation [file] defines...
	local name=$1 want=$2 file=pipeline.pml dir="$tmp/$1" got states why mark kind; shift 2
	case ${1:-} in *.pml) file=$1; shift;; esac
	mkdir -p "$dir" && cp "$here/$file" "$dir" && cd "$dir" || return 1
	local flags="-DSAFETY" opts="" level=-O1         # of what is soon done the compiling takes longest
	case $name in *cycles*) flags="-DNP"; opts="-l";; esac
	[ "$file$want" = pipeline.pmlok ] && level=-O2
	if spin -a "$@" "$file" >spin.out 2>&1 && cc $level -w $flags -DCOLLAPSE -DVECTORSZ=2048 -DMEMLIM=7000 -o pan pan.c 2>cc.out
	then timeout 300 ./pan $opts -m200000 >pan.out 2>&1
	else printf '! %-28s does not build\n' "$name"; touch "$tmp/surprise"; return; fi
	states=$(awk '/states, stored/ {print $1; exit}' pan.out)
	why=$(sed -n 's/^pan:[0-9]*: //p' pan.out | head -1)
	if grep -q 'errors: 0' pan.out && ! grep -qE 'out of memory|max search depth|resource' pan.out; then got=ok
	elif grep -qE 'errors: [1-9]' pan.out; then
		case $why in 'assertion violated'*|'non-progress cycle'*) got=fails;; *) got=stuck;; esac
	else got=unfinished; fi
	mark=' '; [ "$got" = "${want/survives/ok}" ] || { mark='!'; touch "$tmp/surprise"; }
	case $want:$name in ok:*) kind=ok;; survives:*) kind=survives;; *:doc-*) kind=doc;; *reach*) kind=reach;; *) kind=killed;; esac
	echo "$kind" >>"$tmp/tally"
	printf '%s %-26s %-15s expected %-8s actual %-10s %10s states  %s\n' "$mark" "$name" "${file%.pml}" "$want" "$got" "$states" "${why:0:60}"
	rm -rf "$dir"
}

while read -r name want defines; do
	case $name in ''|'#'*) continue;; '+') read -r name want defines <<<"$want $defines";; *) [ -z "${QUICK:-}" ] || continue;; esac
	[[ $name =~ $pattern ]] || continue
	while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-2}" ]; do wait -n; done
	eval "one $name $want $defines" &
done <<'TABLE'
# the protocol as corrected
+ life-a               ok     $A
life-b               ok     $B
life-a-counters      ok     -DFENCE_A -DCANCEL -DREDRIVE -DICAP=2 -DSCAP=2 -DMAXF=1
starts-bound-reached fails  -DFENCE_A -DICAP=2 -DSCAP=2 -DREDRIVE -DTIGHT
life-b-counters      ok     -DFENCE_B -DCANCEL -DICAP=2 -DSCAP=2 -DMAXF=2
life-a-cap3          ok     $A -DCCAP=3 -DMAXF=3
life-b-cap3          ok     -DFENCE_B -DREPEAT -DCANCEL -DCCAP=3 -DMAXF=3
life-a-3workers      ok     $A -DNW=3
life-b-3workers      ok     -DFENCE_B -DCANCEL -DNW=3
life-a-netdup        ok     $A -DNETDUP
life-b-netdup        ok     -DFENCE_B -DREPEAT -DCANCEL -DNETDUP
cycles-a             ok     $A
cycles-b             ok     -DFENCE_B -DREPEAT -DCANCEL -DREDRIVE -DMAXF=1
cycles-time-b        ok     $TB
cycles-ext3-b        ok     -DFENCE_B -DEXT=3 $X -DRESOLVE
+ time-a               ok     $TA
time-b               ok     $TB
time-b-newer         ok     $N
time-b-60days        ok     $TB -DRUNAT=2 -DTMAX=3
time-b-prune         ok     $TB -DPRUNE
time-b-noorigin      ok     $TB -DLATE_NOORIGIN -DALLOWRERUN
+ lone-a               ok     -DFENCE_A $K
ext1-a               ok     -DFENCE_A -DEXT=1 $X -DRESOLVE
ext1-b               ok     -DFENCE_B -DEXT=1 $X -DRESOLVE
+ ext2-a               ok     -DFENCE_A -DEXT=2 $X -DRESOLVE
ext2-b               ok     -DFENCE_B -DEXT=2 $X -DRESOLVE
+ ext3-a               ok     -DFENCE_A -DEXT=3 $X -DRESOLVE
ext3-b               ok     -DFENCE_B -DEXT=3 $X -DRESOLVE
ext3-b-resend        ok     -DFENCE_B -DEXT=3 $X -DRESEND
# documented: what cannot be had
doc-noorigin         fails  $TB -DLATE_NOORIGIN
doc-keyzombie        fails  -DFENCE_B -DEXT=1 $X -DKEYZOMBIE
doc-newer-forgotten  fails  $N -DPRUNE
doc-said-no          fails  -DFENCE_A -DEXT=3 $X -DRESOLVE -DSTRICTNO
# the text as it stood
text-seal-crash-only fails  $B -DAW_SEALCRASHONLY
text-cancel-no-token fails  $B -DAW_CANCELNOTOKEN
+ text-crash-eq        fails  $A -DAW_CRASHEQ -DMAXF=3
+ text-lease-from-claim fails $A -DNETDUP -DAW_LEASEFROMCLAIM -DMAXF=3
text-no-mark-in-effect fails $TB -DAW_NOMARKINEFFECT
text-fresh-no-claim  fails  $TB -DAW_FRESHNOCLAIM
text-dup-no-fresh    fails  $N -DAW_DUPNOFRESH
text-token-restart   fails  $TB -DLATE_NOORIGIN -DALLOWRERUN -DAW_TOKRESTART
text-token-same      fails  $TB -DLATE_NOORIGIN -DALLOWRERUN -DAW_TOKSAME
text-seal-no-time    fails  $TB -DPRUNE -DAW_SEALNOTIME
text-reap-by-id      fails  $TB -DLATE_NOORIGIN -DALLOWRERUN -DAW_REAPBYID
text-replay-no-fresh fails  $TB -DPRUNE -DAW_REPLAYNOFRESH
text-settle-back     fails  -DFENCE_A $K -DAW_SETTLEBACK
text-ask-no          fails  -DFENCE_A -DEXT=2 $X -DAW_ASKNO
text-pending-hidden  fails  -DFENCE_B -DEXT=3 $X -DAW_PENDINGHIDDEN
# mutants
+ no-hold-a            fails  $A -DM_NOHOLD
+ no-seal-burial       fails  $B -DM_NOSEALBURY
no-seal-cancel       fails  $B -DM_NOSEALCANCEL
+ seal-read-before     fails  $B -DM_SEALRACE
+ settle-no-lease      fails  $A -DM_SETTLENOLEASE
settle-any-state     fails  $A -DM_SETTLEANY
+ claim-not-repeatable fails  $A -DM_CLAIMREPEAT
crash-at-failure     fails  $A -DM_CRASHATFAIL
cap-off-by-one       fails  $A -DM_CAPOFF
token-reset-redrive  fails  $A -DM_REDRIVETOK
redrive-drops-ledger fails  $A -DM_REDRIVELEDGER
+ ledger-second-tx     fails  $A -DM_SPLITTX
step1-means-done     fails  $A -DM_STEP1DONE
repeat-means-lost    fails  $A -DM_REPEATLOST
mark-by-created      fails  $TB -DM_MARKCREATED
redrive-not-fresh    survives $TB -DM_REDRIVENOFRESH
reap-by-created      fails  $TA -DM_REAPCREATED
reap-by-created-b    survives $TB -DM_REAPCREATED
reap-dead            fails  $TB -DM_REAPDEAD
ledger-first         fails  $N -DM_LEDGERFIRST
reap-dead-ledger     fails  $TB -DM_REAPDEADLEDGER
reap-before-mark     fails  $TA -DM_REAPBEFOREMARK
reap-before-mark-b   survives $TB -DM_REAPBEFOREMARK
enqueue-no-mark      fails  $TB -DM_NOMARKENQ
past-key-life        fails  -DFENCE_B -DEXT=1 $X -DM_PASTLIFE
doubt-redriven       survives -DFENCE_B -DEXT=3 $X -DM_DOUBTREDRIVEN
doubt-cleared        fails  -DFENCE_B -DEXT=3 $X -DM_DOUBTCLEARED
# an effect taken back because its remote said that nothing happened
ext1-a-tries         ok     -DFENCE_A -DEXT=1 $Y -DRESOLVE
ext1-b-tries         ok     -DFENCE_B -DEXT=1 $Z
ext2-a-tries         ok     -DFENCE_A -DEXT=2 $Y -DRESOLVE
ext2-b-tries         ok     -DFENCE_B -DEXT=2 $Z
ext3-a-tries         ok     -DFENCE_A -DEXT=3 $Y -DRESOLVE
ext3-b-tries         ok     -DFENCE_B -DEXT=3 $Z
ext3-b-resend-tries  ok     -DFENCE_B -DEXT=3 $Z -DRESEND
ext3-b-3workers      ok     -DFENCE_B -DEXT=3 -DFCAP=1 -DREDRIVE -DRESOLVE -DNW=3
wd-no-check-1-a      fails  -DFENCE_A -DEXT=1 $Y -DRESOLVE -DM_WDNOCHECK
wd-no-check-1-b      fails  -DFENCE_B -DEXT=1 $Z -DM_WDNOCHECK
wd-no-check-2-a      survives -DFENCE_A -DEXT=2 $Y -DRESOLVE -DM_WDNOCHECK
wd-no-check-2-b      survives -DFENCE_B -DEXT=2 $Z -DM_WDNOCHECK
wd-no-check-3-a      survives -DFENCE_A -DEXT=3 $Y -DRESOLVE -DM_WDNOCHECK
wd-no-check-3-b      survives -DFENCE_B -DEXT=3 $Z -DM_WDNOCHECK
wd-no-check-3-b-rs   fails  -DFENCE_B -DEXT=3 $Z -DRESEND -DM_WDNOCHECK
wd-max-token-1-a     survives -DFENCE_A -DEXT=1 $Y -DRESOLVE -DM_WDMAXTOKEN
wd-mine-only-1-a     survives -DFENCE_A -DEXT=1 $Y -DRESOLVE -DM_WDMINEONLY
wd-mine-only-1-b     fails  -DFENCE_B -DEXT=1 $Z -DM_WDMINEONLY
wd-mine-only-3-b     fails  -DFENCE_B -DEXT=3 $Z -DRESEND -DM_WDMINEONLY
wd-not-seen-1-b      fails  -DFENCE_B -DEXT=1 $Z -DM_NOTSEEN
wd-max-token-1-b     fails  -DFENCE_B -DEXT=1 $Z -DM_WDMAXTOKEN
wd-max-token-3-b     fails  -DFENCE_B -DEXT=3 $Z -DRESEND -DM_WDMAXTOKEN
wd-forgets-no-3-b    fails  -DFENCE_B -DEXT=3 $X -DRESOLVE -DM_WDFORGETSNO
wd-forgets-no-3-a    fails  -DFENCE_A -DEXT=3 $X -DRESOLVE -DM_WDFORGETSNO
wd-unguarded-3-b     survives -DFENCE_B -DEXT=3 $X -DRESOLVE -DM_WDUNGUARDED
wd-unguarded-1-b     survives -DFENCE_B -DEXT=1 $Z -DM_WDUNGUARDED
# a heartbeat
+ extend             ok       extend.pml
extend-cycles        ok       extend.pml
extend-3workers      ok       extend.pml -DNW=3
extend-reach-late    fails    extend.pml -DREACH_LATE
extend-reach-lost    fails    extend.pml -DREACH_LOST
extend-reach-cut     fails    extend.pml -DREACH_CUT
+ extend-any         fails    extend.pml -DM_EXTENDANY
+ extend-revives     fails    extend.pml -DM_EXTENDREVIVES
extend-expired-lost  fails    extend.pml -DM_EXTENDEXPIRED
extend-nothing       fails    extend.pml -DM_EXTENDNOTHING
extend-lost-ignored  survives extend.pml -DM_LOSTIGNORED
# an outage of the engine
+ outage             ok       $O
outage-cycles        ok       $O
outage-two           ok       $O $O2
outage-two-cycles    ok       $O $O2
outage-beat          ok       outage.pml -DGRACE=2
outage-beat-two      ok       outage.pml -DGRACE=2 $O2
outage-reach-spared  fails    $O -DREACH_SPARED
outage-reach-lived   fails    $O -DREACH_LIVED
outage-reach-crashed fails    $O -DREACH_CRASHED
outage-reach-beat    fails    outage.pml -DGRACE=2 -DREACH_LIVED
outage-reach-two     fails    $O $O2 -DREACH_CRASHED
doc-outage-brief     fails    outage.pml
doc-outage-twice     fails    outage.pml -DGRACE=2 -DMAXOUT=2
+ outage-no-grace    fails    $O -DM_NOGRACE
outage-claim-only    fails    $O -DM_CLAIMONLY
outage-grace-crash   fails    $O -DM_GRACECRASH
outage-grace-any     fails    $O -DM_GRACEANY
+ outage-again-cycles fails   $O -DM_SPAREAGAIN
outage-engine-cycles fails    $O -DM_SPAREENGINE
outage-engine        fails    $O -DM_SPAREENGINE
# a paused queue
+ pause              ok       pause.pml
pause-cycles         ok       pause.pml
pause-2jobs          ok       pause.pml -DNJ=2
pause-reach-extend   fails    pause.pml -DREACH_EXTEND
pause-reach-settle   fails    pause.pml -DREACH_SETTLE
pause-reach-expired  fails    pause.pml -DREACH_EXPIRED
pause-reach-repeat   fails    pause.pml -DREACH_REPEAT
+ pause-claims       fails    pause.pml -DM_CLAIMPAUSED
pause-settle-refused fails    pause.pml -DM_SETTLEPAUSED
pause-extend-refused fails    pause.pml -DM_EXTENDPAUSED
pause-repeat-refused fails    pause.pml -DM_REPEATPAUSED
pause-releases       fails    pause.pml -DM_PAUSERELEASES
pause-resume-silent  fails    pause.pml -DM_RESUMESILENT
# jobs that follow
+ next               ok       next.pml -DOTHER
next-cycles          ok       next.pml -DOTHER
next-forward         ok       next.pml -DFORWARD
next-reach-again     fails    next.pml -DOTHER -DREACH_AGAIN
next-reach-conflict  fails    next.pml -DOTHER -DREACH_CONFLICT
next-reach-duplicate fails    next.pml -DOTHER -DREACH_DUPLICATE
doc-next-forward     fails    next.pml -DFORWARD -DFROZEN
next-first           fails    next.pml -DM_NEXTFIRST
+ next-second-write  fails    next.pml -DM_SPLIT
+ next-again         fails    next.pml -DM_REPEATSTORES
next-conflict-let    fails    next.pml -DOTHER -DM_CONFLICTIGNORED
next-dup-refuses     fails    next.pml -DM_DUPLICATEREFUSES
# settling inside the effect's transaction
+ inside             ok       inside.pml
inside-cycles        ok       inside.pml
inside-no-ledger     ok       inside.pml -DNOLEDGER
inside-reach-unknown fails    inside.pml -DREACH_UNKNOWN
inside-reach-zombie  fails    inside.pml -DREACH_ZOMBIE
inside-reach-bare    fails    inside.pml -DNOLEDGER -DREACH_UNKNOWN
+ inside-no-hold     fails    inside.pml -DNOLEDGER -DM_NOHOLD
inside-no-hold-l     survives inside.pml -DM_NOHOLD
inside-no-lease      survives inside.pml -DM_SETTLENOLEASE
inside-no-lease-hold fails    inside.pml -DM_SETTLENOLEASE -DM_NOHOLD
inside-ignored       survives inside.pml -DM_ANSWERIGNORED
inside-ignored-hold  fails    inside.pml -DM_ANSWERIGNORED -DM_NOHOLD
inside-hold-before   survives inside.pml -DM_HOLDBEFORE
inside-before-ignored fails   inside.pml -DM_HOLDBEFORE -DM_ANSWERIGNORED
inside-before-lease  fails    inside.pml -DM_HOLDBEFORE -DM_SETTLENOLEASE
inside-two-tx        fails    inside.pml -DM_SPLIT
inside-marked-first  fails    inside.pml -DM_MARKFIRST
# other content under the same id
+ print              ok       fingerprint.pml
print-cycles         ok       fingerprint.pml
print-sweep          ok       fingerprint.pml -DSWEEP
print-reach-conflict fails    fingerprint.pml -DREACH_CONFLICT
print-reach-other    fails    fingerprint.pml -DREACH_OTHER
print-reach-second   fails    fingerprint.pml -DSWEEP -DREACH_SECOND
+ print-not-in-ledger fails   fingerprint.pml -DM_LEDGERNOPRINT
print-in-key         fails    fingerprint.pml -DM_KEYPRINT
print-not-at-enqueue fails    fingerprint.pml -DM_ENQUEUENOPRINT
print-replaces       fails    fingerprint.pml -DM_CONFLICTREPLACES
# a standby that lacks the latest writes
+ failover-a         ok       $FA -DLISTED
failover-b           ok       $FB -DKEPT
failover-a-cycles    ok       $FA
failover-b-cycles    ok       $FB
failover-a-twice     ok       $FA -DLISTED -DMAXFO=2
failover-b-twice     ok       $FB -DKEPT -DMAXFO=2
failover-a-inside    ok       $FA -DINSIDE -DKEPT -DLISTED
+ failover-a-sync    ok       $FA $S -DMAXFO=2
failover-b-sync      ok       $FB $S -DMAXFO=2
failover-reach-same  fails    $FB -DREACH_REPEATED
failover-reach-lost  fails    $FA -DREACH_LOST
failover-reach-zombie fails   $FB -DREACH_ZOMBIE
failover-reach-sync  fails    $FB $S -DREACH_LOST
failover-reach-inside fails   $FA -DINSIDE -DREACH_LOST
doc-failover-lost    fails    $FA -DKEPT
doc-failover-unlisted fails   $FB -DLISTED
doc-failover-barred  fails    $FB -DREACH_BARRED
doc-failover-ends    fails    $FA -DENDS
doc-failover-rises   fails    $FA -DRISES
+ failover-token-a   fails    $FA -DM_TOKENONLY
failover-token-b     fails    $FB -DM_TOKENONLY
failover-token-sync  survives $FB -DM_TOKENONLY -DSYNC
failover-no-ledger   fails    $FB -DM_NOLEDGER
# several jobs of one claim
+ batch              ok       batch.pml
batch-cycles         ok       batch.pml
batch-3faults        ok       batch.pml -DMAXF=3
batch-reach-both     fails    batch.pml -DREACH_BOTH
batch-reach-part     fails    batch.pml -DREACH_PART
batch-reach-repeat   fails    batch.pml -DREACH_REPEATPART
batch-reach-mixed    fails    batch.pml -DREACH_MIXED
+ batch-crash-once   fails    batch.pml -DM_CRASHONCE
batch-release-claim  fails    batch.pml -DM_RELEASECLAIM
+ batch-all-or-none  fails    batch.pml -DM_ALLORNOTHING
batch-repeat-more    fails    batch.pml -DM_REPEATMORE
batch-repeat-unseen  fails    batch.pml -DM_REPEATREMEMBERED
batch-repeat-first   fails    batch.pml -DM_REPEATFIRST
# jobs that kill, among innocents
+ suspects           ok       suspects.pml
suspects-cycles      ok       suspects.pml
suspects-cap2        ok       suspects.pml -DCCAP=2
suspects-2killers    ok       suspects.pml -DKILLERS=2
suspects-inside      ok       suspects.pml -DINSIDE -DANYWHERE
suspects-reach-lone  fails    suspects.pml -DREACH_LONEINNOCENT
suspects-reach-both  fails    suspects.pml -DREACH_TOGETHER
suspects-reach-cap2  fails    suspects.pml -DCCAP=2 -DREACH_LONEINNOCENT
suspects-reach-2     fails    suspects.pml -DKILLERS=2 -DREACH_LONEINNOCENT
doc-suspects-cap1    fails    suspects.pml -DCCAP=1
doc-suspects-host    fails    suspects.pml -DMAXF=1
doc-suspects-inside  fails    suspects.pml -DINSIDE -DANYWHERE -DKILLERS=2
+ suspects-no-lone   fails    suspects.pml -DM_NOLONE -DANYWHERE
suspects-mark-late   fails    suspects.pml -DM_MARKLATE -DANYWHERE
suspects-lone-to-all fails    suspects.pml -DM_LONETOALL -DANYWHERE
suspects-lone-batch  fails    suspects.pml -DM_LONEBATCH
suspects-lone-held   fails    suspects.pml -DM_LONEHELD
suspects-lone-many   survives suspects.pml -DM_LONEMANY
# the same settlement again
+ again              ok       again.pml -DMAXRED=0
again-cycles         ok       again.pml -DMAXRED=0
again-mind           ok       again.pml -DMAXRED=0 -DMIND
again-redrive        ok       again.pml
again-reach-late     fails    again.pml -DREACH_LATE
again-reach-before   fails    again.pml -DREACH_BEFORE
again-reach-redriven fails    again.pml -DREACH_REDRIVEN
again-starts-reached fails    again.pml -DTIGHT
+ again-counts       fails    again.pml -DM_COUNTSAGAIN
again-no-lease       fails    again.pml -DM_NOLEASE
again-any-outcome    fails    again.pml -DMIND -DM_LASTNOOUTCOME
again-last-kept      survives again.pml -DMAXRED=0 -DM_LASTKEPT
again-redrive-forgets fails   again.pml -DM_REDRIVEFORGETS
TABLE
wait
count() { grep -cx "$1" "$tmp/tally" 2>/dev/null; }
printf '%d configurations, %d mutants killed, %d survive as README.md says; %d documented to fail, %d reached; %d:%02d\n' \
	"$(count ok)" "$(count killed)" "$(count survives)" "$(count doc)" "$(count reach)" $(((SECONDS-began)/60)) $(((SECONDS-began)%60))
[ -e "$tmp/tally" ] || { echo "NOTHING MATCHES"; exit 1; }
[ ! -e "$tmp/surprise" ] && echo "all as expected" || { echo "SURPRISES"; exit 1; }
