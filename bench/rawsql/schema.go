package rawsql

// What Twice's promises need of a row, whatever the engine around it does: an id of its own that
// stays unique and is kept when the job is done, the state, four counters, the reason, and the lease
// that every change is compared with. Nothing else is stored.
const table = `
CREATE TABLE IF NOT EXISTS jobs (
	seq           INTEGER PRIMARY KEY,
	id            BLOB    NOT NULL,
	fingerprint   INTEGER NOT NULL,
	queue         INTEGER NOT NULL,
	kind          INTEGER NOT NULL,
	state         INTEGER NOT NULL,
	due           INTEGER NOT NULL,
	token         INTEGER NOT NULL,
	failures      INTEGER NOT NULL,
	crashes       INTEGER NOT NULL,
	interruptions INTEGER NOT NULL,
	snoozes       INTEGER NOT NULL,
	reason        INTEGER NOT NULL,
	payload       BLOB    NOT NULL
);
CREATE INDEX IF NOT EXISTS jobs_due ON jobs (queue, due) WHERE state < 2;`

const (
	hot, cold = 1, 2 // queues

	never = 1 << 60 // due times: the cold queue's jobs are due never, a leased one when its lease ends
	lease = 1 << 50
)

// plainIDs is the reference: one unique index over all ids.
const plainIDs = `CREATE UNIQUE INDEX IF NOT EXISTS jobs_id ON jobs (id);`

// mergedIDs keeps new ids in a small table that is merged into the large one in bulk and in order,
// so that a page of the large one is written once for many ids instead of once for each.
const mergedIDs = `
CREATE TABLE IF NOT EXISTS ids_new (id BLOB PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ids_old (id BLOB PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;`

const (
	insertJob = `INSERT INTO jobs VALUES (NULL, ?1, ?2, ?3, 1, 0, ?4, 0, 0, 0, 0, 0, 0, ?5)`

	claimJobs = `
UPDATE jobs SET state = 1, token = token + 1, due = ?1
WHERE seq IN (SELECT seq FROM jobs WHERE queue = 1 AND state < 2 AND due <= ?2 ORDER BY due LIMIT ?3)
RETURNING seq, token, id, kind, failures, crashes, interruptions, snoozes, payload`

	finishJob = `UPDATE jobs SET state = 2, reason = 1 WHERE seq = ?1 AND state = 1 AND token = ?2`

	findOld   = `SELECT 1 FROM ids_old WHERE id = ?1`
	insertNew = `INSERT INTO ids_new VALUES (?1, ?2)`
	mergeNew  = `INSERT INTO ids_old SELECT id, seq FROM ids_new ORDER BY id`
	clearNew  = `DELETE FROM ids_new`
)
