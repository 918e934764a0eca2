package main

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
)

// Which requests a rule is for. Empty fields match everything; the strings are regular expressions.
type match struct {
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Query  string `json:"query,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Body   string `json:"body,omitempty"`
	Token  string `json:"token,omitempty"` // of its last eight characters
	Watch  *bool  `json:"watch,omitempty"` // only watches, or only what is none
	From   int    `json:"from,omitempty"`  // the first request caught is the n-th that matches, counted from 1
	Times  int    `json:"times,omitempty"` // so many are caught; 0: all
}

// What happens to a request that was caught. README.md explains each.
type fault struct {
	Do   string `json:"do"`
	When string `json:"when,omitempty"` // before (default) or after the real server has carried the request out

	Status            int      `json:"status,omitempty"`
	Reason            string   `json:"reason,omitempty"`
	Message           string   `json:"message,omitempty"`
	Causes            []string `json:"causes,omitempty"`
	RetryAfter        *int     `json:"retry_after,omitempty"` // seconds
	ContentType       string   `json:"content_type,omitempty"`
	Body              *string  `json:"body,omitempty"`
	Milliseconds      int      `json:"milliseconds,omitempty"`
	Chunk             int      `json:"chunk,omitempty"`
	AfterEvents       int      `json:"after_events,omitempty"`
	AfterMilliseconds int      `json:"after_milliseconds,omitempty"`
	Last              *uint32  `json:"last,omitempty"`
	Code              uint32   `json:"code,omitempty"`
	What              string   `json:"what,omitempty"`
}

type rule struct {
	Name  string `json:"name"`
	Match match  `json:"match"`
	Fault fault  `json:"fault"`
	Hits  int    `json:"hits"`

	patterns map[*regexp.Regexp]func(*exchange) string
	seen     int
	decided  map[int]bool // by request
}

var phases = map[string]string{
	"answer": "request", "delay": "request", "hang": "request", "drop": "request",
	"hold": "body", "end": "body", "reset_stream": "body", "reset_connection": "body", "goaway": "body",
	"half_open": "body", "error_event": "body", "garbage": "body", "slow": "body", "withhold": "body", "retype": "body",
}

func (r *rule) prepare() error {
	if r.Name == "" || phases[r.Fault.Do] == "" {
		return fmt.Errorf("a rule needs a name and a fault that is known, not %q", r.Fault.Do)
	}
	if r.Fault.When != "" && r.Fault.When != "before" && r.Fault.When != "after" {
		return fmt.Errorf("when: before or after, not %q", r.Fault.When)
	}
	if r.Fault.Do == "slow" && r.Fault.Chunk < 1 {
		return errors.New("slow needs a chunk of at least one byte")
	}
	if r.Fault.Do == "garbage" && r.Fault.Body == nil {
		return errors.New("garbage needs a body")
	}
	r.decided = map[int]bool{}
	r.patterns = map[*regexp.Regexp]func(*exchange) string{}
	method := r.Match.Method
	if method != "" {
		method = "^(" + method + ")$"
	}
	for _, part := range []struct {
		pattern string
		of      func(*exchange) string
	}{
		{method, func(e *exchange) string { return e.Method }},
		{r.Match.Path, func(e *exchange) string { return e.Path }},
		{r.Match.Query, func(e *exchange) string { return e.Query }},
		{r.Match.Agent, func(e *exchange) string { return e.Agent }},
		{r.Match.Token, func(e *exchange) string { return e.Token }},
		{r.Match.Body, func(e *exchange) string { return e.body }},
	} {
		compiled, err := regexp.Compile(part.pattern)
		if err != nil {
			return err
		}
		r.patterns[compiled] = part.of
	}
	return nil
}

func (r *rule) suits(seen *exchange) bool {
	if r.Match.Watch != nil && *r.Match.Watch != seen.Watch {
		return false
	}
	for pattern, of := range r.patterns {
		if !pattern.MatchString(of(seen)) {
			return false
		}
	}
	return true
}

// Decided once per request, when the rule first looks at it.
func (r *rule) catches(seen *exchange) bool {
	if caught, known := r.decided[seen.ID]; known {
		return caught
	}
	caught := false
	if r.suits(seen) {
		r.seen++
		first := max(r.Match.From, 1)
		caught = r.seen >= first && (r.Match.Times == 0 || r.seen < first+r.Match.Times)
	}
	r.decided[seen.ID] = caught
	if caught {
		r.Hits++
		seen.mark(r.Name)
	}
	return caught
}

type rules struct {
	mutex   sync.Mutex
	all     []*rule
	renewed chan struct{}
}

func newRules() *rules { return &rules{renewed: make(chan struct{})} }

// Closed when the rules are others than now.
func (r *rules) change() <-chan struct{} {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.renewed
}

func (r *rules) turn() {
	close(r.renewed)
	r.renewed = make(chan struct{})
}

func (r *rules) add(added *rule) error {
	if err := added.prepare(); err != nil {
		return err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, present := range r.all {
		if present.Name == added.Name {
			return fmt.Errorf("there is a rule %q already", added.Name)
		}
	}
	r.all = append(r.all, added)
	r.turn()
	return nil
}

// Returns the rule as it was at its end.
func (r *rules) remove(name string) *rule {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for at, present := range r.all {
		if present.Name == name {
			r.all = append(append([]*rule{}, r.all[:at]...), r.all[at+1:]...)
			r.turn()
			return present
		}
	}
	return nil
}

func (r *rules) list() []rule {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	copies := []rule{}
	for _, present := range r.all {
		copies = append(copies, *present)
	}
	return copies
}

// The rules that have caught the request, of one phase, in the order in which they were added.
func (r *rules) caught(seen *exchange, phase string) []*rule {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var found []*rule
	for _, present := range r.all {
		if phases[present.Fault.Do] == phase && present.catches(seen) {
			found = append(found, present)
		}
	}
	return found
}
