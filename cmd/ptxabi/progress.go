package main

import (
	"fmt"
	"strings"
	"time"
)

// A progress shows on a terminal how far long work is. The zero value shows nothing.
type progress struct {
	e     env
	what  string
	total int
	done  int
	began time.Time
	shown time.Time
	width int // of the text on the line
}

// Times after which progress is shown, and shown again.
const (
	patient = time.Second
	again   = 100 * time.Millisecond
)

// newProgress is the progress of work of total steps.
func newProgress(e env, what string, total int) *progress {
	if !e.terminal {
		return &progress{}
	}
	return &progress{e: e, what: what, total: total, began: time.Now()}
}

// step counts one more step as done.
func (p *progress) step() {
	if p.done++; p.total == 0 {
		return
	}
	now := time.Now()
	if now.Sub(p.began) < patient || now.Sub(p.shown) < again {
		return
	}
	p.shown = now
	p.show(fmt.Sprintf("%s: %d of %d", p.what, p.done, p.total))
}

// hide clears the line, so that others can be printed.
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
