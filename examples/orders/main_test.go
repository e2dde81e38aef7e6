package orders_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/worker"
)

// workerEnv makes this program a worker's process: file|gateway|mail|job, which ends when the job does.
const workerEnv = "ORDERS_TEST_WORKER"

func TestMain(m *testing.M) {
	given := strings.Split(os.Getenv(workerEnv), "|")
	if len(given) != 4 {
		os.Exit(m.Run())
	}
	if err := workerProcess(given[0], given[1], given[2], given[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func workerProcess(file, gateway, mail, job string) error {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	engine, err := sqlite.Open(file, sqlite.Config{})
	if err != nil {
		return err
	}
	base, err := orders.On(engine)
	if err != nil {
		return err
	}
	app, err := orders.New(ctx, base, orders.Config{Gateway: gateway, Mail: mail, Faults: []orders.Fault{{Prefix: "killer-", Does: orders.Kills}}})
	if err != nil {
		return err
	}
	ends := worker.ObserverFunc(func(_ context.Context, e worker.Event) {
		if e.What == worker.Settled && e.Lease.Job.ID.String() == job {
			stop()
		}
	})
	cfg := worker.Config{Lease: 300 * time.Millisecond, Observers: []worker.Observer{ends}}
	return errors.Join(app.Run(ctx, orders.Roles{Worker: &cfg}), engine.Close())
}
