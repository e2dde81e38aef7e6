package loadtest

import (
	"fmt"
	"strconv"
)

// Payload is the body of job id: about 100 bytes of JSON, the same for every peer.
func Payload(id int64) []byte {
	return fmt.Appendf(nil, `{"id":"%026d","tenant":%q,"pad":%q}`, id, tenant, pad)
}

// Args is the same body for interfaces that take a struct.
type Args struct {
	ID     string `json:"id"`
	Tenant string `json:"tenant"`
	Pad    string `json:"pad"`
}

// MakeArgs is Payload as a struct.
func MakeArgs(id int64) Args {
	return Args{ID: fmt.Sprintf("%026d", id), Tenant: tenant, Pad: pad}
}

// Number is the id that the arguments carry.
func (a Args) Number() (int64, error) { return strconv.ParseInt(a.ID, 10, 64) }

const (
	tenant = "acme-industries"
	pad    = "xxxxxxxxxxxxxxxxxxxxxxxxxxx"
)
