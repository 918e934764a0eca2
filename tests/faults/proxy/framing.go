package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

const (
	protobufType = "application/vnd.kubernetes.protobuf"
	pieceSize    = 1024
	pieceLimit   = 64 << 20
)

// How the events of an answer follow each other on the wire.
type framing int

const (
	chunks  framing = iota // no watch: pieces of some bytes
	lines                  // JSON: one event a line
	lengths                // protobuf: four bytes of length, then the event
)

func framingOf(watch bool, contentType string) framing {
	switch {
	case !watch:
		return chunks
	case strings.HasPrefix(contentType, protobufType):
		return lengths
	default:
		return lines
	}
}

// The next event with its frame.
func (f framing) next(from *bufio.Reader) ([]byte, error) {
	switch f {
	case lines:
		return from.ReadBytes('\n')
	case lengths:
		var head [4]byte
		if _, err := io.ReadFull(from, head[:]); err != nil {
			return nil, err
		}
		size := binary.BigEndian.Uint32(head[:])
		if size > pieceLimit {
			return nil, errors.New("the server sent a frame of unlikely length")
		}
		frame := make([]byte, 4+size)
		copy(frame, head[:])
		_, err := io.ReadFull(from, frame[4:])
		return frame, err
	default:
		piece := make([]byte, pieceSize)
		count, err := from.Read(piece)
		return piece[:count], err
	}
}

func isBookmark(event []byte) bool {
	return bytes.Contains(event, []byte(`"type":"BOOKMARK"`)) || bytes.Contains(event, []byte("\x0a\x08BOOKMARK"))
}

func endsInitialEvents(event []byte) bool {
	return isBookmark(event) && bytes.Contains(event, []byte("k8s.io/initial-events-end"))
}

// metav1.Status, as much of it as clients act on.
type status struct {
	code, retryAfter int
	reason, message  string
	causes           []string
}

func (s status) json() []byte {
	causes := []map[string]string{}
	for _, reason := range s.causes {
		causes = append(causes, map[string]string{"reason": reason, "message": s.message})
	}
	details := map[string]any{}
	if len(causes) > 0 {
		details["causes"] = causes
	}
	if s.retryAfter > 0 {
		details["retryAfterSeconds"] = s.retryAfter
	}
	text, err := json.Marshal(map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{},
		"status": "Failure", "reason": s.reason, "message": s.message, "code": s.code, "details": details})
	if err != nil {
		panic(err)
	}
	return text
}

// With the magic prefix and the envelope that every protobuf object of Kubernetes comes in.
func (s status) protobuf() []byte {
	var details []byte
	for _, reason := range s.causes {
		details = field(details, 4, field(field(nil, 1, []byte(reason)), 2, []byte(s.message)))
	}
	if s.retryAfter > 0 {
		details = number(details, 5, s.retryAfter)
	}
	body := field(nil, 1, nil)
	body = field(body, 2, []byte("Failure"))
	body = field(body, 3, []byte(s.message))
	body = field(body, 4, []byte(s.reason))
	body = field(body, 5, details)
	body = number(body, 6, s.code)
	kind := field(field(nil, 1, []byte("v1")), 2, []byte("Status"))
	return append([]byte("k8s\x00"), field(field(nil, 1, kind), 2, body)...)
}

// An ERROR event, as the framing has it.
func (f framing) errorEvent(s status) []byte {
	if f == lengths {
		event := field(field(nil, 1, []byte("ERROR")), 2, field(nil, 1, s.protobuf()))
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
	}
	return append(append([]byte(`{"type":"ERROR","object":`), s.json()...), "}\n"...)
}

func field(to []byte, id int, value []byte) []byte {
	to = append(to, byte(id<<3|2))
	to = binary.AppendUvarint(to, uint64(len(value)))
	return append(to, value...)
}

func number(to []byte, id, value int) []byte {
	return binary.AppendUvarint(append(to, byte(id<<3)), uint64(value))
}
