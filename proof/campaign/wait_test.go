package campaign

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// A process that does not end by itself does not hold the campaign up: it is told to go, and named.
func TestWireNamesWhoDoesNotEnd(t *testing.T) {
	heard := make(chan Event, 1)
	w, err := listen(func(e Event) { heard <- e })
	if err != nil {
		t.Fatal(err)
	}
	w.start()
	conn, err := net.Dial("tcp", w.address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(Event{Point: Begun, Process: "w7.1.lone", Job: queue.NewID(KindName, "1")}); err != nil {
		t.Fatal(err)
	}
	<-heard
	gone := make(chan error, 1)
	go func() { // as a teller does
		_, err := io.Copy(io.Discard, conn)
		gone <- errors.Join(err, conn.Close())
	}()
	if err := w.close(time.Millisecond); err == nil || !strings.Contains(err.Error(), "w7.1.lone") || strings.Contains(err.Error(), "nor after") {
		t.Errorf("%v; want an error that names the process, which went when it was told", err)
	}
	if err := <-gone; err != nil {
		t.Error(err)
	}
}

// What is waited for in vain is named.
func TestWithin(t *testing.T) {
	var forever sync.WaitGroup
	forever.Add(1)
	defer forever.Done()
	if err := within(time.Millisecond, "the sky falls", forever.Wait); err == nil || !strings.Contains(err.Error(), "the sky falls") {
		t.Error(err)
	}
	if err := within(time.Minute, "nothing", func() {}); err != nil {
		t.Error(err)
	}
}
