package main

import (
	"os"
	"os/user"
	"strings"
)

// isTerminal reports whether a stream is a terminal. The null device is none, though it is a device too.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// loginName is the operating system's name of who runs this; empty where it has none.
func loginName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return os.Getenv("USER")
}

// coloured reports whether a stream takes colours: a terminal, and nobody has said no.
func (s *session) coloured(stream any) bool {
	return s.Env("NO_COLOR") == "" && s.Env("TERM") != "dumb" && s.Terminal(stream)
}

// paint colours a text for stdout; text must be plain.
func (s *session) paint(code, text string) string {
	if text == "" || code == "" || !s.coloured(s.Stdout) {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

const (
	bold, dim                   = "1", "2"
	redInk, greenInk, yellowInk = "31", "32", "33"
	blueInk                     = "34"
)

func (s *session) red(text string) string {
	if !s.coloured(s.Stderr) {
		return text
	}
	return "\x1b[" + redInk + "m" + text + "\x1b[0m"
}

func (s *session) faint(text string) string {
	if !s.coloured(s.Stderr) {
		return text
	}
	return "\x1b[" + dim + "m" + text + "\x1b[0m"
}

// ink is the colour of a word that tells a state.
func ink(word string) string {
	switch {
	case word == "done", word == "accepted", word == "recorded", word == "confirmed":
		return greenInk
	case word == "dead", word == "conflict", word == "refused", word == "unknown", word == "silent":
		return redInk
	case word == "running":
		return blueInk
	case word == "cancelled", word == "duplicate", strings.HasPrefix(word, "paused"):
		return yellowInk
	}
	return ""
}
