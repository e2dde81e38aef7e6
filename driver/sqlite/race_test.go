//go:build race

package sqlite

// underRace: SQLite in Go is ten times as slow under the race detector, so campaigns do a part of their rounds there.
const underRace = true
