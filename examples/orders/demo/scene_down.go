package demo

import (
	"context"
	"fmt"
	"time"
)

// consumersDown places orders while no worker exists: the API does not notice.
func consumersDown(ctx context.Context, d *Demo, r *record) error {
	w := d.world
	n := d.cfg.Orders
	r.did("placed %s orders over HTTP, %d at a time, while no worker process existed", commas(n), clients)
	if err := w.startAPI(ctx); err != nil {
		return err
	}
	placed, a, err := w.shop.place(ctx, names("order", n)...)
	if err != nil {
		return err
	}
	d.first = placed
	s, err := w.see(ctx)
	if err != nil {
		return err
	}
	p50, p99 := a.quantile(0.50), a.quantile(0.99)
	r.saw("%s accepted, %s refused; answered in %s (p50) and %s (p99); %s jobs wait, %s charges",
		commas(a.Created), commas(a.Refused), short(p50), short(p99), commas(s.Jobs.Queued), commas(len(s.Charges)))
	r.equal("orders accepted", a.Created, n)
	r.check(a.Refused == 0, "none is refused", "%d, the first with %q", a.Refused, a.First)
	r.equal("jobs that wait", int(s.Jobs.Queued), n)
	r.equal("charges", len(s.Charges), 0)
	r.figure("orders", a.Created)
	r.figure("refused", a.Refused)
	r.figure("p50_ms", ms(p50))
	r.figure("p99_ms", ms(p99))
	r.figure("max_ms", ms(a.quantile(1)))
	r.figure("jobs_waiting", s.Jobs.Queued)
	return nil
}

// commas writes a number with commas.
func commas[N int | int64](n N) string {
	if n < 0 {
		return "-" + commas(-n)
	}
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", commas(n/1000), n%1000)
}

func ms(d time.Duration) float64 { return round(float64(d) / float64(time.Millisecond)) }

// short shows a length of time in three digits or so.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1fms", ms(d))
	case d < time.Second:
		return fmt.Sprintf("%.0fms", ms(d))
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}
