package server

import (
	"slices"
	"sync"
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
