package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// client calls the remote for a worker process.
type client struct {
	http    *http.Client
	base    string
	process string
}

func newClient(base, process string, concurrency int) *client {
	transport := &http.Transport{MaxIdleConnsPerHost: concurrency}
	return &client{http: &http.Client{Transport: transport}, base: base, process: process}
}

// make asks for a charge or a mail.
func (c *client) make(ctx context.Context, face, key string, token int64) (made, error) {
	form := url.Values{"key": {key}, "process": {c.process}, "token": {strconv.FormatInt(token, 10)}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/"+face, strings.NewReader(form.Encode()))
	if err != nil {
		return made{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	m, ok, err := c.do(req)
	if err == nil && !ok {
		err = fmt.Errorf("the remote has no %s", face)
	}
	return m, err
}

// find asks whether there is a charge of that key.
func (c *client) find(ctx context.Context, key string) (made, bool, error) {
	return c.get(ctx, url.Values{"key": {key}})
}

// look is find, for a handler that acts on the answer: it says which attempt asks.
func (c *client) look(ctx context.Context, key string, token int64) (made, bool, error) {
	return c.get(ctx, url.Values{"key": {key}, "process": {c.process}, "token": {strconv.FormatInt(token, 10)}})
}

func (c *client) get(ctx context.Context, query url.Values) (made, bool, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/charge?"+query.Encode(), nil)
	if err != nil {
		return made{}, false, err
	}
	return c.do(req)
}

func (c *client) do(req *http.Request) (m made, ok bool, err error) {
	res, err := c.http.Do(req)
	if err != nil {
		return made{}, false, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	switch {
	case err != nil:
		return made{}, false, err
	case res.StatusCode == http.StatusNotFound:
		return made{}, false, nil
	case res.StatusCode != http.StatusOK:
		return made{}, false, fmt.Errorf("the remote answered %s: %s", res.Status, body)
	}
	return m, true, json.Unmarshal(body, &m)
}
