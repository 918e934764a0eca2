package main

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"
)

const frameHeader = 9

// A client's connection after TLS. Its plain bytes pass here, so that HTTP/2 frames can be put between those of the
// server, and so that the connection can be made to swallow everything.
type connection struct {
	net.Conn
	tcp       *net.TCPConn
	id        int
	http2     bool
	certified bool   // the client came with a certificate
	client    string // whose name it bears

	mutex   sync.Mutex
	opened  time.Time
	closed  time.Time
	dead    bool   // half-open: whatever comes is read and lost, nothing leaves
	header  []byte // of the frame under way
	left    int    // bytes of its payload that are still to come
	waiting []byte // frames to be put in when the one under way ends
}

func newConnection(id int, tcp *net.TCPConn, secured *tls.Conn) *connection {
	state := secured.ConnectionState()
	made := &connection{Conn: secured, tcp: tcp, id: id, http2: state.NegotiatedProtocol == "h2", opened: time.Now()}
	if len(state.PeerCertificates) > 0 {
		made.certified, made.client = true, state.PeerCertificates[0].Subject.CommonName
	}
	return made
}

func (c *connection) Read(into []byte) (int, error) {
	for {
		count, err := c.Conn.Read(into)
		c.mutex.Lock()
		dead := c.dead
		c.mutex.Unlock()
		if err != nil || !dead {
			return count, err
		}
	}
}

func (c *connection) Write(bytes []byte) (int, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.dead {
		return len(bytes), nil
	}
	if !c.http2 || len(c.waiting) == 0 {
		c.follow(bytes)
		return c.Conn.Write(bytes)
	}
	until := c.follow(bytes)
	if until < 0 {
		return c.Conn.Write(bytes)
	}
	joined := append(append(append([]byte{}, bytes[:until]...), c.waiting...), bytes[until:]...)
	c.waiting = nil
	if _, err := c.Conn.Write(joined); err != nil {
		return 0, err
	}
	return len(bytes), nil
}

// Keeps count of frames; returns where in `bytes` the first boundary between two of them is, or -1.
func (c *connection) follow(bytes []byte) int {
	if !c.http2 {
		return -1
	}
	first := -1
	if c.left == 0 && len(c.header) == 0 {
		first = 0
	}
	for at := 0; at < len(bytes); {
		if c.left == 0 {
			take := min(frameHeader-len(c.header), len(bytes)-at)
			c.header = append(c.header, bytes[at:at+take]...)
			at += take
			if len(c.header) < frameHeader {
				break
			}
			c.left = int(c.header[0])<<16 | int(c.header[1])<<8 | int(c.header[2])
		}
		take := min(c.left, len(bytes)-at)
		at += take
		c.left -= take
		if c.left == 0 && len(c.header) == frameHeader {
			c.header = c.header[:0]
			if first < 0 {
				first = at
			}
		}
	}
	return first
}

// Streams up to `last` may go on, says the frame; nothing else changes.
func (c *connection) goAway(last, code uint32) error {
	frame := []byte{0, 0, 8, 7, 0, 0, 0, 0, 0}
	frame = binary.BigEndian.AppendUint32(frame, last)
	frame = binary.BigEndian.AppendUint32(frame, code)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.http2 || c.dead {
		return nil
	}
	if c.left > 0 || len(c.header) > 0 {
		c.waiting = append(c.waiting, frame...)
		return nil
	}
	_, err := c.Conn.Write(frame)
	return err
}

func (c *connection) halfOpen() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.dead = true
}

// The peer sees RST, not FIN.
func (c *connection) reset() {
	_ = c.tcp.SetLinger(0)
	_ = c.tcp.Close()
}

func (c *connection) Close() error {
	c.mutex.Lock()
	dead := c.dead
	if c.closed.IsZero() {
		c.closed = time.Now()
	}
	c.mutex.Unlock()
	if dead {
		// The client must find out by itself: it keeps a socket that nobody answers on.
		go func() { _, _ = io.Copy(io.Discard, c.tcp) }()
		return nil
	}
	return c.Conn.Close()
}
