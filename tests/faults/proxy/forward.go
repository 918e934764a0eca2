package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

type proxy struct {
	rules       *rules
	journal     *journal
	door        *door
	identity    *identity
	clientToken string
	upstream    *url.URL
	transport   *http.Transport
}

func (p *proxy) connect(upstream, authority string) error {
	target, err := url.Parse(upstream)
	if err != nil {
		return err
	}
	roots, err := readAuthority(authority)
	if err != nil {
		return err
	}
	p.upstream = target
	p.transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true,
		DisableCompression: true}
	return nil
}

func (p *proxy) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	conn := request.Context().Value(connectionKey{}).(*connection)
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	token := request.Header.Get("Authorization")
	seen := p.journal.begin(&exchange{
		Connection: conn.id, Method: request.Method, Path: request.URL.Path, Query: request.URL.RawQuery,
		Agent: request.UserAgent(), Accept: request.Header.Get("Accept"), Token: token[max(0, len(token)-8):],
		Watch: request.URL.Query().Get("watch") == "true" || request.URL.Query().Get("watch") == "1", body: string(body),
	})
	defer seen.ended()
	caught := p.rules.caught(seen, "request")
	if p.interfere(caught, "before", seen, conn, answer, request) {
		return
	}
	response, err := p.ask(request, body, conn)
	if err != nil {
		// The real server went away: so does the connection.
		conn.reset()
		panic(http.ErrAbortHandler)
	}
	defer response.Body.Close()
	seen.note(func(e *exchange) { e.Upstream = response.StatusCode })
	if p.interfere(caught, "after", seen, conn, answer, request) {
		return
	}
	(&delivery{proxy: p, seen: seen, conn: conn, to: answer, from: response,
		framing: framingOf(seen.Watch, response.Header.Get("Content-Type"))}).run(request.Context())
}

// A write goes through even when the client has given up on it meanwhile, as it does behind a slow network.
func (p *proxy) ask(request *http.Request, body []byte, conn *connection) (*http.Response, error) {
	ctx := request.Context()
	if request.Method != http.MethodGet {
		ctx = context.WithoutCancel(ctx)
	}
	target := *p.upstream
	target.Path, target.RawPath, target.RawQuery = request.URL.Path, request.URL.RawPath, request.URL.RawQuery
	copied, err := http.NewRequestWithContext(ctx, request.Method, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	copied.Header = request.Header.Clone()
	copied.Header.Del("Connection")
	if conn.certified && request.Header.Get("Authorization") == "" {
		copied.Header.Set("Authorization", "Bearer "+p.clientToken)
	}
	return p.transport.RoundTrip(copied)
}

// Plays the faults of one moment; true when the request is over with that.
func (p *proxy) interfere(caught []*rule, moment string, seen *exchange, conn *connection, answer http.ResponseWriter,
	request *http.Request) bool {
	for _, r := range caught {
		if when := r.Fault.When; when != moment && !(when == "" && moment == "before") {
			continue
		}
		switch r.Fault.Do {
		case "delay":
			time.Sleep(time.Duration(r.Fault.Milliseconds) * time.Millisecond)
		case "hang":
			if !p.rules.await(request.Context(), r) {
				return true
			}
		case "drop":
			if r.Fault.What == "connection" {
				conn.reset()
			}
			panic(http.ErrAbortHandler)
		case "answer":
			r.Fault.answer(seen, answer, request)
			return true
		}
	}
	return false
}

// Until the rule is gone; false when the client went first.
func (r *rules) await(ctx context.Context, waited *rule) bool {
	for {
		changed := r.change()
		present := false
		for _, found := range r.list() {
			present = present || found.Name == waited.Name
		}
		if !present {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

func (f fault) status() status {
	retryAfter := 0
	if f.RetryAfter != nil {
		retryAfter = *f.RetryAfter
	}
	message := f.Message
	if message == "" {
		message = "the faults proxy says " + strconv.Itoa(f.Status)
	}
	return status{code: f.Status, retryAfter: retryAfter, reason: f.Reason, message: message, causes: f.Causes}
}

func (f fault) answer(seen *exchange, answer http.ResponseWriter, request *http.Request) {
	body, contentType := f.status().json(), "application/json"
	if strings.HasPrefix(request.Header.Get("Accept"), protobufType) {
		body, contentType = f.status().protobuf(), protobufType
	}
	if f.Body != nil {
		body = []byte(*f.Body)
	}
	if f.ContentType != "" {
		contentType = f.ContentType
	}
	answer.Header().Set("Content-Type", contentType)
	if f.RetryAfter != nil {
		answer.Header().Set("Retry-After", strconv.Itoa(*f.RetryAfter))
	}
	seen.answered(f.Status)
	answer.WriteHeader(f.Status)
	_, _ = answer.Write(body)
}
