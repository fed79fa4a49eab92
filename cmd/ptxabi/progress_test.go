package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Progress is shown on a terminal alone, of work that takes long alone, not at each step, and is gone before other
// text.
func TestProgress(t *testing.T) {
	var out strings.Builder
	p := newProgress(env{stderr: &out}, "images compared", 10)
	p.began = p.began.Add(-time.Hour)
	p.step()
	p.hide()
	assert.Empty(t, out.String(), "without a terminal")

	p = newProgress(env{stderr: &out, terminal: true}, "images compared", 10)
	p.began = time.Now().Add(time.Hour)
	p.step()
	p.hide()
	assert.Empty(t, out.String(), "of short work")

	p.began = time.Now().Add(-2 * patient)
	p.step()
	assert.Equal(t, "\rimages compared: 2 of 10", out.String())
	p.shown = time.Now().Add(time.Hour)
	p.step()
	assert.Equal(t, "\rimages compared: 2 of 10", out.String(), "shortly after")
	p.shown = time.Now().Add(-2 * again)
	p.step()
	assert.Equal(t, "\rimages compared: 2 of 10\rimages compared: 4 of 10", out.String())

	out.Reset()
	p.hide()
	assert.Equal(t, "\r"+strings.Repeat(" ", len("images compared: 4 of 10"))+"\r", out.String())
	out.Reset()
	p.hide()
	assert.Empty(t, out.String(), "hidden already")
}
