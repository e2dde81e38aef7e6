package loadtest

import (
	"encoding/json"
	"testing"
)

func TestBothFormsAreTheSameBytes(t *testing.T) {
	b, err := json.Marshal(MakeArgs(42))
	if err != nil || string(b) != string(Payload(42)) || len(b) < 95 || len(b) > 105 {
		t.Errorf("%s (%d bytes)\n%s\n%v", b, len(b), Payload(42), err)
	}
	if n, err := MakeArgs(42).Number(); n != 42 || err != nil {
		t.Error(n, err)
	}
}
