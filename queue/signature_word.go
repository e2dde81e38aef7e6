package queue

import "strings"

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

const uuidLen = 36

// isUUID reports whether text begins with 8-4-4-4-12 hexadecimal digits.
func isUUID(text string) bool {
	if len(text) < uuidLen || len(text) > uuidLen && isWord(text[uuidLen]) {
		return false
	}
	for i := range uuidLen {
		switch i {
		case 8, 13, 18, 23:
			if text[i] != '-' {
				return false
			}
		default:
			if !isHex(text[i]) {
				return false
			}
		}
	}
	return true
}

// numbers reports whether a word tells one thing from another of its sort: a number, with a unit of time or without; hex; or
// letters and digits mixed as only ids are. x509 and http2 are names.
func numbers(w string) bool {
	digits, hex, turns := 0, true, 0
	for i := range len(w) {
		if isDigit(w[i]) {
			digits++
		}
		hex = hex && isHex(w[i])
		if i > 0 && isDigit(w[i]) != isDigit(w[i-1]) {
			turns++
		}
	}
	switch {
	case digits == 0:
		return false
	case digits == len(w), turns > 1, hex && len(w) >= 8:
		return true
	}
	switch strings.TrimLeft(w, "0123456789") {
	case "ns", "us", "ms", "s", "m", "h":
		return isDigit(w[0])
	}
	return false
}
