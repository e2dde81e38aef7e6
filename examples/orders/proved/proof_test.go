package proved_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twicehq/twice/examples/orders/proved"
	"github.com/twicehq/twice/proof"
)

// The application's three kinds, each proved with jobs, ledger and tables in one SQLite file, the charge also with its jobs on
// another engine, in memory, and the ledger beside the tables; on further engines by `twice prove`.

func TestProofOfCharge(t *testing.T) {
	t.Parallel()
	proof.Handler(t, proved.Charge(proved.Within))
}

func TestProofOfChargeBeside(t *testing.T) {
	t.Parallel()
	c := proved.Charge(proved.Beside)
	c.Limits.Pairs = somePairs
	proof.Handler(t, c)
}

// somePairs of each sort are explored where the charge and the receipt above have been through all of the like.
const somePairs = 30

func TestProofOfReceipt(t *testing.T) {
	t.Parallel()
	proof.Handler(t, proved.Receipt(proved.Within))
}

func TestProofOfReconcile(t *testing.T) {
	t.Parallel()
	c := proved.Reconcile(proved.Within)
	c.Limits.Pairs = somePairs
	proof.Handler(t, c)
}

// The control: with the ledger off, and a key of its own for each attempt, both kinds that act outside must fail.
func TestProofControl(t *testing.T) {
	charge, err := proof.Run(proved.Charge(proved.LedgerOff))
	twice := func(what string) func(string) bool {
		return func(said string) bool { return strings.HasPrefix(said, "made twice, not once: "+what) }
	}
	if err != nil || charge.Safe || !slices.ContainsFunc(charge.Failure.Calls, twice("POST pay.test/charges")) {
		t.Errorf("the charge passes without its ledger, or fails for something else (%v):\n%s", err, charge)
	}
	receipt, err := proof.Run(proved.Receipt(proved.LedgerOff))
	if err != nil || receipt.Safe || !slices.ContainsFunc(receipt.Failure.Calls, twice("send the mail")) {
		t.Errorf("the receipt passes without its ledger, or fails for something else (%v):\n%s", err, receipt)
	}
}
