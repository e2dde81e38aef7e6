// Command twice runs, watches and mends durable jobs: `twice --help` lists what it can do.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
)

func main() {
	campaign.Main(ground.Openers) // a process of `twice prove`
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	m := Main{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Args: os.Args[1:]}
	os.Exit(m.Run(ctx))
}
