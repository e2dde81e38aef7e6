// Package proof shows that a job's handler is safe to run twice, or how it is not.
//
//	proof.Handler(t, proof.Case[Charge, *shop]{
//		World: newShop, Kind: ChargeOrder, Args: Charge{"o-17"}, Handle: (*shop).charge, Observe: (*shop).look,
//	})
//
// The handler is run once for the reference. Then it is crashed before and after each of its outside calls, crashed
// again in its recovery, given errors, robbed of replies, delivered twice at once, frozen and thawed, buried and
// redriven: each schedule in a fresh world, on a real engine and ledger, by a worker's own rules. After each one the world must be
// the one of a single run.
//
// Outside calls are seen through what an [Outside] gives to the world: an HTTP transport, a connector for
// database/sql, a dialer, a ledger; and [Call] and [Point] for anything else. What does not go through it is not seen.
//
// docs/proof.md says what is proved by that, and under which assumptions. Package broken has handlers that are not safe.
package proof
