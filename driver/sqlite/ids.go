package sqlite

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"log/slog"
	"slices"
	"sort"
	"sync"

	"github.com/twicehq/twice/queue"
)

// index finds the row of an id. A unique index in SQL would dirty a page of its own for each random id: at a
// million rows an insert would write ten kilobytes. Instead the ids of recent rows are kept in memory,
// rebuilt from the rows themselves, and now and then written out as a run: sorted, in blocks of one
// page, each with a checksum, never changed. A filter a run says in memory whether it is worth reading.
//
// An entry may be stale, since rows go and entries stay: the row it leads to must carry the id. The rows are the
// truth, and the index can be rebuilt from them.
type index struct {
	mu     sync.RWMutex
	recent map[queue.ID]int64 // ids of rows after sealed
	sealed int64
	last   int64 // every row up to it is covered
	runs   []*run
	known  int64 // entries in runs
	sealAt int64
	log    *slog.Logger
}

// run is a sorted part of the index. An entry is the first 8 bytes of an id, and the row's seq less low.
type run struct {
	id, entries, low, high int64
	firsts                 []uint64 // of each block
	filter                 *filter
	held                   [][]byte // the blocks, where those in the file were damaged and had to be made again
}

const (
	entrySize     = 12
	perBlock      = 336 // 4,032 bytes and a checksum: a row in a page
	sealAt        = 32 << 10
	sealKnownPart = 32 // or a 32nd part of what is known, so that there are not too many runs
)

func newIndex(cfg Config) *index {
	return &index{recent: map[queue.ID]int64{}, sealAt: int64(cfg.sealAt), log: cfg.Logger}
}

func (x *index) lastSeq() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.last
}

// catchUp covers what is committed: runs that others sealed, and rows that they inserted.
func (x *index) catchUp(s session, sealed int64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if sealed > x.sealed {
		if err := x.loadRuns(s); err != nil {
			return err
		}
	}
	from := x.last
	for _, q := range []string{"SELECT seq, id FROM twice_job WHERE seq > ?", "SELECT seq, id FROM twice_ended WHERE seq > ?"} {
		err := s.query(q, func(r []driver.Value) error {
			x.recent[idOf(r[1])] = number(r[0])
			x.last = max(x.last, number(r[0]))
			return nil
		}, from)
		if err != nil {
			return err
		}
	}
	return nil
}

