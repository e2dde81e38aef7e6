package twice

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/twicehq/twice/queue"
)

// What LogFields may not be is said at once, with everything else that is wrong.
func TestLogFields_bad(t *testing.T) {
	var many []string
	for i := range maxLogFields + 1 {
		many = append(many, fmt.Sprint("f", i))
	}
	for _, c := range []struct {
		fields []string
		says   []string
	}{
		{[]string{"order_id", "a.b", "é"}, nil},
		{[]string{""}, []string{"a field of 0 bytes"}},
		{[]string{"a", "a"}, []string{`"a" twice`}},
		{append(many, strings.Repeat("x", maxLogField+1)), []string{"18 LogFields", "a field of 65 bytes"}},
	} {
		k, err := define("test.fields", Policy[int]{Key: ByPayload[int], LogFields: c.fields})
		if len(c.says) == 0 {
			if err != nil || len(k.Rules().LogFields) != len(c.fields) {
				t.Errorf("%v: %v", c.fields, err)
			}
			continue
		}
		if !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("%v: %v", c.fields, err)
		}
		for _, says := range c.says {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v: %v does not say %q", c.fields, err, says)
			}
		}
	}
}
