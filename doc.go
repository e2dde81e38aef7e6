// Package twice makes jobs that are safe to run twice: define a kind of job once, with the type of its
// arguments and what identifies it, and enqueue it from anywhere.
//
//	var ChargeOrder = twice.Define("orders.charge", twice.Policy[Charge]{
//		Key: func(c Charge) string { return c.OrderID },
//	})
//
//	receipt, err := ChargeOrder.Enqueue(ctx, engine, Charge{OrderID: "o-17"})
//
// The same order gives the same job id, so a request that is sent twice is one job. Package worker
// runs jobs; package ledger makes their effects once; package queue is the contract with the engines.
package twice
