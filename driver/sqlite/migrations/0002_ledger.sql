-- Effects, beside the data they change. alone is the try that wrote a pending entry, until any other sees it.
CREATE TABLE twice_effect(
  job BLOB NOT NULL, step TEXT NOT NULL, state TEXT NOT NULL, fingerprint INT NOT NULL, token INT NOT NULL,
  result BLOB, first_sent INT NOT NULL, fresh_at INT NOT NULL, alone BLOB, who TEXT, why TEXT, answered INT, PRIMARY KEY (job, step)) WITHOUT ROWID;

-- A seal bars effects by its token and lower ones.
CREATE TABLE twice_seal(job BLOB PRIMARY KEY, token INT NOT NULL, at INT NOT NULL) WITHOUT ROWID;

-- A job last fresh at or before the mark makes no effect.
CREATE TABLE twice_ledger(one INTEGER PRIMARY KEY CHECK (one = 1), mark INT NOT NULL);
INSERT INTO twice_ledger VALUES (1, 0);
