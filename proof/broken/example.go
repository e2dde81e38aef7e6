package broken

import (
	"context"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof"
)

// Example is a handler that is wrong, and the same one made right.
type Example struct {
	Name  string // what people call it
	Why   string // it is wrong
	Fix   string
	Wrong Explore
	Right Explore
	// Found is how the kit finds it: the sort of the shortest schedule, and words of what it says. By is every sort that
	// finds it when nothing else is explored: without these the kit passes it.
	Found proof.Sort
	Says  []string
	By    []proof.Sort
}

// Explore proves a handler, with these sorts left out.
type Explore func(skip ...proof.Sort) (proof.Report, error)

// All gives every example.
func All() []Example {
	return []Example{
		ChargeThenRecord, CheckThenAct, CounterIncrement, MailWithoutKey, FileAppend,
		SendThenCommit, MapInMemory, FreshKey, IfNotExists, TwoEffectsInOneStep,
	}
}

// Order is what the jobs of all examples are about.
type Order struct {
	ID string `json:"id"`
}

// Ship is their kind.
var Ship = twice.Define("orders.ship", twice.Policy[Order]{Key: func(o Order) string { return o.ID }})

type handler = func(s *shop, ctx context.Context, job twice.Job[Order]) error

// on proves a handler in a shop.
func on(handle handler) Explore {
	return func(skip ...proof.Sort) (proof.Report, error) {
		return proof.Run(proof.Case[Order, *shop]{
			World: newShop, Kind: Ship, Args: Order{"o-17"}, Handle: handle, Observe: (*shop).look, Start: (*shop).restarted, Skip: skip,
		})
	}
}
