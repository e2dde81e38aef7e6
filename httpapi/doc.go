// Package httpapi offers an engine over HTTP, as JSON, and is the Go client of that.
//
//	api, err := httpapi.New(engine, httpapi.Config{Ledger: engine.Ledger(), Tokens: tokens})
//	listener, err := httpapi.Listen("127.0.0.1:7420", tokens)
//	err = api.Serve(ctx, listener)
//
//	client, err := httpapi.NewClient("http://127.0.0.1:7420", httpapi.ClientConfig{Token: token})
//	receipt, err := ChargeOrder.Enqueue(ctx, client, Charge{"o-17"}) // a Client is a queue.Enqueuer
//
// Everything is below /api/v1/ and described by /api/openapi.json. Lists take limit and cursor and answer next;
// changes are POST requests that say why. An error is {"error": {"op", "subject", "reason", "detail", "remedy"}} with a
// stable word as its reason, which the client turns back, so that errors.Is(err, queue.ErrNotFound) holds on both
// sides. What the engine cannot do is answered 501 and told by /api/v1/abilities.
//
// Without tokens the API serves this machine only: it refuses an address, a Host and a connection of any other kind.
// With tokens a viewer may look, and an operator may change; the token says who made a change.
package httpapi
