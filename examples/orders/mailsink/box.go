package mailsink

import "slices"

// box keeps the accepted mails. Not safe for concurrent use; the Server locks it.
type box struct {
	max   int
	mails []Mail
	ids   []string       // each Message-ID once, in the order first seen
	times map[string]int // how often each was accepted
}

// add keeps a mail, and reports false, keeping nothing, when the box is full.
func (b *box) add(m Mail) bool {
	if len(b.mails) >= b.max {
		return false
	}
	m.ID = len(b.mails) + 1
	b.mails = append(b.mails, m)
	if b.times[m.MessageID]++; b.times[m.MessageID] == 1 {
		b.ids = append(b.ids, m.MessageID)
	}
	return true
}

// Query picks mails. The zero value picks all.
type Query struct {
	To        string // only mails to this recipient
	MessageID string // only mails with this Message-ID
	Cursor    int    // only what comes after the page that gave this cursor
	Limit     int    // at most so many; 0: the server's PageSize
}

// Page is one part of the list of mails, oldest first.
type Page struct {
	Mails []Mail `json:"mails"`
	// NextCursor asks for what comes after. More says that there is something now.
	NextCursor int  `json:"next_cursor"`
	More       bool `json:"more"`
}

func (b *box) page(q Query) Page {
	page := Page{Mails: []Mail{}, NextCursor: len(b.mails)}
	for i := min(q.Cursor, len(b.mails)); i < len(b.mails); i++ {
		m := b.mails[i]
		if q.To != "" && !slices.Contains(m.To, q.To) || q.MessageID != "" && m.MessageID != q.MessageID {
			continue
		}
		if len(page.Mails) == q.Limit {
			page.NextCursor, page.More = i, true
			break
		}
		page.Mails = append(page.Mails, m)
	}
	return page
}

// Tally says how often each Message-ID was accepted.
type Tally struct {
	Mails      int     `json:"mails"`       // accepted in all
	MessageIDs int     `json:"message_ids"` // different ones among them
	Most       int     `json:"most"`        // of one Message-ID; 1 means that no mail came twice
	Counts     []Count `json:"counts"`      // those asked for, in the order first seen
	NextCursor int     `json:"next_cursor"` // asks for what comes after
	More       bool    `json:"more"`        // there is something after
}

// Count is how often one Message-ID was accepted.
type Count struct {
	MessageID string `json:"message_id"`
	N         int    `json:"n"`
}

// tally returns up to limit of the Message-IDs accepted at least least times.
func (b *box) tally(least, cursor, limit int) Tally {
	t := Tally{Mails: len(b.mails), MessageIDs: len(b.ids), Counts: []Count{}, NextCursor: len(b.ids)}
	for _, n := range b.times {
		t.Most = max(t.Most, n)
	}
	for i := min(cursor, len(b.ids)); i < len(b.ids); i++ {
		id := b.ids[i]
		if b.times[id] < least {
			continue
		}
		if len(t.Counts) == limit {
			t.NextCursor, t.More = i, true
			break
		}
		t.Counts = append(t.Counts, Count{id, b.times[id]})
	}
	return t
}
