//go:build !race

package redis

const underRace = false
