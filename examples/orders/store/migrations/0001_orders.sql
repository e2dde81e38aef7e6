-- Times are in microseconds of Unix time, as exact as the gateway's.
CREATE TABLE orders(
  id TEXT PRIMARY KEY, reference TEXT NOT NULL, customer TEXT NOT NULL, amount_cents INT NOT NULL, currency TEXT NOT NULL,
  placed_at INT NOT NULL, state TEXT NOT NULL, failure TEXT NOT NULL DEFAULT '');

-- What was charged, by the gateway's id. An order charged twice has two rows here: the table records, it does not hide.
CREATE TABLE charges(
  id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders(id), amount_cents INT NOT NULL, currency TEXT NOT NULL,
  charged_at INT NOT NULL);
CREATE INDEX charges_order ON charges(order_id);

-- What was mailed. Likewise.
CREATE TABLE receipts(
  n INTEGER PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders(id), message_id TEXT NOT NULL, sent_at INT NOT NULL);
CREATE INDEX receipts_order ON receipts(order_id);

-- One row for each comparison with the gateway's list, and one for each difference found by it.
CREATE TABLE reconciliations(
  due INTEGER PRIMARY KEY, until INT NOT NULL, ours INT NOT NULL, theirs INT NOT NULL, differences INT NOT NULL);
CREATE TABLE differences(
  due INT NOT NULL REFERENCES reconciliations(due), kind TEXT NOT NULL, charge_id TEXT NOT NULL, order_id TEXT NOT NULL,
  detail TEXT NOT NULL, PRIMARY KEY (due, kind, charge_id)) WITHOUT ROWID;
