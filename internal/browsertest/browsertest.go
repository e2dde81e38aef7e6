// Package browsertest tells tests of pages which real browser to use.
package browsertest

import (
	"os"
	"testing"

	"github.com/twicehq/twice/internal/browsertest/chromium"
)

// Need gives the path of a Chromium. Where there is none it skips the test, loudly; under CI that is a failure.
// `make test` installs one before it runs any test.
func Need(t testing.TB) string {
	t.Helper()
	path, _, err := chromium.Find()
	if err == nil {
		return path
	}
	const remedy = "install Chromium, or run `go run ./internal/install` as root on Debian; or name one by TWICE_CHROMIUM"
	if os.Getenv("CI") == "true" {
		t.Fatalf("%v: %s", err, remedy)
	}
	t.Skipf("SKIPPED, NO PAGE IS TESTED IN A BROWSER: %v: %s", err, remedy)
	return ""
}
