//go:build race

package redis

// underRace: the race detector makes random histories slow, so the suite makes a part of them there.
const underRace = true
