package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/twicehq/twice/queue"
)

func TestParseTokens(t *testing.T) {
	long := strings.Repeat("x", MaxToken)
	for _, good := range []string{"", " ", "operator:alice=0123456789abcdef", "viewer:bob=" + long, " operator:a=0123456789abcdef , viewer:b=0123456789abcdeg ",
		"viewer:a=0123456789abcdef,viewer:a=0123456789abcdeg", "operator:a=0123456789abcde=="} {
		if _, err := ParseTokens(good); err != nil {
			t.Errorf("%.60q: %v", good, err)
		}
	}
	secret := "S3CRETS3CRETS3CRET"
	for bad, says := range map[string]string{
		"alice=" + secret:                               "role:name=TOKEN",
		"operator:alice":                                "role:name=TOKEN",
		"admin:alice=" + secret:                         "neither viewer nor operator",
		"operator:=" + secret:                           "name",
		"operator:a b=" + secret:                        "name",
		"operator:alice=short":                          "5 characters",
		"operator:alice=" + long + "x":                  "257 characters",
		"operator:alice=" + secret + "\x00":             "printable",
		"operator:alice=" + secret + "é":                "printable",
		"operator:a=" + secret + ",viewer:b=" + secret:  "there already",
		"operator:a=" + secret + ",":                    "entry 2",
		",":                                             "2",
		strings.Repeat("operator:alice="+secret+",", 3): "there already",
	} {
		_, err := ParseTokens(bad)
		if !errors.Is(err, queue.ErrInvalid) || !strings.Contains(fmt.Sprint(err), says) || strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("%.80q: %v", bad, err)
		}
	}
}

// Whatever prints tokens, or logs them, tells none.
func TestTokens_are_not_told(t *testing.T) {
	all := tokens(t)
	var logs bytes.Buffer
	slog.New(slog.NewJSONHandler(&logs, nil)).Info("x", "tokens", all, "config", Config{Tokens: all}.Tokens)
	j, _ := json.Marshal(all)
	text := fmt.Sprintf("%v %+v %#v %s %q %d %x", all, all, all, all, all, all, all) + logs.String() + string(j) + fmt.Sprintf("%+v", Config{Tokens: all})
	for _, s := range []string{opToken, fmt.Sprintf("%x", opToken), "alice"} {
		if strings.Contains(text, s) {
			t.Errorf("%s in %s", s, text)
		}
	}
}

func TestTokens_holder(t *testing.T) {
	all := tokens(t)
	if who, ok := all.Holder(opToken); !ok || who != (Who{"alice", Operator}) {
		t.Error(who, ok)
	}
	if who, ok := all.Holder(viewToken); !ok || who != (Who{"bob", Viewer}) {
		t.Error(who, ok)
	}
	for _, bad := range []string{"", opToken + "x", opToken[1:], strings.ToUpper(opToken)} {
		if who, ok := all.Holder(bad); ok {
			t.Error(bad, who)
		}
	}
	if (Tokens{}).Any() || !all.Any() {
		t.Error("Any")
	}
}

// A token counts only as a bearer token, alone.
func TestTokens_of_a_request(t *testing.T) {
	r := newRig(t, inMemory(t), Config{Tokens: tokens(t)})
	for header, status := range map[string]int{
		"Bearer " + opToken: 200, "bearer " + viewToken: 200, "Bearer " + opToken + " ": 401, "Bearer  " + opToken: 401, opToken: 401, "Basic " + opToken: 401, "Bearer": 401, "": 401,
		"Bearer " + strings.Repeat("x", 10_000): 401,
	} {
		if w := r.ask("GET", v1+"abilities", "", "Authorization", header); w.Code != status || status == 401 && w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%.60q: %d", header, w.Code)
		}
	}
	q := request("GET", v1+"abilities?token="+opToken, "")
	q.Header["Authorization"] = []string{"Bearer nonsense-0123456789", "Bearer " + opToken}
	if _, err := r.api.holder(q); !errors.Is(err, ErrUnauthenticated) {
		t.Error(err)
	}
}
