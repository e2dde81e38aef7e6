#!/usr/bin/env bash
# Runs every configuration and mutant of pipeline.pml and compares each with what is expected.
#   ./check.sh            all            ./check.sh PATTERN    only the lines whose name matches
# ok: explored completely, no error.   fails: an assertion must be violated, or the run proves nothing.
# survives: a removed guard that is expected to break nothing here (README.md says why).
# Needs spin, cc and about 6 GB; JOBS=2 runs are made at a time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
pattern=${1:-.}

L="-DREPEAT -DCANCEL -DREDRIVE -DDISCARD"
A="-DFENCE_A $L"; B="-DFENCE_B $L"
T="-DTIME -DREDRIVE -DLATE_ORIGIN -DMAXF=1 -DFCAP=1"
TA="-DFENCE_A $T"; TB="-DFENCE_B $T -DCANCEL"
N="-DFENCE_B -DTIME -DREDRIVE -DMAXF=1 -DFCAP=1 -DLATE_NEWER"
X="-DREDRIVE -DCANCEL -DFCAP=1"
Y="-DREDRIVE -DCANCEL -DFCAP=2"
Z="-DREDRIVE -DCANCEL -DFCAP=2"
K="-DFCAP=1 -DDISCARD -DLONE -DCCAP=3 -DMAXF=3 -DMAXRED=0"

one() { # name expectation defines...
	local name=$1 want=$2 dir="$tmp/$1" got states why mark; shift 2
	mkdir -p "$dir" && cp "$here/pipeline.pml" "$dir" && cd "$dir" || return 1
	local flags="-DSAFETY" opts=""
	case $name in *cycles*) flags="-DNP"; opts="-l";; esac
	if spin -a "$@" pipeline.pml >spin.out 2>&1 && cc -O2 -w $flags -DCOLLAPSE -DVECTORSZ=2048 -DMEMLIM=7000 -o pan pan.c 2>cc.out
	then timeout 300 ./pan $opts -m200000 >pan.out 2>&1
	else printf '%-28s does not build\n' "$name"; touch "$tmp/surprise"; return; fi
	states=$(awk '/states, stored/ {print $1; exit}' pan.out)
	if grep -q 'errors: 0' pan.out && ! grep -qE 'out of memory|max search depth|resource' pan.out; then got=ok
	elif grep -qE 'errors: [1-9]' pan.out; then got=fails
	else got=unfinished; fi
	why=$(sed -n 's/^pan:[0-9]*: //p' pan.out | head -1 | cut -c1-70)
	mark=' '; [ "$got" = "${want/survives/ok}" ] || { mark='!'; touch "$tmp/surprise"; }
	printf '%s %-26s expected %-8s actual %-10s %10s states  %s\n' "$mark" "$name" "$want" "$got" "$states" "$why"
	rm -f pan pan.c "$dir"/*.trail
}

while read -r name want defines; do
	case $name in ''|'#'*) continue;; esac
	[[ $name =~ $pattern ]] || continue
	while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-2}" ]; do wait -n; done
	eval "one $name $want $defines" &
done <<'TABLE'
# the protocol as corrected
life-a               ok     $A
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
time-a               ok     $TA
time-b               ok     $TB
time-b-newer         ok     $N
time-b-60days        ok     $TB -DRUNAT=2 -DTMAX=3
time-b-prune         ok     $TB -DPRUNE
time-b-noorigin      ok     $TB -DLATE_NOORIGIN -DALLOWRERUN
lone-a               ok     -DFENCE_A $K
ext1-a               ok     -DFENCE_A -DEXT=1 $X -DRESOLVE
ext1-b               ok     -DFENCE_B -DEXT=1 $X -DRESOLVE
ext2-a               ok     -DFENCE_A -DEXT=2 $X -DRESOLVE
ext2-b               ok     -DFENCE_B -DEXT=2 $X -DRESOLVE
ext3-a               ok     -DFENCE_A -DEXT=3 $X -DRESOLVE
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
text-crash-eq        fails  $A -DAW_CRASHEQ -DMAXF=3
text-lease-from-claim fails $A -DNETDUP -DAW_LEASEFROMCLAIM -DMAXF=3
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
no-hold-a            fails  $A -DM_NOHOLD
no-seal-burial       fails  $B -DM_NOSEALBURY
no-seal-cancel       fails  $B -DM_NOSEALCANCEL
seal-read-before     fails  $B -DM_SEALRACE
settle-no-lease      fails  $A -DM_SETTLENOLEASE
settle-any-state     fails  $A -DM_SETTLEANY
claim-not-repeatable fails  $A -DM_CLAIMREPEAT
crash-at-failure     fails  $A -DM_CRASHATFAIL
cap-off-by-one       fails  $A -DM_CAPOFF
token-reset-redrive  fails  $A -DM_REDRIVETOK
redrive-drops-ledger fails  $A -DM_REDRIVELEDGER
ledger-second-tx     fails  $A -DM_SPLITTX
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
TABLE
wait
[ ! -e "$tmp/surprise" ] && echo "all as expected" || { echo "SURPRISES"; exit 1; }
