package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/httpapi"
	"github.com/twicehq/twice/queue"
)

type Charge struct {
	OrderID string `json:"order_id"`
}

var ChargeOrder = twice.Define[Charge]("orders.charge", twice.Policy[Charge]{Key: func(c Charge) string { return c.OrderID }})

// open gives an API on an engine in memory, and an operator's client of it.
func open() (*httpapi.Client, func()) {
	engine, _ := memory.New(memory.Config{})
	tokens, _ := httpapi.ParseTokens("operator:alice=0123456789abcdef")
	api, err := httpapi.New(engine, httpapi.Config{Ledger: engine.Ledger(), Kinds: []httpapi.Kind{httpapi.KindOf(ChargeOrder)}, Tokens: tokens, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err)
	}
	web := httptest.NewServer(api)
	client, err := httpapi.NewClient(web.URL, httpapi.ClientConfig{Token: "0123456789abcdef"})
	if err != nil {
		panic(err)
	}
	return client, func() { web.Close(); _ = api.Close(context.Background()); _ = engine.Close() }
}

// How does a program enqueue a typed job through the API?
func ExampleClient_Enqueue() {
	ctx := context.Background()
	client, end := open()
	defer end()
	receipt, err := ChargeOrder.Enqueue(ctx, client, Charge{"o-17"})
	fmt.Println(receipt.Status, err)
	receipt, err = ChargeOrder.Enqueue(ctx, client, Charge{"o-17"}) // the same request again
	fmt.Println(receipt.Status, receipt.HolderState, err)
	_, err = client.Job(ctx, queue.NewID("orders.charge", "o-18"))
	fmt.Println(errors.Is(err, queue.ErrNotFound))
	// Output:
	// accepted <nil>
	// duplicate queued <nil>
	// true
}

// How are all jobs of a sort gone through?
func ExampleClient_Jobs() {
	ctx := context.Background()
	client, end := open()
	defer end()
	for _, id := range []string{"o-1", "o-2", "o-3"} {
		_, _ = ChargeOrder.Enqueue(ctx, client, Charge{id})
	}
	for job, err := range client.Jobs(ctx, queue.Query{Kind: "orders.charge", State: queue.Queued}) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(job.Key, job.State)
	}
	// Output:
	// o-3 queued
	// o-2 queued
	// o-1 queued
}

// How are dead jobs sent back, no faster than 20 in a second, and not at all when they die again the same way?
func ExampleClient_Redrive() {
	ctx := context.Background()
	client, end := open()
	defer end()
	operation, err := client.Redrive(ctx, httpapi.Change{
		Filter:        &httpapi.Filter{Kind: "orders.charge", Reason: queue.ReasonFailures},
		PerSecond:     20,
		StopAfterSame: 10,
		Why:           httpapi.Why{Why: "the gateway is back"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	operation, err = client.Wait(ctx, operation, 10*time.Millisecond)
	fmt.Println(operation.State, operation.Changed, operation.Same, err)
	// Output:
	// done 0 0 <nil>
}
