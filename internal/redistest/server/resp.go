package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Conn is one connection that sends a command at a time. It is not for concurrent use.
type Conn struct {
	net.Conn
	in *bufio.Reader
}

// Dial connects to a server.
func Dial(addr string) (*Conn, error) {
	c, err := net.DialTimeout("tcp", addr, answerWithin)
	if err != nil {
		return nil, err
	}
	return &Conn{c, bufio.NewReader(c)}, nil
}

// answerWithin bounds the wait for an answer: a frozen server gives none.
const answerWithin = 10 * time.Second

// Failure is an error that the server answered.
type Failure string

func (f Failure) Error() string { return "redis: " + string(f) }

// Do sends a command and gives its answer: nil, string, int64, Failure or []any.
func (c *Conn) Do(args ...string) (any, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	if err := c.SetDeadline(time.Now().Add(answerWithin)); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(c.Conn, b.String()); err != nil {
		return nil, err
	}
	v, err := c.read()
	if f, ok := v.(Failure); ok && err == nil {
		err = f
	}
	return v, err
}

func (c *Conn) read() (any, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimSuffix(line, "\r\n")
	if line == "" {
		return nil, errors.New("redis: an empty line for an answer")
	}
	rest := line[1:]
	switch line[0] {
	case '+':
		return rest, nil
	case '-':
		return Failure(rest), nil
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	switch {
	case err != nil:
		return nil, fmt.Errorf("redis: %q for an answer", line)
	case line[0] == ':':
		return n, nil
	case n < 0:
		return nil, nil
	case line[0] == '$':
		b := make([]byte, n+2)
		_, err := io.ReadFull(c.in, b)
		return string(b[:n]), err
	case line[0] != '*':
		return nil, fmt.Errorf("redis: %q for an answer", line)
	}
	all := make([]any, n)
	for i := range all {
		if all[i], err = c.read(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Text is an answer as text: arrays one element a line, nothing for nil.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		lines := make([]string, len(v))
		for i := range v {
			lines[i] = Text(v[i])
		}
		return strings.Join(lines, "\n")
	}
	return fmt.Sprint(v)
}

// Field is the value of a field in the answer of INFO or CLUSTER INFO, "" where there is none.
func Field(info, name string) string {
	for line := range strings.Lines(info) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
