package river

import "time"

// The settings that were quickest where they were tried.
const (
	version     = "0.51.2"
	cooldown    = time.Millisecond     // the least that River allows between two fetches
	poll        = 5 * time.Millisecond // listening would be slower: its SQLite listener polls every 50 ms
	connections = 1                    // as River's documentation recommends for SQLite
	cacheKiB    = 64 << 10
)
