package gateway_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
)

func TestRepeatOfAKeyIsTheSameCharge(t *testing.T) {
	_, c, _ := start(t, gateway.Config{})
	first := charge(t, c, "k1", "o-1", 1250)
	if again := charge(t, c, "k1", "o-1", 1250); again != first {
		t.Errorf("repeat gave %+v, want %+v", again, first)
	}
	found, ok, err := c.Find(t.Context(), "k1")
	if err != nil || !ok || found != first {
		t.Errorf("Find = %+v, %v, %v; want %+v", found, ok, err, first)
	}
	if all := list(t, c); len(all) != 1 || all[0] != first {
		t.Errorf("list = %+v, want the one charge", all)
	}
	st, err := c.State(t.Context())
	if want := (gateway.Counts{Calls: 2, Charges: 1, Replays: 1}); err != nil || st.Counts != want {
		t.Errorf("counts = %+v, %v; want %+v", st.Counts, err, want)
	}
}

func TestKeyReusedWithAnotherBody(t *testing.T) {
	_, c, _ := start(t, gateway.Config{})
	charge(t, c, "k1", "o-1", 1250)
	for name, try := range map[string]struct {
		order    string
		cents    int64
		currency string
	}{
		"order": {"o-2", 1250, "EUR"}, "amount": {"o-1", 1251, "EUR"}, "currency": {"o-1", 1250, "USD"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Charge(t.Context(), "k1", try.order, try.cents, try.currency)
			if !errors.Is(err, gateway.ErrKeyReused) || errors.Is(err, gateway.ErrUnavailable) {
				t.Fatalf("err = %v, want ErrKeyReused", err)
			}
			contains(t, err.Error(), "charge order", "422", "ch_00000001", "use a key of its own")
		})
	}
	if n := len(list(t, c)); n != 1 {
		t.Errorf("%d charges, want 1", n)
	}
}

func TestSideBySideOneKeyChargesOnce(t *testing.T) {
	_, c, _ := start(t, gateway.Config{})
	const callers = 32
	got := make([]gateway.Charge, callers)
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() { got[i], errs[i] = c.Charge(t.Context(), "k", "o-1", 5, "EUR") })
	}
	wg.Wait()
	for i := range callers {
		if errs[i] != nil || got[i] != got[0] {
			t.Errorf("caller %d: %+v, %v; want %+v", i, got[i], errs[i], got[0])
		}
	}
	if n := len(list(t, c)); n != 1 {
		t.Errorf("%d charges, want 1", n)
	}
}

func TestKeyIsForgottenAfterKeyLife(t *testing.T) {
	var mu sync.Mutex
	now := time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC)
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	advance := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	_, c, _ := start(t, gateway.Config{KeyLife: time.Hour, Now: clock})

	first := charge(t, c, "k", "o-1", 5)
	advance(time.Hour - time.Microsecond)
	if again := charge(t, c, "k", "o-1", 5); again != first {
		t.Fatalf("within KeyLife: %+v, want %+v", again, first)
	}
	advance(time.Microsecond)
	if _, found, err := c.Find(t.Context(), "k"); found || err != nil {
		t.Fatalf("after KeyLife: found %v, %v; want not found", found, err)
	}
	second := charge(t, c, "k", "o-1", 5)
	if second.ID == first.ID {
		t.Fatalf("after KeyLife the repeat gave %s again", first.ID)
	}
	if again := charge(t, c, "k", "o-1", 5); again != second {
		t.Errorf("the key stands for %s, want %s", again.ID, second.ID)
	}
	if n := len(list(t, c)); n != 2 {
		t.Errorf("the list has %d charges, want both", n)
	}
}

