package redistest

import (
	"testing"

	"github.com/twicehq/twice/internal/faultproxy"
)

// FaultProxy stands between a client and one server and breaks the connection as it is told.
type FaultProxy struct{ *faultproxy.Proxy }

// Proxy forwards connections to addr until the test ends.
func Proxy(t testing.TB, addr string) *FaultProxy {
	t.Helper()
	p, err := faultproxy.New(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return &FaultProxy{p}
}

// URL names the server behind the proxy, its database 0.
func (p *FaultProxy) URL() string { return "redis://" + p.Addr() + "/0" }
