package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// The codes of the gateway's errors, in the body's error.code.
const (
	CodeInvalid     = "invalid"      // 400: the request cannot be understood; not charged
	CodeTooLarge    = "too_large"    // 413: the body is over the limit; not charged
	CodeDeclined    = "declined"     // 402: a definite no; not charged
	CodeKeyReused   = "key_reused"   // 422: the key names a charge for another order or amount
	CodeNotFound    = "not_found"    // 404: no charge under this key, as far as keys are remembered
	CodeUnavailable = "unavailable"  // 503: nothing is said of whether it charged
	CodeHeldFull    = "held_full"    // 503: told to hold more calls than it may
	CodeFull        = "full"         // 503: the list holds all the charges it may
	CodeStore       = "store_failed" // 503: the file could not be written
)

// problem is an error as the gateway answers it.
type problem struct {
	status  int
	code    string
	message string
}

// problemBody is a problem on the wire.
type problemBody struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func invalid(format string, args ...any) *problem {
	return &problem{http.StatusBadRequest, CodeInvalid, fmt.Sprintf(format, args...)}
}

func unavailable(code, format string, args ...any) *problem {
	return &problem{http.StatusServiceUnavailable, code, fmt.Sprintf(format, args...)}
}

// answer makes an http.HandlerFunc of a handler that has either answered, or
// returns the problem to answer with.
func answer(handle func(http.ResponseWriter, *http.Request) *problem) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p := handle(w, r); p != nil {
			var body problemBody
			body.Error.Code, body.Error.Message = p.code, p.message
			writeJSON(w, p.status, body)
		}
	}
}

// writeJSON answers with a status and a body. A write that fails means that the
// caller has gone; there is nobody left to tell.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