func TestListIsPaged(t *testing.T) {
	_, c, _ := start(t, gateway.Config{PageSize: 2})
	empty, err := c.List(t.Context(), "")
	if err != nil || len(empty.Charges) != 0 || empty.NextCursor != "" {
		t.Fatalf("empty list = %+v, %v", empty, err)
	}
	for _, order := range []string{"a", "b", "c", "d"} {
		charge(t, c, "k-"+order, order, 1)
	}
	var orders, cursor string
	for {
		page, err := c.List(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		cursor = page.NextCursor
		if len(page.Charges) == 0 {
			break
		}
		if len(page.Charges) > 2 {
			t.Errorf("page of %d, want at most 2", len(page.Charges))
		}
		for _, charge := range page.Charges {
			orders += charge.OrderID
		}
	}
	if orders != "abcd" {
		t.Errorf("read %q, want abcd", orders)
	}
	charge(t, c, "k-e", "e", 1)
	page, err := c.List(t.Context(), cursor)
	if err != nil || len(page.Charges) != 1 || page.Charges[0].OrderID != "e" {
		t.Errorf("after the end: %+v, %v; want the later charge", page, err)
	}
	for _, bad := range []string{"x", "ch_1", "ch_00000099", "ch_-0000001"} {
		if _, err := c.List(t.Context(), bad); !errors.Is(err, gateway.ErrInvalid) {
			t.Errorf("cursor %q: %v, want ErrInvalid", bad, err)
		}
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	_, c, url := start(t, gateway.Config{MaxPage: 10, PageSize: 10, MaxBody: 400})
	good := `{"order_id":"o-1","amount_cents":1,"currency":"EUR"}`
	for name, try := range map[string]struct {
		method, path, key, body string
		status                  int
		code                    string
	}{
		"no key":            {"POST", "/charges", "", good, 400, gateway.CodeInvalid},
		"long key":          {"POST", "/charges", strings.Repeat("k", 256), good, 400, gateway.CodeInvalid},
		"key with a space":  {"POST", "/charges", "a b", good, 400, gateway.CodeInvalid},
		"not JSON":          {"POST", "/charges", "k", `hello`, 400, gateway.CodeInvalid},
		"nothing":           {"POST", "/charges", "k", ``, 400, gateway.CodeInvalid},
		"two objects":       {"POST", "/charges", "k", good + good, 400, gateway.CodeInvalid},
		"unknown field":     {"POST", "/charges", "k", `{"amount":1}`, 400, gateway.CodeInvalid},
		"no order":          {"POST", "/charges", "k", `{"amount_cents":1,"currency":"EUR"}`, 400, gateway.CodeInvalid},
		"nothing to pay":    {"POST", "/charges", "k", `{"order_id":"o","amount_cents":0,"currency":"EUR"}`, 400, gateway.CodeInvalid},
		"less than nothing": {"POST", "/charges", "k", `{"order_id":"o","amount_cents":-1,"currency":"EUR"}`, 400, gateway.CodeInvalid},
		"huge amount":       {"POST", "/charges", "k", `{"order_id":"o","amount_cents":9223372036854775808,"currency":"EUR"}`, 400, gateway.CodeInvalid},
		"small letters":     {"POST", "/charges", "k", `{"order_id":"o","amount_cents":1,"currency":"eur"}`, 400, gateway.CodeInvalid},
		"too large":         {"POST", "/charges", "k", good + strings.Repeat(" ", 400), 413, gateway.CodeTooLarge},
		"find no key":       {"GET", "/charges?key=", "", "", 400, gateway.CodeInvalid},
		"find unknown":      {"GET", "/charges?key=none", "", "", 404, gateway.CodeNotFound},
		"limit 0":           {"GET", "/charges?limit=0", "", "", 400, gateway.CodeInvalid},
		"limit too high":    {"GET", "/charges?limit=11", "", "", 400, gateway.CodeInvalid},
		"control unknown":   {"POST", "/control", "", `{"fail_sometimes":1}`, 400, gateway.CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), try.method, url+try.path, strings.NewReader(try.body))
			if err != nil {
				t.Fatal(err)
			}
			if try.key != "" {
				req.Header.Set("Idempotency-Key", try.key)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != try.status || !bytes.Contains(body, []byte(`"code":"`+try.code+`"`)) {
				t.Errorf("%d %s (%v), want %d %s", resp.StatusCode, body, err, try.status, try.code)
			}
		})
	}
	if n := len(list(t, c)); n != 0 {
		t.Errorf("%d charges, want none", n)
	}
}

func TestStatusTellsChargeFromReplay(t *testing.T) {
	_, _, url := start(t, gateway.Config{})
	for i, want := range []struct {
		status   int
		replayed string
	}{{201, ""}, {200, "true"}} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", url+"/charges",
			strings.NewReader(`{"order_id":"o-1","amount_cents":1,"currency":"EUR"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Idempotency-Key", "k")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want.status || resp.Header.Get("Idempotent-Replayed") != want.replayed {
			t.Errorf("call %d: %d, replayed %q; want %+v", i, resp.StatusCode, resp.Header.Get("Idempotent-Replayed"), want)
		}
	}
}

func TestListThatIsFullRefusesAndCharges(t *testing.T) {
	_, c, _ := start(t, gateway.Config{MaxCharges: 1})
	charge(t, c, "k1", "o-1", 1)
	_, err := c.Charge(t.Context(), "k2", "o-2", 1, "EUR")
	if !errors.Is(err, gateway.ErrUnavailable) {
		t.Fatalf("err = %v, want ErrUnavailable", err)
	}
	contains(t, err.Error(), "MaxCharges")
	charge(t, c, "k1", "o-1", 1) // a repeat still finds its charge
}