// loadRuns takes over the runs that others sealed, and lets go of those that they dropped.
func (x *index) loadRuns(s session) error {
	there := map[int64]bool{}
	var runs []*run
	var after int64
	if n := len(x.runs); n > 0 {
		after = x.runs[n-1].id
	}
	err := s.query("SELECT run, entries, low, high FROM twice_run ORDER BY run", func(r []driver.Value) error {
		there[number(r[0])] = true
		if number(r[0]) > after {
			runs = append(runs, &run{id: number(r[0]), entries: number(r[1]), low: number(r[2]), high: number(r[3])})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err := r.load(s); unreadable(err) {
			x.log.Error("a part of the index of ids is damaged: it is made again from the jobs", "run", r.id, "error", err)
			if err := r.rebuild(s); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	x.forget(func(r *run) bool { return !there[r.id] })
	x.admit(runs...)
	return nil
}

// load reads what is kept of a run in memory.
func (r *run) load(s session) error {
	r.filter = newFilter(r.entries)
	var n int64
	err := s.query("SELECT block, entries FROM twice_run_block WHERE block BETWEEN ? AND ? ORDER BY block", func(row []driver.Value) error {
		b, sound := unseal(row[1])
		if !sound || number(row[0]) != r.id<<32|int64(len(r.firsts)) {
			return damaged("run of ids", r.id, fmt.Errorf("block %d", number(row[0])-r.id<<32))
		}
		r.firsts = append(r.firsts, binary.BigEndian.Uint64(b))
		for ; len(b) > 0; b = b[entrySize:] {
			r.filter.add(binary.BigEndian.Uint64(b))
			n++
		}
		return nil
	}, r.id<<32, r.id<<32|1<<31)
	if err == nil && n != r.entries {
		err = damaged("run of ids", r.id, fmt.Errorf("it has %d entries of %d", n, r.entries))
	}
	return err
}

// rebuild makes a run again from the rows that it covers, in memory.
func (r *run) rebuild(s session) error {
	var entries []runEntry
	for _, table := range []string{"twice_job", "twice_ended"} {
		err := s.query("SELECT seq, id FROM "+table+" WHERE seq BETWEEN ? AND ?", func(row []driver.Value) error {
			entries = append(entries, runEntry{idOf(row[1]), number(row[0])})
			return nil
		}, r.low, r.high)
		if err != nil {
			return err
		}
	}
	r.held = r.fill(entries)
	return nil
}

// runEntry is an id and the seq of its row.
type runEntry struct {
	id  queue.ID
	seq int64
}

// fill gives the blocks of a run of these entries.
func (r *run) fill(entries []runEntry) (blocks [][]byte) {
	r.entries, r.firsts, r.filter = int64(len(entries)), nil, newFilter(int64(len(entries)))
	slices.SortFunc(entries, func(a, b runEntry) int { return cmp.Or(bytes.Compare(a.id[:8], b.id[:8]), cmp.Compare(b.seq, a.seq)) })
	for part := range slices.Chunk(entries, perBlock) {
		block := make([]byte, 0, len(part)*entrySize+crc32.Size)
		for _, e := range part {
			block = append(block, e.id[:8]...)
			block = binary.BigEndian.AppendUint32(block, uint32(e.seq-r.low))
			r.filter.add(binary.BigEndian.Uint64(e.id[:]))
		}
		r.firsts = append(r.firsts, binary.BigEndian.Uint64(block))
		blocks = append(blocks, binary.BigEndian.AppendUint32(block, crc32.Checksum(block, checksums)))
	}
	return blocks
}

var checksums = crc32.MakeTable(crc32.Castagnoli)

// unseal gives the entries of a block, if they are what was written.
func unseal(v driver.Value) (entries []byte, sound bool) {
	b, _ := v.([]byte)
	n := len(b) - crc32.Size
	if n <= 0 || n%entrySize != 0 || binary.BigEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], checksums) {
		return nil, false
	}
	return b[:n], true
}

// block reads the entries of one.
func (r *run) block(s session, b int) ([]byte, error) {
	if r.held != nil {
		e, _ := unseal(r.held[b])
		return e, nil
	}
	v, err := one(s, "SELECT entries FROM twice_run_block WHERE block = ?", r.id<<32|int64(b))
	if err != nil || v == nil { // a run that another process has dropped: none of its rows is left
		return nil, err
	}
	e, sound := unseal(v)
	if !sound || binary.BigEndian.Uint64(e) != r.firsts[b] {
		return nil, damaged("run of ids", r.id, fmt.Errorf("block %d", b))
	}
	return e, nil
}

// forget lets go of runs.
func (x *index) forget(gone func(*run) bool) {
	x.runs = slices.DeleteFunc(x.runs, func(r *run) bool {
		if gone(r) {
			x.known -= r.entries
			return true
		}
		return false
	})
}

// admit takes runs over and forgets what they cover.
func (x *index) admit(runs ...*run) {
	for _, r := range runs {
		x.runs = append(x.runs, r)
		x.known += r.entries
		x.sealed = max(x.sealed, r.high)
		x.last = max(x.last, r.high)
	}
	for id, seq := range x.recent {
		if seq <= x.sealed {
			delete(x.recent, id)
		}
	}
}

// merge takes over what a commit inserted.
func (x *index) merge(fresh map[queue.ID]int64, last int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, seq := range fresh {
		x.recent[id] = seq
	}
	x.last = max(x.last, last)
}

// seqs calls each with the seqs that may be of the id, newest first, until it says stop.
func (x *index) seqs(s session, id queue.ID, each func(seq int64) (stop bool, err error)) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if seq, ok := x.recent[id]; ok {
		if stop, err := each(seq); stop || err != nil {
			return err
		}
	}
	prefix := binary.BigEndian.Uint64(id[:])
	for i := len(x.runs) - 1; i >= 0; i-- {
		r := x.runs[i]
		if !r.filter.has(prefix) {
			continue
		}
		found, err := r.find(s, id[:8], prefix)
		if err != nil {
			return err
		}
		for _, seq := range found {
			if stop, err := each(seq); stop || err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) find(s session, prefix []byte, first uint64) (seqs []int64, err error) {
	// Equal prefixes may span blocks: begin with the last block that begins below.
	b := max(0, sort.Search(len(r.firsts), func(i int) bool { return r.firsts[i] >= first })-1)
	for ; b < len(r.firsts) && r.firsts[b] <= first; b++ {
		e, err := r.block(s, b)
		if err != nil {
			return nil, err
		}
		at := func(i int) []byte { return e[i*entrySize : i*entrySize+8] }
		n := len(e) / entrySize
		for i := sort.Search(n, func(i int) bool { return bytes.Compare(at(i), prefix) >= 0 }); i < n && bytes.Equal(at(i), prefix); i++ {
			seqs = append(seqs, r.low+int64(binary.BigEndian.Uint32(e[i*entrySize+8:])))
		}
	}
	return seqs, nil
}

// seal writes the recent ids out as a run, when there are enough of them.
func (x *index) seal(t *txn) error {
	x.mu.RLock()
	full := int64(len(x.recent)) >= max(x.sealAt, x.known/sealKnownPart)
	x.mu.RUnlock()
	if !full {
		return nil
	}
	return x.sealNow(t)
}

func (x *index) sealNow(t *txn) error {
	x.mu.RLock()
	entries := make([]runEntry, 0, len(x.recent))
	for id, seq := range x.recent {
		entries = append(entries, runEntry{id, seq})
	}
	last := x.last
	x.mu.RUnlock()
	if len(entries) == 0 {
		return nil
	}
	v, err := one(t.s, "SELECT coalesce(max(run), 0) + 1 FROM twice_run")
	if err != nil {
		return err
	}
	r := &run{id: number(v), low: entries[0].seq, high: last}
	for _, e := range entries {
		r.low = min(r.low, e.seq)
	}
	for b, block := range r.fill(entries) {
		if _, err := t.s.exec("INSERT INTO twice_run_block(block, entries) VALUES (?, ?)", r.id<<32|int64(b), block); err != nil {
			return err
		}
	}
	if _, err := t.s.exec("INSERT INTO twice_run(run, entries, low, high) VALUES (?, ?, ?, ?)", r.id, r.entries, r.low, r.high); err != nil {
		return err
	}
	t.engine.sealed = last
	if _, err := t.s.exec("UPDATE twice_engine SET sealed = ?", last); err != nil {
		return err
	}
	t.after = append(t.after, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.admit(r)
	})
	return nil
}

// drop removes the runs none of whose rows is left. The newest stays, so that no run ever gets the number of another:
// other processes know runs by it.
func (x *index) drop(t *txn) error {
	x.mu.RLock()
	runs := slices.Clone(x.runs)
	x.mu.RUnlock()
	newest, err := one(t.s, "SELECT max(run) FROM twice_run")
	if err != nil {
		return err
	}
	gone := map[int64]bool{}
	for _, r := range runs {
		if r.id == number(newest) {
			continue
		}
		v, err := one(t.s, "SELECT EXISTS (SELECT 1 FROM twice_job WHERE seq BETWEEN ?1 AND ?2) OR EXISTS (SELECT 1 FROM twice_ended WHERE seq BETWEEN ?1 AND ?2)", r.low, r.high)
		if err != nil {
			return err
		}
		if number(v) != 0 {
			continue
		}
		if _, err := t.s.exec("DELETE FROM twice_run WHERE run = ?", r.id); err != nil {
			return err
		}
		if _, err := t.s.exec("DELETE FROM twice_run_block WHERE block BETWEEN ? AND ?", r.id<<32, r.id<<32|1<<31); err != nil {
			return err
		}
		gone[r.id] = true
	}
	if len(gone) == 0 {
		return nil
	}
	t.after = append(t.after, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.forget(func(r *run) bool { return gone[r.id] })
	})
	return nil
}

func idOf(v driver.Value) (id queue.ID) {
	b, _ := v.([]byte)
	copy(id[:], b)
	return id
}
