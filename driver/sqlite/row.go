package sqlite

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// job is a row of twice_job. Zero is NULL.
type job struct {
	seq                                int64
	id                                 queue.ID
	lane                               int64
	state                              queue.State
	due                                int64
	lone                               bool
	token, created                     int64
	fingerprint                        uint64
	key                                string
	payload                            []byte
	runAt, freshAt                     int64
	claim                              queue.ClaimID
	claimed                            int64
	worker                             string
	counts                             queue.Counts
	origin, deadline, timeout, keepFor int64
	group, unique                      string
	parent                             queue.ID
	headers                            queue.Headers
	checkpoint                         []byte
	attempts                           []attempt
	dropped                            int64
	reason                             queue.Reason
	err                                string
	result                             []byte
	effects                            []queue.Effect
	ended, pruneAt                     int64
}

// attempt is queue.Attempt as it is stored: an error's text may be any bytes.
type attempt struct {
	N       int64         `json:"n"`
	Worker  string        `json:"w,omitempty"`
	Start   int64         `json:"s"`
	End     int64         `json:"e"`
	Outcome queue.Outcome `json:"o"`
	Settled queue.State   `json:"t,omitempty"` // to which state; none where it crashed or was cancelled
	Error   []byte        `json:"x,omitempty"`
	Alone   bool          `json:"l,omitempty"`
}

// pairs is how headers are stored: names and values in turn, which may be any bytes.
type pairs [][]byte

func pairsOf(h queue.Headers) (p pairs) {
	for name, value := range h {
		p = append(p, []byte(name), []byte(value))
	}
	return p
}

func (p pairs) headers() queue.Headers {
	if len(p) < 2 {
		return nil
	}
	h := make(queue.Headers, len(p)/2)
	for i := 0; i+1 < len(p); i += 2 {
		h[string(p[i])] = string(p[i+1])
	}
	return h
}

const jobColumns = `seq, id, lane, state, due, lone, token, created, fingerprint, key, payload, run_at, fresh_at, claim, claimed, worker,
	failures, crashes, interruptions, snoozes, redrives, origin, deadline, timeout, keep_for, grp, uniq, parent, headers,
	checkpoint, attempts, dropped, reason, error, result, effects, ended, prune_at`

// scan reads a row; what it can of one that is damaged, beside the error.
func (t *txn) scan(r []driver.Value) (job, error) {
	j, err := scanJob(r)
	if err == nil && t.view.lanes[j.lane] == nil {
		err = damaged("job", j.seq, fmt.Errorf("there is no lane %d", j.lane))
	}
	return j, err
}

func scanJob(r []driver.Value) (j job, err error) {
	j = job{
		seq: number(r[0]), id: idOf(r[1]), lane: number(r[2]), state: queue.State(number(r[3])), due: number(r[4]), lone: number(r[5]) != 0,
		token: number(r[6]), created: number(r[7]), fingerprint: uint64(number(r[8])), key: text(r[9]), payload: bytesOf(r[10]),
		runAt: number(r[11]), freshAt: number(r[12]), claim: claimOf(r[13]), claimed: number(r[14]), worker: text(r[15]),
		counts: queue.Counts{Failures: int(number(r[16])), Crashes: int(number(r[17])), Interruptions: int(number(r[18])),
			Snoozes: int(number(r[19])), Redrives: int(number(r[20]))},
		origin: number(r[21]), deadline: number(r[22]), timeout: number(r[23]), keepFor: number(r[24]),
		group: text(r[25]), unique: text(r[26]), parent: idOf(r[27]),
		checkpoint: bytesOf(r[29]), dropped: number(r[31]), reason: queue.Reason(text(r[32])), err: text(r[33]), result: bytesOf(r[34]),
		ended: number(r[36]), pruneAt: number(r[37]),
	}
	if r[28] != nil || r[30] != nil || r[35] != nil {
		// Apart from j, which would escape: most rows have none of them.
		var headers pairs
		var attempts []attempt
		var effects []queue.Effect
		for _, part := range []struct {
			from driver.Value
			into any
		}{{r[28], &headers}, {r[30], &attempts}, {r[35], &effects}} {
			if part.from == nil {
				continue
			}
			if err := json.Unmarshal([]byte(text(part.from)), part.into); err != nil {
				return j, damaged("job", j.seq, err)
			}
		}
		j.headers, j.attempts, j.effects = headers.headers(), attempts, effects
	}
	if j.state < queue.Queued || j.state > queue.Cancelled {
		return j, damaged("job", j.seq, fmt.Errorf("its state is %d", j.state))
	}
	if id, _ := r[1].([]byte); len(id) != len(j.id) {
		return j, damaged("job", j.seq, fmt.Errorf("its id has %d bytes", len(id)))
	}
	return j, nil
}

