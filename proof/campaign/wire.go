package campaign

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// The wire brings what worker processes tell to the campaign: a connection for each process, an event a
// line. What was written before a process was killed still arrives.

// wire is the campaign's end. It hears nothing before start.
type wire struct {
	listener net.Listener
	open     sync.WaitGroup
	heard    func(Event)

	mu      sync.Mutex
	tellers map[net.Conn]string // the process at the other end; "": it has told nothing yet
}

func listen(heard func(Event)) (*wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &wire{listener: l, heard: heard, tellers: map[net.Conn]string{}}, nil
}

func (w *wire) start() { w.open.Go(w.accept) }

func (w *wire) address() string { return w.listener.Addr().String() }

func (w *wire) accept() {
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.open.Go(func() {
			defer conn.Close()
			w.note(conn, "")
			defer w.forget(conn)
			lines := bufio.NewScanner(conn)
			for known := false; lines.Scan(); {
				var e Event
				if json.Unmarshal(lines.Bytes(), &e) == nil { // the last line of a killed process may be cut
					if !known {
						w.note(conn, e.Process)
						known = true
					}
					w.heard(e)
				}
			}
		})
	}
}

func (w *wire) note(conn net.Conn, process string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tellers[conn] = process
}

// silent reports whether everything was heard of the processes whose names begin so, since none of them is connected.
func (w *wire) silent(names string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range w.tellers {
		if name == "" || strings.HasPrefix(name, names) {
			return false
		}
	}
	return true
}

func (w *wire) forget(conn net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.tellers, conn)
}

// close waits until everything that was told has been heard, which is when the processes have ended. Those that
// have not after d are told that the campaign goes away, and named.
func (w *wire) close(d time.Duration) error {
	_ = w.listener.Close()
	if within(d, "", w.open.Wait) == nil {
		return nil
	}
	var names []string
	hangUp := func(end func(net.Conn)) {
		w.mu.Lock()
		defer w.mu.Unlock()
		names = names[:0]
		for conn, name := range w.tellers {
			names = append(names, cmp.Or(name, "one that has told nothing"))
			end(conn)
		}
		slices.Sort(names)
	}
	hangUp(func(conn net.Conn) {
		if half, ok := conn.(*net.TCPConn); ok { // what it still tells is heard
			_ = half.CloseWrite()
		}
	})
	if len(names) == 0 {
		return nil
	}
	err := fmt.Errorf("never in %s: these processes end by themselves: %v", d, names)
	if within(lastWord, "", w.open.Wait) != nil {
		hangUp(func(conn net.Conn) { _ = conn.Close() })
		err = fmt.Errorf("%w; nor after they were told that the campaign goes away: %v", err, names)
	}
	return err
}

// teller is a process's end. When the campaign goes away, so does the process.
type teller struct {
	mu   sync.Mutex
	conn net.Conn
	name string
}

func dial(address, name string) (*teller, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	go func() {
		_, _ = io.Copy(io.Discard, conn)
		os.Exit(3)
	}()
	return &teller{conn: conn, name: name}, nil
}

// tell returns when the line is with the operating system, where no end of this process can recall it.
func (t *teller) tell(e Event) {
	e.Process = t.name
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.conn.Write(append(line, '\n'))
}
