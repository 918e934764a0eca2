package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// What tests steer the proxy with.
func (p *proxy) controls() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("GET /rules", func(to http.ResponseWriter, _ *http.Request) { reply(to, p.rules.list()) })
	routes.HandleFunc("POST /rules", func(to http.ResponseWriter, from *http.Request) {
		added := &rule{}
		if read(to, from, added) {
			done(to, p.rules.add(added))
		}
	})
	routes.HandleFunc("DELETE /rules/{name}", func(to http.ResponseWriter, from *http.Request) {
		removed := p.rules.remove(from.PathValue("name"))
		if removed == nil {
			http.Error(to, "there is no such rule", http.StatusNotFound)
			return
		}
		reply(to, removed)
	})
	routes.HandleFunc("GET /log", func(to http.ResponseWriter, from *http.Request) {
		since, _ := strconv.Atoi(from.URL.Query().Get("since"))
		reply(to, p.journal.since(since))
	})
	routes.HandleFunc("GET /connections", func(to http.ResponseWriter, _ *http.Request) { reply(to, p.door.report()) })
	routes.HandleFunc("POST /connections", func(to http.ResponseWriter, from *http.Request) {
		var order struct {
			Do   string `json:"do"`
			Only int    `json:"only"`
			Last uint32 `json:"last"`
			Code uint32 `json:"code"`
		}
		if !read(to, from, &order) {
			return
		}
		for _, conn := range p.door.all() {
			if order.Only != 0 && order.Only != conn.id {
				continue
			}
			switch order.Do {
			case "reset":
				conn.reset()
			case "half_open":
				conn.halfOpen()
			case "goaway":
				_ = conn.goAway(order.Last, order.Code)
			default:
				done(to, fmt.Errorf("no such order for connections: %q", order.Do))
				return
			}
		}
		reply(to, p.door.report())
	})
	routes.HandleFunc("POST /listener", func(to http.ResponseWriter, from *http.Request) {
		var order struct {
			Mode string `json:"mode"`
		}
		if read(to, from, &order) {
			done(to, p.door.set(order.Mode))
		}
	})
	routes.HandleFunc("POST /certificate", func(to http.ResponseWriter, from *http.Request) {
		var order struct {
			Seconds int `json:"seconds"`
		}
		if read(to, from, &order) {
			done(to, p.identity.issue(time.Duration(order.Seconds)*time.Second))
		}
	})
	routes.HandleFunc("POST /authority", func(to http.ResponseWriter, _ *http.Request) {
		if err := p.identity.renew(); err != nil {
			done(to, err)
			return
		}
		reply(to, map[string]string{"ca": p.identity.authorityPEM})
	})
	return routes
}

func read(to http.ResponseWriter, from *http.Request, into any) bool {
	decoder := json.NewDecoder(from.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		http.Error(to, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func reply(to http.ResponseWriter, what any) {
	to.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(to).Encode(what)
}

func done(to http.ResponseWriter, err error) {
	if err != nil {
		http.Error(to, err.Error(), http.StatusBadRequest)
		return
	}
	reply(to, map[string]string{})
}

type connectionReport struct {
	ID     int     `json:"id"`
	HTTP2  bool    `json:"http2"`
	Client string  `json:"client"` // the name in its certificate
	Opened float64 `json:"opened"`
	Closed float64 `json:"closed"`
}

type doorReport struct {
	Knocks      []float64          `json:"knocks"`
	Connections []connectionReport `json:"connections"`
}

func (d *door) report() doorReport {
	report := doorReport{Knocks: []float64{}, Connections: []connectionReport{}}
	d.mutex.Lock()
	for _, at := range d.knocks {
		report.Knocks = append(report.Knocks, seconds(at))
	}
	d.mutex.Unlock()
	for _, conn := range d.all() {
		conn.mutex.Lock()
		entry := connectionReport{ID: conn.id, HTTP2: conn.http2, Client: conn.client, Opened: seconds(conn.opened)}
		if !conn.closed.IsZero() {
			entry.Closed = seconds(conn.closed)
		}
		conn.mutex.Unlock()
		report.Connections = append(report.Connections, entry)
	}
	return report
}
