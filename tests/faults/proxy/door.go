package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Where clients knock: one TCP port that can be opened, closed, or left unanswered.
type door struct {
	address string
	config  *tls.Config
	arrived chan net.Conn

	mutex       sync.Mutex
	mode        string
	listener    net.Listener
	connections []*connection
	knocks      []time.Time // every TCP connection that was accepted, whatever became of it
	held        []net.Conn  // accepted and never spoken to
}

type connectionKey struct{}

func openDoor(config *tls.Config) (*door, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &door{address: listener.Addr().String(), config: config, arrived: make(chan net.Conn), mode: "open", listener: listener}
	go d.accept(listener)
	return d, nil
}

// open: as usual. closed: the port refuses. swallow: accepted, and no byte ever comes. reset: accepted and reset.
func (d *door) set(mode string) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	switch mode {
	case "closed":
		if d.listener != nil {
			_ = d.listener.Close()
			d.listener = nil
		}
	case "open", "swallow", "reset":
		for _, conn := range d.held {
			_ = conn.Close()
		}
		d.held = nil
		if d.listener == nil {
			listener, err := net.Listen("tcp", d.address)
			if err != nil {
				return err
			}
			d.listener = listener
			go d.accept(listener)
		}
	default:
		return fmt.Errorf("no such mode of the listener: %q", mode)
	}
	d.mode = mode
	return nil
}

func (d *door) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		d.mutex.Lock()
		mode := d.mode
		d.knocks = append(d.knocks, time.Now())
		if mode == "swallow" {
			d.held = append(d.held, conn)
		}
		d.mutex.Unlock()
		switch mode {
		case "swallow":
		case "reset":
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		default:
			go d.greet(conn.(*net.TCPConn))
		}
	}
}

func (d *door) greet(tcp *net.TCPConn) {
	secured := tls.Server(tcp, d.config)
	limited, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := secured.HandshakeContext(limited); err != nil {
		_ = tcp.Close()
		return
	}
	d.mutex.Lock()
	conn := newConnection(len(d.connections)+1, tcp, secured)
	d.connections = append(d.connections, conn)
	d.mutex.Unlock()
	d.arrived <- conn
}

func (d *door) all() []*connection {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return append([]*connection{}, d.connections...)
}

// net.Listener of the HTTP server, which sees plain connections and finds out by itself which of them speak HTTP/2.
func (d *door) Accept() (net.Conn, error) {
	conn, ok := <-d.arrived
	if !ok {
		return nil, errors.New("the door is gone")
	}
	return conn, nil
}
func (d *door) Close() error   { return nil }
func (d *door) Addr() net.Addr { return &net.TCPAddr{} }

func (d *door) serve(handler http.Handler) error {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler: handler, Protocols: protocols,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 100},
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, conn)
		},
	}
	return server.Serve(d)
}
