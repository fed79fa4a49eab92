package server

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// read reads a question. Its bytes are the room's until leave is called with the
// guest; where that is nil, the request has been refused.
func (h *handler) read(w http.ResponseWriter, r *http.Request) (question []byte, g *guest) {
	size := MaxBody // of a body that does not say its length
	if r.ContentLength >= 0 {
		size = int(min(r.ContentLength, MaxBody+1))
	}
	if size > MaxBody {
		drain(w, r)
		tooLarge(w)
		return nil, nil
	}
	conn := http.NewResponseController(w)
	g = h.room.enter(size, func() { conn.SetReadDeadline(time.Unix(1, 0)) })
	if g == nil {
		drain(w, r)
		busy(w, "the explorer holds as many questions as it can")
		return nil, nil
	}
	body := make([]byte, size+1) // with one for what is too much
	n := 0
	var err error
	for n < len(body) && err == nil {
		var m int
		m, err = r.Body.Read(body[n:])
		n += m
	}
	sent := h.room.arrived(g)
	if n <= size && err == io.EOF && !sent {
		return body[:n], g
	}
	w.Header().Set("Connection", "close")
	switch {
	case sent:
		busy(w, "the question arrived too slowly: others needed its room")
	case n > size:
		tooLarge(w)
	default:
		refuse(w, http.StatusBadRequest, "the question did not arrive whole")
	}
	h.room.leave(g)
	return nil, nil
}

// drain reads a body that nothing wants and keeps none of it: a client that is
// still sending would see a broken connection, not the refusal.
func drain(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close") // of what is larger, there is a rest
	io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, MaxBody))
}

func tooLarge(w http.ResponseWriter) {
	refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the question is larger than %d bytes", MaxBody))
}
