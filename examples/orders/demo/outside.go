package demo

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/mailsink"
)

// outside is what the application reaches over the network and the demo can tell to misbehave: a payment
// gateway and a mail server. They run in the demo's process, and live through everything done to the others.
type outside struct {
	gateway *gateway.Client
	mails   *mailsink.Observer

	GatewayURL, MailAddr, MailURL string

	closing []func() error
}

// openOutside starts both. Close must be called, also after an error.
func openOutside() (*outside, error) {
	o := &outside{}
	bank, err := gateway.New(gateway.Config{})
	if err != nil {
		return o, err
	}
	o.closing = append(o.closing, bank.Close)
	if o.GatewayURL, err = o.serve(bank); err != nil {
		return o, err
	}
	post, err := mailsink.New(mailsink.Config{})
	if err != nil {
		return o, err
	}
	o.closing = append(o.closing, post.Close)
	if o.MailURL, err = o.serve(post); err != nil {
		return o, err
	}
	smtp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return o, err
	}
	o.MailAddr = smtp.Addr().String()
	go func() { _ = post.ServeSMTP(smtp) }() // its Close closes the listener
	var err2 error
	o.gateway, err = gateway.NewClient(o.GatewayURL, nil)
	o.mails, err2 = mailsink.NewObserver(o.MailURL, nil)
	return o, errors.Join(err, err2)
}

func (o *outside) serve(h http.Handler) (url string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	o.closing = append(o.closing, server.Close)
	go func() { _ = server.Serve(l) }()
	return "http://" + l.Addr().String(), nil
}

func (o *outside) close() {
	for _, c := range o.closing {
		_ = c()
	}
}

// behave ends every misbehaviour of both but what base tells the gateway, and lets go whom they hold.
func (o *outside) behave(ctx context.Context, base gateway.Control) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = o.gateway.Control(ctx, base)
	_, _ = o.gateway.Release(ctx)
	_ = o.mails.Control(ctx, mailsink.Control{})
	_, _ = o.mails.Release(ctx)
}

// always says of orders that it happens to each of them, every time.
func always(ids ...string) gateway.Aim { return aim(gateway.Always, ids...) }

func aim(n int, ids ...string) gateway.Aim {
	a := gateway.Aim{Orders: map[string]int{}}
	for _, id := range ids {
		a.Orders[id] = n
	}
	return a
}
