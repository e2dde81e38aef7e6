package gateway

import (
	"errors"
	"fmt"
	"time"
)

// Config says how a Server behaves. The zero value is a gateway in memory with
// the defaults named below.
type Config struct {
	// File keeps the charges across restarts, one JSON object a line, appended
	// before the charge is answered. It is not fsynced: it survives the process,
	// not the loss of power. One process at a time may use it. Empty: memory only.
	File string

	// KeyLife is how long an idempotency key is honoured and can be asked about,
	// from the charge on. After that a repeat makes a new charge. Default 24 h.
	KeyLife time.Duration

	MaxBody    int64 // bytes of a request body; default 64 KiB
	PageSize   int   // charges in a page when no limit is asked for; default 100
	MaxPage    int   // charges in a page at most; default 1,000
	MaxHeld    int   // calls held at one time at most; default 64
	MaxCharges int   // charges kept at most, then 503; default 200,000

	// Now is the gateway's clock. Default time.Now. Must be safe for concurrent use.
	Now func() time.Time
}

// withDefaults fills in what is zero and reports everything that is wrong at once.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	fill(&errs, "KeyLife", &c.KeyLife, 24*time.Hour)
	fill(&errs, "MaxBody", &c.MaxBody, 64<<10)
	fill(&errs, "PageSize", &c.PageSize, 100)
	fill(&errs, "MaxPage", &c.MaxPage, 1000)
	fill(&errs, "MaxHeld", &c.MaxHeld, 64)
	fill(&errs, "MaxCharges", &c.MaxCharges, 200_000)
	if c.PageSize > c.MaxPage {
		errs = append(errs, fmt.Errorf("PageSize is %d, over MaxPage %d; lower one or raise the other", c.PageSize, c.MaxPage))
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, errors.Join(errs...)
}

// fill sets a field that is zero to its default and reports one that is negative.
func fill[T int | int64 | time.Duration](errs *[]error, name string, field *T, byDefault T) {
	switch {
	case *field == 0:
		*field = byDefault
	case *field < 0:
		*errs = append(*errs, fmt.Errorf("%s is %v; give a positive value, or 0 for the default %v", name, *field, byDefault))
	}
}
