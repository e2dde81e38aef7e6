package ledger

import "errors"

// NotDone is Do's word that this very call did definitely nothing: the remote declined it, or could
// not be reached before anything was sent. Then the intent is withdrawn and the next attempt asks
// afresh, unless another attempt has seen it: that one may have asked, too, and the effect stays pending.
//
// A timeout, or a connection that broke after anything was sent, is never NotDone.
func NotDone(err error) error {
	if err == nil {
		err = errors.New("nothing happened")
	}
	return &notDone{err}
}

type notDone struct{ err error }

func (n *notDone) Error() string { return n.err.Error() }
func (n *notDone) Unwrap() error { return n.err }

func saysNotDone(err error) bool {
	var n *notDone
	return errors.As(err, &n)
}
