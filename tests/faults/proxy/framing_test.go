package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"testing"
)

func TestEventsOfJSONAreLines(t *testing.T) {
	from := bufio.NewReader(bytes.NewReader([]byte("{\"a\":1}\n{\"b\":2}\n")))
	for _, want := range []string{"{\"a\":1}\n", "{\"b\":2}\n"} {
		if event, err := lines.next(from); err != nil || string(event) != want {
			t.Fatalf("got %q, %v; want %q", event, err, want)
		}
	}
	if _, err := lines.next(from); err != io.EOF {
		t.Fatalf("got %v at the end", err)
	}
}

func TestEventsOfProtobufHaveLengths(t *testing.T) {
	frame := append(binary.BigEndian.AppendUint32(nil, 3), "abc"...)
	from := bufio.NewReader(bytes.NewReader(append(frame, frame...)))
	for range 2 {
		if event, err := lengths.next(from); err != nil || !bytes.Equal(event, frame) {
			t.Fatalf("got %q, %v", event, err)
		}
	}
}

func TestAnErrorEventOfProtobufSaysItsLength(t *testing.T) {
	event := lengths.errorEvent(status{code: 410, reason: "Expired", message: "too old"})
	if got := int(binary.BigEndian.Uint32(event)); got != len(event)-4 {
		t.Fatalf("the frame says %d, it has %d", got, len(event)-4)
	}
	if !bytes.HasPrefix(event[4:], []byte("\x0a\x05ERROR")) || !bytes.Contains(event, []byte("k8s\x00")) {
		t.Fatalf("no ERROR event: %q", event)
	}
}

// What the server writes, in pieces of any size, with a GOAWAY asked for after each: the frames stay whole.
func TestFramesPutInNeverCutOthers(t *testing.T) {
	var sent []byte
	for size := range 40 {
		sent = append(sent, byte(0), byte(0), byte(size), 0, 0, 0, 0, 0, 1)
		sent = append(sent, bytes.Repeat([]byte{0xff}, size)...)
	}
	for step := 1; step < 50; step++ {
		near, far := net.Pipe()
		conn := &connection{Conn: near, http2: true}
		received := make(chan []byte)
		go func() {
			all, _ := io.ReadAll(far)
			received <- all
		}()
		asked := 0
		for at := 0; at < len(sent); at += step {
			if _, err := conn.Write(sent[at:min(at+step, len(sent))]); err != nil {
				t.Fatal(err)
			}
			if err := conn.goAway(0, 0); err != nil {
				t.Fatal(err)
			}
			asked++
		}
		_ = near.Close()
		all := <-received
		goAways, data := 0, 0
		for len(all) > 0 {
			size := int(all[0])<<16 | int(all[1])<<8 | int(all[2])
			switch all[3] {
			case 7:
				goAways++
			case 0:
				data++
			default:
				t.Fatalf("step %d: a frame of type %d", step, all[3])
			}
			all = all[9+size:]
		}
		if goAways != asked || data != 40 {
			t.Fatalf("step %d: %d of %d GOAWAY, %d of 40 others", step, goAways, asked, data)
		}
	}
}
