package diagnose_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// Hundreds of short lives on virtual time leave much behind: collecting it less often halves what the matrix takes.
func TestMain(m *testing.M) {
	debug.SetGCPercent(500)
	os.Exit(m.Run())
}
