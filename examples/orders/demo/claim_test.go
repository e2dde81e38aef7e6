package demo

import (
	"encoding/json"
	"errors"
	"testing"
)

// A claim holds only if something was checked, everything checked is so, and the scene came to its end.
func TestClaimHoldsByEvidenceAlone(t *testing.T) {
	for name, c := range map[string]struct {
		play  func(*record)
		err   error
		holds bool
	}{
		"nothing was checked":    {play: func(*record) {}},
		"all is so":              {play: func(r *record) { r.equal("n", 2, 2) }, holds: true},
		"one is not so":          {play: func(r *record) { r.equal("n", 2, 2); r.check(false, "x", "y") }},
		"it did not end":         {play: func(r *record) { r.equal("n", 2, 2) }, err: errors.New("in vain")},
		"it did not even begin":  {play: func(*record) {}, err: errors.New("no time")},
		"the other one is false": {play: func(r *record) { r.check(true, "x", "y"); r.equal("n", 1, 2) }},
	} {
		r := newRecord(scene{name: "s", title: "S"})
		c.play(r)
		if got := r.end(c.err); got.Holds != c.holds {
			t.Errorf("%s: holds %v: %+v", name, got.Holds, got)
		}
	}
}

func TestClaimsInJSONAreFieldsInOrder(t *testing.T) {
	b, err := json.Marshal(Claims{{Name: "z"}, {Name: "a"}})
	if err != nil || string(b[:6]) != `{"z":{` {
		t.Fatalf("%v: %s", err, b)
	}
	var back map[string]Claim
	if err := json.Unmarshal(b, &back); err != nil || len(back) != 2 || back["a"].Name != "a" {
		t.Errorf("%v: %+v", err, back)
	}
}
