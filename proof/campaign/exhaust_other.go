//go:build !unix

package campaign

// exhaust runs out of memory.
func exhaust() { hoard() }