// plainColumns are enough of a job that waits for its first attempt and has nothing unusual, which the last of them
// says: each column that is read costs, and most jobs are such.
const plainColumns = `seq, id, lane, token, created, fingerprint, key, payload, run_at, fresh_at, headers,
	state = 1 AND lone = 0 AND failures | crashes | interruptions | snoozes | redrives = 0 AND coalesce(claim, claimed, worker, origin, deadline,
	timeout, keep_for, grp, uniq, parent, checkpoint, attempts, dropped, reason, error, result, effects, ended, prune_at) IS NULL`

// scanPlain is scan for plainColumns; false where they are not enough.
func (t *txn) scanPlain(r []driver.Value) (j job, plain bool, err error) {
	id, _ := r[1].([]byte)
	j = job{
		seq: number(r[0]), id: idOf(r[1]), lane: number(r[2]), state: queue.Queued, token: number(r[3]), created: number(r[4]),
		fingerprint: uint64(number(r[5])), key: text(r[6]), payload: bytesOf(r[7]), runAt: number(r[8]), freshAt: number(r[9]),
	}
	if number(r[11]) == 0 || len(id) != len(j.id) || t.view.lanes[j.lane] == nil {
		return j, false, nil
	}
	if r[10] != nil {
		var headers pairs
		if err := json.Unmarshal([]byte(text(r[10])), &headers); err != nil {
			return j, true, damaged("job", j.seq, err)
		}
		j.headers = headers.headers()
	}
	return j, true, nil
}

// glance gives of rows only what a lease is compared with, and what a plain end needs: each column that is read
// costs. What each gets is valid only during the call.
func (t *txn) glance(seqs []candidate, each func(*job)) error {
	var j job
	return t.bySeq("SELECT seq, id, lane, state, token, claim, keep_for FROM twice_job", seqs, func(r []driver.Value) error {
		j.seq, j.id, j.lane, j.state, j.token = number(r[0]), idOf(r[1]), number(r[2]), queue.State(number(r[3])), number(r[4])
		j.claim, j.keepFor = claimOf(r[5]), number(r[6])
		each(&j)
		return nil
	})
}

func claimOf(v driver.Value) (id queue.ClaimID) {
	b, _ := v.([]byte)
	copy(id[:], b)
	return id
}

// run and fresh give what a NULL stands for.
func (j *job) run() int64 {
	if j.runAt != 0 {
		return j.runAt
	}
	return j.created
}

func (j *job) fresh() int64 { return max(j.freshAt, j.run()) }

// lease is the id of the lease that the last claim got.
func (j *job) lease() queue.LeaseID {
	if j.claim == (queue.ClaimID{}) {
		return queue.LeaseID{}
	}
	return j.claim.Lease(j.id, j.token)
}

// held reports whether the lease is held: the row carries its id. Whether it ran out does not matter.
func (j *job) held(l *queue.Lease) bool {
	return j.state == queue.Running && j.id == l.Job.ID && j.token == l.Token && j.lease() == l.ID
}

func (j *job) attempted(a attempt) {
	if len(a.Error) > queue.MaxError {
		a.Error = []byte(cutText(string(a.Error)))
	}
	j.attempts = append(j.attempts, a)
	if over := len(j.attempts) - queue.MaxAttempts; over > 0 {
		j.attempts = j.attempts[over:]
		j.dropped += int64(over)
	}
}

// public gives the job as the contract has it.
func (j *job) public(l *laneRow) queue.Job {
	return queue.Job{
		ID: j.id, Queue: l.queue, Kind: l.kind, Key: j.key, Fingerprint: j.fingerprint, Payload: j.payload,
		Origin: instant(j.origin), RunAt: instant(j.run()), Deadline: instant(j.deadline),
		Timeout: time.Duration(j.timeout) * time.Millisecond, KeepFor: time.Duration(j.keepFor) * time.Millisecond,
		Priority: l.priority, Group: j.group, Unique: j.unique, Parent: j.parent, Headers: j.headers,
	}
}

// jsonOf gives NULL for what is empty.
func jsonOf[T any](items []T) (driver.Value, error) {
	if len(items) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(items)
	return string(b), err
}

