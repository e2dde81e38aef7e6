package ground

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
)

// rows are a list on the server.
type rows struct {
	client rueidis.Client
	key    string
}

func newRows(server, prefix string) (*rows, error) {
	option, err := rueidis.ParseURL(server)
	if err != nil {
		return nil, err
	}
	option.DisableCache, option.ForceSingleClient = true, true
	client, err := rueidis.NewClient(option)
	if err != nil {
		return nil, err
	}
	return &rows{client, cmp.Or(prefix, "twice") + ":campaign:rows"}, nil
}

// written is how a row is kept.
func written(r campaign.Row) string { return fmt.Sprintf("%s %d", r.Job, r.Token) }

// push makes a row by itself, and takes it away from those to be made.
func (d *rows) push(ctx context.Context, row *[]string) error {
	err := d.client.Do(ctx, d.client.B().Rpush().Key(d.key).Element(*row...).Build()).Error()
	*row = nil
	return err
}

// Rows gives every row.
func (d *rows) Rows(ctx context.Context, each func(campaign.Row)) error {
	all, err := d.client.Do(ctx, d.client.B().Lrange().Key(d.key).Start(0).Stop(-1).Build()).AsStrSlice()
	if err != nil {
		return err
	}
	for _, text := range all {
		job, token, _ := strings.Cut(text, " ")
		var r campaign.Row
		if r.Job, err = queue.ParseID(job); err != nil {
			return err
		}
		if r.Token, err = strconv.ParseInt(token, 10, 64); err != nil {
			return err
		}
		each(r)
	}
	return nil
}

// Close ends the connection.
func (d *rows) Close() error {
	d.client.Close()
	return nil
}
