package demo

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twicehq/twice/ledger"
)

// The scene holds where a receipt in doubt is parked. Where it is declared to be sent again, nobody is asked
// and two mails arrive: then the claim fails, by just that.
func TestInDoubtFailsWhereTheMailIsSentAgain(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "twice")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../../../cmd/twice").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	at := slices.IndexFunc(scenes, func(s scene) bool { return s.name == "in_doubt" })
	for name, doubt := range map[string]ledger.Doubt{"parked": ledger.Park, "sent again": ledger.Resend} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := Open(t.Context(), Config{Binary: binary, Dir: t.TempDir(), Seed: 1, ReceiptDoubt: doubt})
			t.Cleanup(func() { d.Close(true) })
			if err != nil {
				t.Fatal(err)
			}
			if err := d.world.startAPI(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := d.world.hire(t.Context(), "worker-1", "worker-2"); err != nil {
				t.Fatal(err)
			}
			claim := d.stage(t.Context(), scenes[at])
			failed := map[string]string{}
			for _, c := range claim.Checks {
				if !c.Holds {
					failed[c.What] = c.Saw
				}
			}
			t.Logf("%s %v", claim.Saw, failed)
			if doubt == ledger.Park {
				if !claim.Holds {
					t.Errorf("it does not hold: %+v", claim)
				}
				return
			}
			if claim.Holds || failed["mails of the order"] != "2" || failed["the job is parked for a person, and not tried again"] == "" || failed[playedToItsEnd] != "" {
				t.Errorf("holds %v; what failed is %q", claim.Holds, failed)
			}
		})
	}
}