// save writes all that can change in a row's life.
func (t *txn) save(j *job) error {
	attempts, err := jsonOf(j.attempts)
	if err != nil {
		return err
	}
	effects, err := jsonOf(j.effects)
	if err != nil {
		return err
	}
	var claim driver.Value
	if j.claim != (queue.ClaimID{}) {
		claim = j.claim[:]
	}
	lone := int64(0)
	if j.lone {
		lone = 1
	}
	_, err = t.s.exec(`UPDATE twice_job SET state = ?, due = ?, lone = ?, token = ?, run_at = ?, fresh_at = ?, claim = ?, claimed = ?, worker = ?,
		failures = ?, crashes = ?, interruptions = ?, snoozes = ?, redrives = ?, checkpoint = ?, attempts = ?, dropped = ?, reason = ?,
		error = ?, result = ?, effects = ?, ended = ?, prune_at = ? WHERE seq = ?`,
		int64(j.state), null(j.due), lone, j.token, null(j.runAt), null(j.freshAt), claim, null(j.claimed), null(j.worker),
		int64(j.counts.Failures), int64(j.counts.Crashes), int64(j.counts.Interruptions), int64(j.counts.Snoozes), int64(j.counts.Redrives),
		nullBytes(j.checkpoint), attempts, null(j.dropped), null(string(j.reason)), nullText(j.err), nullBytes(j.result), effects,
		null(j.ended), null(j.pruneAt), j.seq)
	return err
}

// nullText stores a text that may be any bytes as a blob.
func nullText(s string) driver.Value {
	if s == "" {
		return nil
	}
	return []byte(s)
}

const cutNote = "… (cut)"

func cutText(s string) string {
	if len(s) <= queue.MaxError {
		return s
	}
	return s[:queue.MaxError-len(cutNote)] + cutNote
}

// jobAt reads the row at seq, if it is there and carries the id.
func (t *txn) jobAt(seq int64, id queue.ID) (j job, found bool, err error) {
	err = t.s.query("SELECT "+jobColumns+" FROM twice_job WHERE seq = ?", func(r []driver.Value) (err error) {
		if found = idOf(r[1]) == id; found {
			j, err = t.scan(r)
		}
		return err
	}, seq)
	return j, found, err
}

// ended is a row of twice_ended.
type ended struct {
	seq, lane, token    int64
	id                  queue.ID
	fingerprint         uint64
	created, runAt, end int64
	freshAt             int64
	claim               queue.ClaimID
}

const endedColumns = "seq, id, lane, token, fingerprint, created, run_at, ended, fresh_at, claim"

func scanEnded(r []driver.Value) ended {
	return ended{seq: number(r[0]), id: idOf(r[1]), lane: number(r[2]), token: number(r[3]), fingerprint: uint64(number(r[4])),
		created: number(r[5]), runAt: number(r[6]), end: number(r[7]), freshAt: number(r[8]), claim: claimOf(r[9])}
}

func (t *txn) endedAt(seq int64, id queue.ID) (e ended, found bool, err error) {
	err = t.s.query("SELECT "+endedColumns+" FROM twice_ended WHERE seq = ?", func(r []driver.Value) error {
		e = scanEnded(r)
		found = e.id == id
		return nil
	}, seq)
	return e, found, err
}

// holder is whatever row has an id: a job, or what is left of one.
type holder struct {
	job   *job
	ended *ended
}

func (h holder) none() bool { return h.job == nil && h.ended == nil }

// find gives the row of an id.
func (t *txn) find(id queue.ID) (h holder, err error) {
	look := func(seq int64) (bool, error) {
		j, found, err := t.jobAt(seq, id)
		if found {
			h.job = &j
		}
		if found || err != nil {
			return true, err
		}
		e, found, err := t.endedAt(seq, id)
		if found {
			h.ended = &e
		}
		return found, err
	}
	if t.own {
		// Rows that the index does not cover yet, this transaction's own among them, are searched one by one: few.
		seq, err := one(t.s, `SELECT seq FROM twice_job WHERE seq > ?1 AND id = ?2 UNION ALL SELECT seq FROM twice_ended WHERE seq > ?1 AND id = ?2`, t.e.ids.lastSeq(), id[:])
		if err != nil {
			return h, err
		}
		if seq != nil {
			_, err := look(number(seq))
			return h, err
		}
	}
	return h, t.e.ids.seqs(t.s, id, look)
}

// locate finds the job that a lease is of, by the lease's own word if it is right.
func (t *txn) locate(l queue.Lease) (holder, error) {
	if seq := refSeq(l.Ref); seq > 0 {
		if j, found, err := t.jobAt(seq, l.Job.ID); found || err != nil {
			return holder{job: &j}, err
		}
		if e, found, err := t.endedAt(seq, l.Job.ID); found || err != nil {
			return holder{ended: &e}, err
		}
	}
	return t.find(l.Job.ID)
}
