package redis

import (
	"context"
	"errors"
	"net"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// translated says what an error of the client or the server means for a caller.
func translated(op string, err error) error {
	if err == nil {
		return nil
	}
	var known *queue.Error
	if errors.As(err, &known) {
		return err
	}
	e := &queue.Error{Op: op, Subject: "redis", Cause: err}
	var dial *net.OpError
	switch refusal := refusalOf(err); {
	case errors.Is(err, rueidis.ErrClosing):
		e.Reason, e.Cause = queue.ErrClosed, nil
	case refusal == "OOM":
		e.Reason, e.Remedy = queue.ErrFull, "nothing was changed: raise maxmemory, or remove what is not needed"
	case refusal == "MISCONF":
		e.Reason, e.Remedy = queue.ErrFull, "the server cannot write to its disk: look at its log"
	case refusal == "READONLY":
		e.Reason, e.Remedy = queue.ErrReadOnly, "this server is a replica: name the master, or its sentinels"
	case refusal == "NOREPLICAS":
		e.Reason, e.Remedy = queue.ErrUnavailable, "nothing was changed: too few replicas are connected to the server"
	case notReady[refusal]:
		e.Reason, e.Remedy = queue.ErrUnavailable, "nothing was changed: try again"
	case refusal == "NOAUTH" || refusal == "WRONGPASS" || refusal == "NOPERM":
		e.Reason, e.Remedy = queue.ErrInvalid, "check the name and password, and what that user may do"
	case refusal != "":
		e.Reason, e.Remedy = queue.ErrUnavailable, "the server refused the command: look at its log"
	case errors.As(err, &dial) && dial.Op == "dial":
		e.Reason, e.Remedy = queue.ErrUnavailable, "nothing was changed: is the server running, and is its address right?"
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		e.Reason = queue.ErrUnknownOutcome
		e.Remedy = "repeat the same call: it is safe"
	default:
		e.Reason, e.Remedy = queue.ErrUnknownOutcome, "repeat the same call: it is safe"
	}
	return e
}

// inPart is the error of a call of which other parts were carried out.
func inPart(err error) error {
	if err = translated("write", err); errors.Is(err, queue.ErrUnknownOutcome) {
		return err
	}
	return &queue.Error{Op: "write", Subject: "redis", Reason: queue.ErrUnknownOutcome, Detail: "a part of it was carried out", Cause: err,
		Remedy: "repeat the same call: it is safe"}
}

// ended fails where a call's context has ended before it began.
func ended(ctx context.Context, op string) error {
	if err := ctx.Err(); err != nil {
		return &queue.Error{Op: op, Subject: "redis", Reason: err, Detail: "nothing was changed"}
	}
	return nil
}

func failed(op string, id queue.ID, reason error, detail, remedy string) error {
	return &queue.Error{Op: op, Subject: id.String(), Reason: reason, Detail: detail, Remedy: remedy}
}
