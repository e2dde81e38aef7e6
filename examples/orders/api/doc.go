// Package api is the HTTP side of the orders application. It translates requests into calls of a service
// and answers into JSON; no business is done here.
//
//	POST /orders       {reference, customer, amount_cents, currency}; Idempotency-Key stands in for a
//	                   reference. 201 the order, 200 the same order again, 400 what is wrong, 409 the
//	                   reference stands for another order, 413, 415
//	GET  /orders/{id}  200 the order as it is by now, 404
//	GET  /livez        200 while the process is worth keeping, 503
//
// Every error is {"error": {"code", "what", "why", "remedy", "fields"}}. A 503 may be repeated as it was
// sent: the same reference is the same order.
//
// X-Request-Id is taken over, or made, and answered; with traceparent it travels into the jobs that a
// request makes.
package api
