package server

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A room bounds the bytes of all questions that are held at once: those that
// arrive, those that wait and those that are being answered. Where it is full,
// what has been arriving for the longest makes way for what comes: a body that
// was begun and not gone on with keeps no client out.
type room struct {
	mu   sync.Mutex
	left int // bytes
	// leaving is how many bytes those hold that were sent away and have yet to go.
	leaving  int
	arriving []*guest // the oldest first
	gone     sync.Cond
}

// A guest is a question in a room.
type guest struct {
	size int
	// away ends the reading of its body, which then fails at once. It is called
	// only while the guest arrives.
	away func()
	sent bool // away
}

func newRoom(size int) *room {
	r := &room{left: size}
	r.gone.L = &r.mu
	return r
}

// enter admits a question of a size, and returns nil where there is no room for
// it and no client that could make some. It waits for those that are sent away, which
// wait for nothing.
func (r *room) enter(size int, away func()) *guest {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.left < size {
		switch {
		case r.left+r.leaving >= size:
			r.gone.Wait()
		case len(r.arriving) == 0:
			return nil
		default:
			g := r.arriving[0]
			r.arriving = r.arriving[1:]
			r.leaving += g.size
			g.sent = true
			g.away()
		}
	}
	r.left -= size
	g := &guest{size: size, away: away}
	r.arriving = append(r.arriving, g)
	return g
}

// arrived is for a guest that is read, whole or not: it is not sent away from now
// on. It reports whether it was before.
func (r *room) arrived(g *guest) (sent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle(g)
	return g.sent
}

func (r *room) settle(g *guest) {
	r.arriving = slices.DeleteFunc(r.arriving, func(other *guest) bool { return other == g })
}

// leave gives a guest's bytes back. Its question is held no longer.
func (r *room) leave(g *guest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle(g)
	r.left += g.size
	if g.sent {
		r.leaving -= g.size
	}
	r.gone.Broadcast()
}

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
