// Package gateway is a payment gateway in small: the outside system that the
// orders application charges through. It is a separate HTTP server that knows
// nothing of queues, and a Go Client for it.
//
// It behaves as payment providers do. A charge is asked for with an
// Idempotency-Key; a repeat of the key gives the very same charge, for KeyLife;
// the gateway can be asked about a key; and it keeps its own list of charges,
// against which a caller can reconcile its books.
//
//	POST /charges        Idempotency-Key: K, {order_id, amount_cents, currency}
//	                     201 the charge; 200 the same charge again (header
//	                     Idempotent-Replayed: true); 402 declined; 422 the key
//	                     was used with another body; 503 nothing can be said
//	GET  /charges?key=K  200 the charge, or 404: no charge under a key that is
//	                     still remembered
//	GET  /charges        the list, oldest first: ?cursor=, ?limit=
//	GET  /livez          200 while it serves
//
// It can be told to misbehave, by exact counts and by order, so that no test
// depends on chance:
//
//	POST /control        a Control; replaces the one before
//	GET  /control        a State: what is left of the Control, who is held, counts
//	POST /release        {orders: [...]}: lets held calls go on; none named: all
//
// Every error is {"error": {"code", "message"}}; the codes are the Code
// constants of this package.
package gateway
