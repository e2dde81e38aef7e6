// Package queuetest is the conformance suite of engines: one table of rules, each with the sentence of
// the contract that it checks. A driver calls [Run]:
//
//	func TestConformance(t *testing.T) {
//		queuetest.Run(t, func(t *testing.T, opt queuetest.Options) queue.Engine {
//			e, err := sqlite.Open(filepath.Join(t.TempDir(), "q.db"), sqlite.Config{Now: opt.Clock.Now})
//			…
//			return e
//		})
//	}
//
// What an engine is held to is taken from the engine itself: its Traits, the abilities that queue.As
// finds, and the few interfaces of this package that a test's wrapper may add ([Transacting],
// [Reopening], [Working]). A rule that asks for more is reported as not promised, never left out.
// With TWICE_CONFORMANCE=dir each run writes dir/<engine>.json; the command in conformance/ makes
// docs/conformance.md of them.
package queuetest
