-- One row: what the engine knows of itself. clock is the time of its latest write, to the second; seq_floor the
-- highest seq ever given to a row that is gone; sealed the highest seq whose id is in a run; mark the time at or
-- before which an origin is refused; spared when leases were last given another ttl after a silence.
CREATE TABLE twice_engine(
  one INTEGER PRIMARY KEY CHECK (one = 1), clock INT NOT NULL, seq_floor INT NOT NULL, sealed INT NOT NULL,
  mark INT NOT NULL, spared INT NOT NULL);
INSERT INTO twice_engine VALUES (1, 0, 0, 0, 0, 0);

CREATE TABLE twice_queue(
  queue INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, paused INT NOT NULL DEFAULT 0, token_floor INT NOT NULL DEFAULT 0);

-- A lane is a queue, a kind and a priority: what a claim asks for, as one small number.
CREATE TABLE twice_lane(
  lane INTEGER PRIMARY KEY, queue INT NOT NULL, kind TEXT NOT NULL, priority INT NOT NULL,
  UNIQUE (queue, kind, priority));

-- A job from its enqueue until it is done. seq rises in the order of commits. due is the run-at of a queued row
-- and the lease's end of a running one; NULL at rest. A NULL run_at means created, a NULL fresh_at means run_at.
-- claim is the last claim's id, kept until the next one: with id and token it gives the lease's id.
-- Times are in milliseconds.
CREATE TABLE twice_job(
  seq INTEGER PRIMARY KEY, id BLOB NOT NULL, lane INT NOT NULL, state INT NOT NULL, due INT, lone INT NOT NULL DEFAULT 0,
  token INT NOT NULL, created INT NOT NULL, fingerprint INT NOT NULL, key BLOB NOT NULL, payload BLOB NOT NULL,
  run_at INT, fresh_at INT, claim BLOB, claimed INT, worker TEXT,
  failures INT NOT NULL DEFAULT 0, crashes INT NOT NULL DEFAULT 0, interruptions INT NOT NULL DEFAULT 0,
  snoozes INT NOT NULL DEFAULT 0, redrives INT NOT NULL DEFAULT 0,
  origin INT, deadline INT, timeout INT, keep_for INT, grp TEXT, uniq BLOB, parent BLOB, headers TEXT,
  checkpoint BLOB, attempts TEXT, dropped INT, reason TEXT, error BLOB, result BLOB, effects TEXT, ended INT, prune_at INT);
CREATE INDEX twice_job_due ON twice_job(lane, due) WHERE due IS NOT NULL AND lone = 0;
CREATE INDEX twice_job_lone ON twice_job(lane, due) WHERE due IS NOT NULL AND lone = 1;
CREATE INDEX twice_job_dead ON twice_job(lane) WHERE state = 4;
CREATE INDEX twice_job_prune ON twice_job(prune_at) WHERE prune_at IS NOT NULL;

-- What is left of a job that is done: enough to know its id for UniqueFor.
CREATE TABLE twice_ended(
  seq INTEGER PRIMARY KEY, id BLOB NOT NULL, lane INT NOT NULL, token INT NOT NULL, fingerprint INT NOT NULL,
  created INT NOT NULL, run_at INT, ended INT NOT NULL, fresh_at INT, claim BLOB);

-- The index of ids that are no longer recent: runs that never change, each in blocks sorted by id,
-- each of which ends with its checksum.
-- Block b of run r has the number r << 32 | b.
CREATE TABLE twice_run(run INTEGER PRIMARY KEY, entries INT NOT NULL, low INT NOT NULL, high INT NOT NULL);
CREATE TABLE twice_run_block(block INTEGER PRIMARY KEY, entries BLOB NOT NULL);

-- Changes of the counts, a row a commit and queue, folded now and then: no row is hot.
CREATE TABLE twice_tally(
  n INTEGER PRIMARY KEY, queue INT NOT NULL, accepted INT NOT NULL, queued INT NOT NULL, running INT NOT NULL,
  done INT NOT NULL, dead INT NOT NULL, cancelled INT NOT NULL, pruned INT NOT NULL);

CREATE TABLE twice_worker(name TEXT PRIMARY KEY, seen INT NOT NULL, until INT NOT NULL, about TEXT NOT NULL);

CREATE TABLE twice_schedule(
  name TEXT PRIMARY KEY, spec TEXT NOT NULL, zone TEXT NOT NULL, queue TEXT NOT NULL, kind TEXT NOT NULL,
  last INT NOT NULL DEFAULT 0, since INT NOT NULL, paused INT NOT NULL DEFAULT 0);

CREATE TABLE twice_change(
  n INTEGER PRIMARY KEY, at INT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, what TEXT NOT NULL,
  queue TEXT NOT NULL, job BLOB, note TEXT NOT NULL);
