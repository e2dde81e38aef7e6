package ledger

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/twicehq/twice/queue"
)

// ErrResult: an effect was made, and what it gave cannot be kept, or cannot be read any more. It is
// never made again for that.
var ErrResult = errors.New("unusable result")

// encodable fails where no value of R can be recorded, so that this is known before anything is asked for.
func encodable[R any]() error {
	var zero R
	_, err := json.Marshal(zero)
	if unsupported := (*json.UnsupportedTypeError)(nil); errors.As(err, &unsupported) {
		return &queue.Error{Reason: ErrResult, Detail: fmt.Sprintf("a %T cannot be recorded as JSON", zero), Cause: err, Remedy: "give a plain struct"}
	}
	return nil
}

// decode reads a recorded result. No bytes at all are what is recorded of a result that could not be encoded.
func decode[R any](key Key, recorded []byte) (R, error) {
	var result, none R
	if len(recorded) == 0 {
		return none, &queue.Error{Op: "effect", Subject: key.String(), Reason: ErrResult,
			Detail: "it was made, and its result could not be kept", Remedy: "it is not made again: find the result at the remote by this key"}
	}
	if err := json.Unmarshal(recorded, &result); err != nil {
		return none, &queue.Error{Op: "effect", Subject: key.String(), Reason: ErrResult,
			Detail: fmt.Sprintf("it was made, and its recorded result is no %T (any more)", none), Cause: err,
			Remedy: "it is not made again: let the type read what was recorded, then redrive"}
	}
	return result, nil
}
