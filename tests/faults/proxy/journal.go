package main

import (
	"slices"
	"sync"
	"time"
)

// One request as the proxy saw it. Times are seconds since 1970; 0: not yet.
type exchange struct {
	ID         int      `json:"id"`
	Connection int      `json:"connection"`
	Method     string   `json:"method"`
	Path       string   `json:"path"`
	Query      string   `json:"query"`
	Agent      string   `json:"agent"`
	Accept     string   `json:"accept"`
	Token      string   `json:"token"` // the last eight characters
	Watch      bool     `json:"watch"`
	Status     int      `json:"status"`   // sent to the client; 0: none
	Upstream   int      `json:"upstream"` // sent by the real server; 0: it was not asked
	Begun      float64  `json:"begun"`
	Answered   float64  `json:"answered"`
	Ended      float64  `json:"ended"`
	Events     int      `json:"events"`
	Bytes      int      `json:"bytes"`
	Faults     []string `json:"faults"`

	body    string
	journal *journal
}

type journal struct {
	mutex   sync.Mutex
	entries []*exchange
	changed chan struct{}
}

func newJournal() *journal { return &journal{} }

func seconds(at time.Time) float64 { return float64(at.UnixNano()) / 1e9 }

func (j *journal) begin(entry *exchange) *exchange {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	entry.ID, entry.Begun, entry.Faults, entry.journal = len(j.entries)+1, seconds(time.Now()), []string{}, j
	j.entries = append(j.entries, entry)
	return entry
}

func (j *journal) since(id int) []exchange {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	copies := []exchange{}
	for _, entry := range j.entries[min(id, len(j.entries)):] {
		found := *entry
		found.Faults = slices.Clone(entry.Faults)
		copies = append(copies, found)
	}
	return copies
}

func (e *exchange) note(change func(*exchange)) {
	e.journal.mutex.Lock()
	defer e.journal.mutex.Unlock()
	change(e)
}

func (e *exchange) mark(fault string) {
	e.note(func(e *exchange) { e.Faults = append(e.Faults, fault) })
}
func (e *exchange) answered(status int) {
	e.note(func(e *exchange) { e.Status, e.Answered = status, seconds(time.Now()) })
}
func (e *exchange) passed(events, bytes int) {
	e.note(func(e *exchange) { e.Events, e.Bytes = e.Events+events, e.Bytes+bytes })
}
func (e *exchange) ended() {
	e.note(func(e *exchange) { e.Ended = seconds(time.Now()) })
}
