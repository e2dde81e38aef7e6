package queue_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/twicehq/twice/queue"
)

func TestSignature(t *testing.T) {
	for text, want := range map[string]string{
		"": "(no text)",
		"dial tcp 10.0.0.7:5432: connect: connection refused":                                     "dial tcp #: connect: connection refused",
		"dial tcp 192.168.3.44:6379: connect: connection refused":                                 "dial tcp #: connect: connection refused",
		`order "o-17" not found`:                                                                  `order "…" not found`,
		"order 17: no such order":                                                                 "order #: no such order",
		"job 550e8400-e29b-41d4-a716-446655440000 is gone":                                        "job # is gone",
		"job deadbeef00112233 is gone":                                                            "job # is gone",
		"timed out after 1m30s":                                                                   "timed out after #",
		"timed out after 250ms":                                                                   "timed out after #",
		"x509: certificate signed by unknown authority":                                           "x#: certificate signed by unknown authority",
		"can't reach it, it didn't answer":                                                        "can't reach it, it didn't answer",
		"invalid character 'x' looking for beginning of value":                                    `invalid character "…" looking for beginning of value`,
		"panic: runtime error: index out of range [5] with length 3\n\ngoroutine 17 [running]:\n": "panic: runtime error: index out of range [#] with length #",
		"  \n two   words\t\x00here":                                                              "two words here",
		"an open \"quote":                                                                         "an open \"quote",
		"charge ch_8fJ3k2LmQ failed":                                                              "charge ch_# failed",
		"at 2026-11-30T20:20:57Z":                                                                 "at #Z",
	} {
		if got := queue.Signature(text); got != want {
			t.Errorf("%q\n got  %q\n want %q", text, got, want)
		}
	}
	if long := queue.Signature(strings.Repeat("é ", 5000)); len(long) > queue.MaxSignature || !utf8.ValidString(long) {
		t.Errorf("%d bytes: %q", len(long), long)
	}
}

func FuzzSignature(f *testing.F) {
	for _, text := range []string{"a 'b' c", "\xff\xfe", `"\`, "#1", "1.2.3", "''''", "\"…\"", strings.Repeat("x1", 99), strings.Repeat("'a", 99)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := queue.Signature(text)
		if got == "" || len(got) > queue.MaxSignature || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\x00") {
			t.Errorf("%q of %q", got, text)
		}
	})
}
