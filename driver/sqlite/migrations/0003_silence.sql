-- The longest silence that no claim has used yet: from the last write before it to the first after it. And spared, which
-- was a time, is now the lease's end that was last given after a silence: a lease that ends then is not spared again.
ALTER TABLE twice_engine ADD COLUMN quiet_from INT NOT NULL DEFAULT 0;
ALTER TABLE twice_engine ADD COLUMN quiet_to INT NOT NULL DEFAULT 0;
