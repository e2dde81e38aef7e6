package twice

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// What must go, and what must stay for a person to understand the error.
func TestScrub(t *testing.T) {
	const s = "hunter2-S3cret"
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r"
	for in, want := range map[string]string{
		"":                                    "",
		"dial tcp 10.0.0.7:6379: refused":     "dial tcp 10.0.0.7:6379: refused",
		"order o-17: card declined (code 51)": "order o-17: card declined (code 51)",
		// URLs
		"open redis://app:" + s + "@db:6379/1: refused": "open redis://app:***@db:6379/1: refused",
		"open redis://:" + s + "@db:6379":               "open redis://:***@db:6379",
		`parse "postgres://u:` + s + `@h/db?x=1": bad`:  `parse "postgres://u:***@h/db?x=1": bad`,
		"amqp://u:p@" + s + "@h":                        "amqp://u:***@h",
		"redis://u:" + s + "/x@h:1/0":                   "redis://u:***@h:1/0",
		"redis://u:" + s + "?x#y@h:1/0":                 "redis://u:***@h:1/0",
		"a://u:" + s + "@h and b://v:" + s + "@i":       "a://u:***@h and b://v:***@i",
		"GET http://api:8080/users/a@b.test: 503":       "GET http://api:8080/users/a@b.test: 503",
		"GET http://api.test/users?mail=a@b.test: 503":  "GET http://api.test/users?mail=a@b.test: 503",
		"mysql app:" + s + "@tcp(db:3306)/x":            "mysql app:***@tcp(db:3306)/x",
		"mail to ada@customer.test: 550":                "mail to ada@customer.test: 550",
		// headers
		"Authorization: Bearer " + s:                 "Authorization: Bearer ***",
		"authorization=Basic " + s + "==, next":      "authorization=Basic ***, next",
		"Authorization: " + s:                        "Authorization: ***",
		"map[Authorization:[Token " + s + "] X:[1]]": "map[Authorization:[Token ***] X:[1]]",
		"Proxy-Authorization: Digest " + s:           "Proxy-Authorization: Digest ***",
		"sent bearer " + s + " to the gateway":       "sent bearer *** to the gateway",
		"Set-Cookie: sid=" + s + "; Path=/":          "Set-Cookie: ***; Path=/",
		// fields
		"user=app password=" + s + " host=db":           "user=app password=*** host=db",
		`{"password":"` + s + `","id":7}`:               `{"password":***,"id":7}`,
		`{\"client_secret\": \"` + s + `\", \"id\": 7}`: `{\"client_secret\": ***, \"id\": 7}`,
		"https://h/p?token=" + s + "&page=2":            "https://h/p?token=***&page=2",
		"X-Api-Key: " + s:                               "X-Api-Key: ***",
		"?X-Amz-Signature=" + s + "&X-Amz-Date=1":       "?X-Amz-Signature=***&X-Amz-Date=1",
		"AWS_SECRET_ACCESS_KEY=" + s:                    "AWS_SECRET_ACCESS_KEY=***",
		"passwd: '" + s + "' PGPASSWORD=" + s:           "passwd: *** PGPASSWORD=***",
		"the token is too old":                          "the token is too old",
		"unexpected token near line 3":                  "unexpected token near line 3",
		"attempt 3 of token 4: lease lost":              "attempt 3 of token 4: lease lost",
		// shapes
		"jwt " + jwt + " expired":                                                  "jwt *** expired",
		"key sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc":                                "key ***",
		"AKIA" + "IOSFODNN7EXAMPLE denied":                                         "*** denied",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- bad": "*** bad",
		// lines
		"a\nb\tc\r\x00\x1b[31m\u2028d\u0085e": "a b c   [31m d e",
		"\xff\xfe bytes":                      "\uFFFD bytes",
	} {
		if got := Scrub(in, 1<<10); got != want {
			t.Errorf("%q\n gives %q\n  want %q", in, got, want)
		}
	}
}

// However long the text and wherever the cut: no part of the secret is left, and the bound holds.
func TestScrub_bounds(t *testing.T) {
	secret := strings.Repeat("S3", 40)
	for _, in := range []string{"redis://u:" + secret + "@h", "password=" + secret, "Bearer " + secret, "eyJ" + secret + "." + secret + ".x"} {
		for _, at := range []int{0, 900, 1020, 1024, 1030, maxScrubbed + 1000, maxScrubbed + 1024, maxScrubbed + 1040} {
			for _, after := range []string{"", " and more", strings.Repeat(" x", 50_000)} {
				got := Scrub(strings.Repeat("é ", at/3)+" "+in+after, 1024)
				if strings.Contains(got, "S3") || len(got) > 1024+len(cutNote) || !utf8.ValidString(got) {
					t.Errorf("at %d: %q", at, got)
				}
			}
		}
	}
	if got := Scrub(strings.Repeat("x", 100_000), 10); got != cutNote {
		t.Errorf("one endless word gives %.60q", got)
	}
	if got := Scrub("xyz", -1); got != cutNote {
		t.Errorf("limit -1 gives %q", got)
	}
}

// Whatever the text: valid, one line, bounded, and without the password of a URL in it.
func FuzzScrub(f *testing.F) {
	f.Add("open redis://app:x@db: refused", 20)
	f.Add("\xff\xf0\x90", 3)
	f.Fuzz(func(t *testing.T, in string, limit int) {
		limit = limit % 2000
		got := Scrub(in, limit)
		if !utf8.ValidString(got) || len(got) > max(0, limit)+len(cutNote) || strings.ContainsAny(got, "\n\r\x00\x1b") {
			t.Errorf("%q, %d gives %q", in, limit, got)
		}
		whole := "open redis://app:Zq9Zq9@db/1 " + strings.ReplaceAll(in, "Zq9", "")
		if strings.Contains(Scrub(whole, 4<<10), "Zq9Zq9") {
			t.Errorf("%q shows the password", whole)
		}
	})
}

func BenchmarkScrub(b *testing.B) {
	text := strings.Repeat("charge order o-17: gateway answered 503 Service Unavailable; ", 10)
	b.ReportAllocs()
	for b.Loop() {
		Scrub(text, 1<<10)
	}
}
