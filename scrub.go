package twice

import (
	"regexp"
	"strings"
)

// Scrub makes a text fit for a log, a span or a page that many may read: what looks like a secret is replaced by
// "***", control characters by spaces, what is no UTF-8 by U+FFFD; it is one line of at most limit bytes, and says
// where it was cut. A secret is the password of a URL or a data source name; what follows Authorization, Bearer or
// Basic; the value of a field whose name speaks of a password, a secret, a token, a key or a signature; and what
// has the shape of a token by itself (JSON Web Token, keys of well-known services, a private key).
//
// It knows secrets by their shape, so it is the last guard and not the first: do not put them into errors. What it
// takes for one by mistake is lost to the log only. It is safe for concurrent use; its time grows with the text, of
// which it reads no more than limit + 16 KiB.
func Scrub(text string, limit int) string {
	full := len(text)
	if most := max(limit, 0) + maxScrubbed; full > most {
		text = text[:most]
		// The cut may have halved a secret, whose shape is then gone: the whole word goes.
		text = text[:strings.LastIndexAny(text, " \t\r\n")+1]
	}
	kept := len(text)
	text = hide(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Map(plainRune, text)
	if len(text) > max(limit, 0) || kept < full {
		text = strings.ToValidUTF8(text[:min(len(text), max(limit, 0))], "") + cutNote
	}
	return text
}

const (
	maxScrubbed = 16 << 10
	cutNote     = " … cut"
	hidden      = "***"
)

// plainRune leaves no control character, and nothing that a reader may take for the end of a line.
func plainRune(c rune) rune {
	if c < ' ' || c == 0x7f || c == '\u2028' || c == '\u2029' || ('\u0080' <= c && c < '\u00a0') {
		return ' '
	}
	return c
}

// hide replaces what looks like a secret. Most texts hold none: each shape is looked for only where a part of it
// stands that is quick to find.
func hide(text string) string {
	if strings.Contains(text, "://") {
		text = secretURL.ReplaceAllString(text, "${1}:"+hidden+"@")
		text = secretPath.ReplaceAllStringFunc(text, hideInPath)
	}
	if strings.ContainsRune(text, '@') {
		text = secretDSN.ReplaceAllString(text, "${1}:"+hidden+"@${2}(")
	}
	if strings.Contains(text, "PRIVATE KEY") {
		text = secretPEM.ReplaceAllString(text, hidden)
	}
	lower := strings.ToLower(text)
	if containsAny(lower, "auth", "bearer", "basic") {
		text = secretScheme.ReplaceAllString(text, "${1}"+hidden)
	}
	if containsAny(lower, "pass", "pwd", "secret", "token", "key", "credential", "signature", "session", "cookie") {
		text = secretField.ReplaceAllString(text, "${1}"+hidden)
	}
	if containsAny(lower, "eyj", "sk_", "rk_", "pk_", "whsec_", "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "akia", "asia", "aiza") {
		text = secretShape.ReplaceAllString(text, hidden)
	}
	return text
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

var (
	// scheme://user:password@, the password up to the last @ of the authority.
	secretURL = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/?#:@"'<>]*):[^\s/?#"'<>]*@`)
	// The same where the password holds a raw / ? or #, so that it is no URL any more: see hideInPath.
	secretPath = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#:@"'<>]*:[^\s"'<>@]*[/?#][^\s"'<>]*@`)
	secretPort = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#:@]*:([0-9]*[/?#]|\*\*\*@)`)
	secretDSN  = regexp.MustCompile(`([^\s:@/"']+):[^\s/"']+@(tcp|tcp6|unix)\(`)
	secretPEM  = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY.*?(-----END [A-Z ]*PRIVATE KEY-----|$)`)
	// A scheme and its credentials: after Authorization whatever scheme it is, else the two that carry secrets.
	secretScheme = regexp.MustCompile(`(?i)(\b(?:proxy-)?authorization["']?\s*[:=]\s*["'\[]*(?:[a-z][a-z0-9-]*\s+)?|\b(?:bearer|basic)\s+)[^\s"',;\]]{4,}`)
	secretField  = regexp.MustCompile(`(?i)([a-z0-9_.-]*(?:passw(?:or)?d|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|signature|session[_-]?id|cookie)[a-z0-9_-]*\\?["']?\s*[:=]\s*)(?:\\?"[^"\\]*\\?"?|'[^']*'?|[^\s"'&,;)}\]]+)`)
	secretShape  = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)?` +
		`|\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{12,}|\bsk-[A-Za-z0-9_-]{16,}` +
		`|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_[A-Za-z0-9_]{16,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[a-z]-[A-Za-z0-9-]{8,}` +
		`|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}`)
)

// hideInPath hides what may be a password with a slash in it; host:8080/path?to=a@b is none.
func hideInPath(found string) string {
	if secretPort.MatchString(found) {
		return found
	}
	scheme, rest, _ := strings.Cut(found, "://")
	user, _, _ := strings.Cut(rest, ":")
	return scheme + "://" + user + ":" + hidden + "@"
}
