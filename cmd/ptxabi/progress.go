package main

import (
	"fmt"
	"strings"
	"time"
)

// A progress says on a terminal how far something is that takes long. The zero one says nothing.
type progress struct {
	e     env
	what  string
	total int
	done  int
	began time.Time
	said  time.Time
	width int // of what stands on the line
}

// Times after which progress is shown, and shown again.
const (
	patient = time.Second
	again   = 100 * time.Millisecond
)

// newProgress counts steps of that many.
func newProgress(e env, what string, total int) *progress {
	if !e.terminal {
		return &progress{}
	}
	return &progress{e: e, what: what, total: total, began: time.Now()}
}

// step says that one more is done.
func (p *progress) step() {
	if p.done++; p.total == 0 {
		return
	}
	now := time.Now()
	if now.Sub(p.began) < patient || now.Sub(p.said) < again {
		return
	}
	p.said = now
	p.show(fmt.Sprintf("%s: %d of %d", p.what, p.done, p.total))
}

// hide takes the line away, for others to be printed.
func (p *progress) hide() {
	if p.width > 0 {
		p.show("")
		fmt.Fprint(p.e.stderr, "\r")
	}
}

func (p *progress) show(text string) {
	fmt.Fprintf(p.e.stderr, "\r%s%s", text, strings.Repeat(" ", max(p.width-len(text), 0)))
	p.width = len(text)
}
