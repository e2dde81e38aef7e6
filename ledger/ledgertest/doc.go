// Package ledgertest is the conformance suite of ledgers: one table of rules, each with the sentence of
// the contract that it checks. A driver calls [Run]:
//
//	func TestLedgerConformance(t *testing.T) {
//		ledgertest.Run(t, func(t *testing.T, opt ledgertest.Options) ledger.Store {
//			return memory.NewLedger(memory.LedgerConfig{Now: opt.Clock.Now})
//		})
//	}
//
// What a store is held to beyond that is what a wrapper in the driver's test adds: [Leasing] for one that
// shares its engine's database, [Transacting] for one that can join a caller's transaction. A rule that
// asks for more is reported as not promised.
package ledgertest
