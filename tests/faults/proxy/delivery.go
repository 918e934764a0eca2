package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// The body of an answer on its way to the client, one event at a time, past the rules that stand then.
type delivery struct {
	proxy   *proxy
	seen    *exchange
	conn    *connection
	to      http.ResponseWriter
	from    *http.Response
	framing framing
	spells  map[*rule]*spell
}

// What a rule has done to this answer so far.
type spell struct {
	since  time.Time
	events int
	done   bool
}

type piece struct {
	bytes []byte
	err   error
}

// What the rules say now.
type orders struct {
	hold, over bool
	wake       time.Duration // look again after this; 0: no need
	slow       *fault
	withhold   string
	flush      bool
}

func (d *delivery) run(ctx context.Context) {
	d.spells = map[*rule]*spell{}
	d.head()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pieces := make(chan piece)
	go d.read(ctx, pieces)
	for {
		changed := d.proxy.rules.change()
		now := d.follow(d.proxy.rules.caught(d.seen, "body"))
		if now.over {
			return
		}
		incoming := pieces
		if now.hold {
			incoming = nil
		}
		var timer <-chan time.Time
		if now.wake > 0 {
			timer = time.After(now.wake)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-timer:
		case next := <-incoming:
			if !d.pass(ctx, next, now) {
				return
			}
		}
	}
}

func (d *delivery) head() {
	header := d.to.Header()
	for key, values := range d.from.Header {
		header[key] = values
	}
	for _, r := range d.proxy.rules.caught(d.seen, "body") {
		switch r.Fault.Do {
		case "retype":
			header.Set("Content-Type", r.Fault.ContentType)
		case "garbage":
			header.Del("Content-Length")
		}
	}
	d.seen.answered(d.from.StatusCode)
	d.to.WriteHeader(d.from.StatusCode)
	if d.seen.Watch {
		d.flush()
	}
}

func (d *delivery) read(ctx context.Context, into chan<- piece) {
	reader := bufio.NewReaderSize(d.from.Body, 64<<10)
	for {
		bytes, err := d.framing.next(reader)
		select {
		case into <- piece{bytes, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (d *delivery) follow(caught []*rule) orders {
	now := orders{flush: d.seen.Watch || len(caught) > 0}
	for _, r := range caught {
		state := d.spells[r]
		if state == nil {
			state = &spell{since: time.Now()}
			d.spells[r] = state
		}
		if state.done || state.events < r.Fault.AfterEvents {
			continue
		}
		if left := time.Duration(r.Fault.AfterMilliseconds)*time.Millisecond - time.Since(state.since); left > 0 {
			now.wake = left
			continue
		}
		d.play(r.Fault, state, &now)
	}
	return now
}

func (d *delivery) play(f fault, state *spell, now *orders) {
	switch f.Do {
	case "hold":
		now.hold = true
	case "end":
		now.over = true
	case "reset_stream":
		panic(http.ErrAbortHandler)
	case "reset_connection":
		d.conn.reset()
		panic(http.ErrAbortHandler)
	case "slow":
		now.slow = &f
	case "withhold":
		now.withhold = f.What
	case "goaway", "half_open", "error_event", "garbage":
		state.done = true
		d.once(f)
	}
}

func (d *delivery) once(f fault) {
	switch f.Do {
	case "goaway":
		last := uint32(1<<31 - 1)
		if f.Last != nil {
			last = *f.Last
		}
		_ = d.conn.goAway(last, f.Code)
	case "half_open":
		d.conn.halfOpen()
	case "error_event":
		_, _ = d.to.Write(d.framing.errorEvent(f.status()))
		d.flush()
	case "garbage":
		_, _ = d.to.Write([]byte(*f.Body))
		d.flush()
	}
}

// False when the answer is over.
func (d *delivery) pass(ctx context.Context, next piece, now orders) bool {
	withheld := (now.withhold == "bookmarks" && isBookmark(next.bytes)) ||
		(now.withhold == "initial-events-end" && endsInitialEvents(next.bytes))
	if len(next.bytes) > 0 && !withheld {
		d.write(ctx, next.bytes, now.slow)
		if now.flush {
			d.flush()
		}
		d.seen.passed(1, len(next.bytes))
		for _, state := range d.spells {
			state.events++
		}
	}
	if next.err == nil {
		return true
	}
	if !errors.Is(next.err, io.EOF) {
		d.conn.reset()
		panic(http.ErrAbortHandler)
	}
	return false
}

func (d *delivery) write(ctx context.Context, bytes []byte, slow *fault) {
	if slow == nil {
		_, _ = d.to.Write(bytes)
		return
	}
	for at := 0; at < len(bytes) && ctx.Err() == nil; at += slow.Chunk {
		_, _ = d.to.Write(bytes[at:min(at+slow.Chunk, len(bytes))])
		d.flush()
		time.Sleep(time.Duration(slow.Milliseconds) * time.Millisecond)
	}
}

func (d *delivery) flush() { _ = http.NewResponseController(d.to).Flush() }
