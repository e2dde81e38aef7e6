package campaign

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"sync"
)

// The wire brings what worker processes tell to the campaign: a connection for each process, an event a
// line. What was written before a process was killed still arrives.

// wire is the campaign's end. It hears nothing before start.
type wire struct {
	listener net.Listener
	open     sync.WaitGroup
	heard    func(Event)
}

func listen(heard func(Event)) (*wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &wire{listener: l, heard: heard}, nil
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
			lines := bufio.NewScanner(conn)
			for lines.Scan() {
				var e Event
				if json.Unmarshal(lines.Bytes(), &e) == nil { // the last line of a killed process may be cut
					w.heard(e)
				}
			}
		})
	}
}

// close waits until everything that was told has been heard. The processes must have ended.
func (w *wire) close() {
	_ = w.listener.Close()
	w.open.Wait()
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
