package campaign

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/twicehq/twice/queue"
)

// Remote is the world outside, in the campaign's process, where no worker's end can touch it. It charges,
// honouring keys: a repeat of a key gives the first charge again, and it can be asked about one. And it
// mails, honouring nothing: every call is a mail. Each call is appended to its log before it is carried
// out; the log deduplicates nothing.
type Remote struct {
	server   *http.Server
	listener net.Listener
	url      string
	passed   func(Event) // called at each point; the caller waits for its end

	mu      sync.Mutex
	log     *json.Encoder
	file    io.Closer
	failed  error // of the log
	made    int
	charges map[string]int // number by key
	calls   map[string]int // to charge, by key
	mails   map[string]int // made, by key
}

// call is a line of the log.
type call struct {
	Face    string `json:"face"`
	Key     string `json:"key"`
	Process string `json:"process"`
	Token   int64  `json:"token"`
}

// made is an answer: the number of the charge or mail among all.
type made struct {
	N int `json:"n"`
}

// newRemote makes one that answers nobody before start.
func newRemote(path string, passed func(Event)) (*Remote, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	r := &Remote{listener: listener, url: "http://" + listener.Addr().String(), passed: passed, log: json.NewEncoder(file), file: file,
		charges: map[string]int{}, calls: map[string]int{}, mails: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /charge", r.serve("charge", ChargeAsked, ChargeMade, r.charge))
	mux.HandleFunc("POST /mail", r.serve("mail", MailAsked, MailMade, r.mail))
	mux.HandleFunc("GET /charge", r.find)
	r.server = &http.Server{Handler: mux}
	return r, nil
}

func (r *Remote) start() { go func() { _ = r.server.Serve(r.listener) }() }

func (r *Remote) close() error {
	_ = r.server.Close()
	_ = r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.file.Close(); r.failed == nil {
		r.failed = err
	}
	return r.failed
}

// serve makes an effect between two points.
func (r *Remote) serve(face string, asked, done Point, act func(key string) made) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		c := call{Face: face, Key: req.FormValue("key"), Process: req.FormValue("process")}
		c.Token, _ = strconv.ParseInt(req.FormValue("token"), 10, 64)
		job, _, err := splitKey(c.Key)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.passed(Event{Point: asked, Process: c.Process, Job: job, Token: c.Token})
		r.mu.Lock()
		if err := r.log.Encode(c); err != nil && r.failed == nil {
			r.failed = err
		}
		m := act(c.Key)
		r.mu.Unlock()
		r.passed(Event{Point: done, Process: c.Process, Job: job, Token: c.Token})
		_ = json.NewEncoder(w).Encode(m)
	}
}

func (r *Remote) charge(key string) made {
	r.calls[key]++
	if r.charges[key] == 0 {
		r.made++
		r.charges[key] = r.made
	}
	return made{r.charges[key]}
}

func (r *Remote) mail(key string) made {
	r.made++
	r.mails[key]++
	return made{r.made}
}

// find answers what charge there is of a key. It passes a point where the asker says which attempt asks.
func (r *Remote) find(w http.ResponseWriter, req *http.Request) {
	key := req.FormValue("key")
	r.mu.Lock()
	n, ok := r.charges[key]
	r.mu.Unlock()
	if token, err := strconv.ParseInt(req.FormValue("token"), 10, 64); err == nil {
		job, _, _ := splitKey(key)
		r.passed(Event{Point: Looked, Process: req.FormValue("process"), Job: job, Token: token})
	}
	if !ok {
		http.Error(w, "no charge of that key", http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(made{n})
}

// mailed gives how many mails were made by a key.
func (r *Remote) mailed(key string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mails[key]
}

// book gives a copy of what was made: charges by key, calls to charge by key, mails by key.
func (r *Remote) book() (charges, calls, mails map[string]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.charges), maps.Clone(r.calls), maps.Clone(r.mails)
}

// splitKey reads job/step, or job/step/more where a control makes a key for each attempt.
func splitKey(key string) (queue.ID, string, error) {
	job, step, ok := strings.Cut(key, "/")
	id, err := queue.ParseID(job)
	if err == nil && !ok {
		err = fmt.Errorf("the key %.80q names no step", key)
	}
	step, _, _ = strings.Cut(step, "/")
	return id, step, err
}
