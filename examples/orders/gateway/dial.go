package gateway

import "maps"

// dial is an Aim in use: it counts down. Not safe for concurrent use.
type dial struct {
	Aim
	carry int64 // millionths of a hit owed by Rate
}

func newDial(a Aim) dial {
	a.Orders = maps.Clone(a.Orders)
	return dial{Aim: a}
}

// hit reports whether a call for the order is hit, and uses up what hit it.
func (d *dial) hit(orderID string) bool {
	if n, named := d.Orders[orderID]; named && n != 0 {
		if n > 0 {
			d.Orders[orderID] = n - 1
		}
		return true
	}
	if d.Next != 0 {
		if d.Next > 0 {
			d.Next--
		}
		return true
	}
	const whole = 1_000_000
	if d.carry += int64(d.Rate*whole + 0.5); d.carry >= whole {
		d.carry -= whole
		return true
	}
	return false
}

// left is the Aim as it is now.
func (d *dial) left() Aim {
	a := d.Aim
	a.Orders = maps.Clone(a.Orders)
	maps.DeleteFunc(a.Orders, func(_ string, n int) bool { return n == 0 })
	if len(a.Orders) == 0 {
		a.Orders = nil
	}
	return a
}
