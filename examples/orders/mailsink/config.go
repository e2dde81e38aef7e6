package mailsink

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Config says how a Server behaves. The zero value has the defaults named below.
type Config struct {
	Domain        string        // what the server calls itself; default mailsink.test
	MaxBytes      int64         // bytes of a mail, headers included; default 64 KiB
	MaxMails      int           // mails kept at most, then 452: nothing is dropped to make room; default 50,000
	MaxRecipients int           // recipients of a mail; default 10
	MaxSessions   int           // SMTP sessions open at one time; default 256
	MaxHeld       int           // mails held at one time; default 64
	PageSize      int           // entries in a page when no limit is asked for; default 100
	MaxPage       int           // entries in a page at most; default 1,000
	Timeout       time.Duration // longest wait for the next bytes of a session, and for a write; default 1 min

	Now    func() time.Time // default time.Now; must be safe for concurrent use
	Logger *slog.Logger     // faults of the SMTP side; default: none are written
}

// withDefaults fills in what is zero and reports everything that is wrong at once.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	fill(&errs, "MaxBytes", &c.MaxBytes, 64<<10)
	fill(&errs, "MaxMails", &c.MaxMails, 50_000)
	fill(&errs, "MaxRecipients", &c.MaxRecipients, 10)
	fill(&errs, "MaxSessions", &c.MaxSessions, 256)
	fill(&errs, "MaxHeld", &c.MaxHeld, 64)
	fill(&errs, "PageSize", &c.PageSize, 100)
	fill(&errs, "MaxPage", &c.MaxPage, 1000)
	fill(&errs, "Timeout", &c.Timeout, time.Minute)
	if c.PageSize > c.MaxPage {
		errs = append(errs, fmt.Errorf("PageSize is %d, over MaxPage %d; lower one or raise the other", c.PageSize, c.MaxPage))
	}
	if c.Domain == "" {
		c.Domain = "mailsink.test"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
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
