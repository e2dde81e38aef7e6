package main

import (
	"fmt"

	"github.com/twicehq/twice/examples/orders/proved"
	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/proof/prove"
)

// provedHandlers are the orders application's, on the engine under proof.
func provedHandlers() []prove.Handler {
	return []prove.Handler{
		handler("charge", proved.Charge, false),
		handler("receipt", proved.Receipt, false),
		handler("reconcile", proved.Reconcile, false),
		handler("charge", proved.Charge, true),
		handler("receipt", proved.Receipt, true),
	}
}

// handler explores a case where the engine under proof has the jobs, or as a control with the ledger off.
func handler[T, W any](name string, of func(proved.Place) proof.Case[T, W], control bool) prove.Handler {
	return prove.Handler{Name: name, Control: control, Run: func(limits proof.Limits, fresh prove.Fresh) (proof.Report, error) {
		place := proved.Within
		switch {
		case control:
			place = proved.LedgerOff
		case fresh != nil:
			place = proved.On("the engine", fresh)
		}
		c := of(place)
		c.Limits = limits
		report, err := proof.Run(c)
		if err != nil {
			err = fmt.Errorf("%s: %w", place, err)
		}
		return report, err
	}}
}
