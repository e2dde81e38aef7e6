package gateway_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/twicehq/twice/examples/orders/gateway"
)

// What stands between a caller and the gateway also answers: none of it is
// taken for the gateway's word.
func TestAnswersThatAreNotTheGatewaysAreUnknown(t *testing.T) {
	for name, row := range map[string]struct {
		status int
		body   string
	}{
		"402 of a proxy":     {402, "Payment Required"},
		"404 of a proxy":     {404, "404 page not found"},
		"422 of a proxy":     {422, `{"error":"no"}`},
		"500":                {500, ""},
		"502 with a page":    {502, "<html>"},
		"200 with a page":    {200, "<html>"},
		"200 with no charge": {200, "{}"},
		"201, another key":   {201, `{"id":"ch_00000001","key":"other"}`},
		"307":                {307, ""},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(row.status)
				_, _ = io.WriteString(w, row.body)
			}))
			defer web.Close()
			c, err := gateway.NewClient(web.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Charge(t.Context(), "k", "o", 1, "EUR"); !errors.Is(err, gateway.ErrUnavailable) {
				t.Errorf("Charge: %v, want ErrUnavailable", err)
			}
			if _, found, err := c.Find(t.Context(), "k"); found || !errors.Is(err, gateway.ErrUnavailable) {
				t.Errorf("Find: %v, %v; want ErrUnavailable", found, err)
			}
		})
	}
}

func TestNobodyListensIsUnknown(t *testing.T) {
	web := httptest.NewServer(nil)
	c, err := gateway.NewClient(web.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	web.Close()
	if _, err := c.Charge(t.Context(), "k", "o", 1, "EUR"); !errors.Is(err, gateway.ErrUnavailable) {
		t.Errorf("Charge: %v, want ErrUnavailable", err)
	}
	for _, err := range c.All(t.Context()) {
		if !errors.Is(err, gateway.ErrUnavailable) {
			t.Errorf("All: %v, want ErrUnavailable", err)
		}
	}
}

func TestBadRequestsAreInvalid(t *testing.T) {
	_, c, _ := start(t, gateway.Config{})
	for name, row := range map[string]struct{ key, order, says string }{
		"no key":      {"", "o", "idempotency key"},
		"control key": {"a\x00b", "o", "0x00"},
		"no order":    {"k", "", "order_id"},
		"long order":  {"k", strings.Repeat("o", 201), "order_id"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Charge(t.Context(), row.key, row.order, 1, "EUR")
			if !errors.Is(err, gateway.ErrInvalid) {
				t.Fatalf("err = %v, want ErrInvalid", err)
			}
			contains(t, err.Error(), row.says)
		})
	}
	if err := c.Live(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestClientBaseIsCheckedAndNotRepeated(t *testing.T) {
	for _, base := range []string{"", "127.0.0.1:80", "ftp://u:secret@h", "http://u:secret@h:x"} {
		_, err := gateway.NewClient(base, nil)
		if err == nil {
			t.Fatalf("%q: no error", base)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error shows the password: %v", base, err)
		}
	}
}
