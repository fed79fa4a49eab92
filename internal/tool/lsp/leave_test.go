package lsp

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLeave has a client that leaves during an analysis that does not end: the server ends without it.
func TestLeave(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	c := start(t, Options{Wait: func(<-chan struct{}) {}, Check: func(_ context.Context, text []byte) ([]byte, error) {
		close(begun)
		<-release
		return Check(text)
	}})
	require.NoError(t, c.call("initialize", object{}, nil))
	c.notify("textDocument/didOpen", object{"textDocument": object{"uri": "file:///x.ptx", "version": 1, "text": module}})
	<-begun
	require.NoError(t, c.raw.Close())
	assert.NoError(t, <-c.ended)
}

// TestStop has checks that do not end: each ends when its text is changed or closed, or the client leaves, and another
// document does not wait for it.
func TestStop(t *testing.T) {
	begun, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
	c := start(t, Options{Wait: func(<-chan struct{}) {}, Check: func(ctx context.Context, text []byte) ([]byte, error) {
		if string(text) != "hostile" {
			return Check(text)
		}
		begun <- struct{}{}
		<-ctx.Done()
		stopped <- struct{}{}
		return nil, ctx.Err()
	}})
	require.NoError(t, c.call("initialize", object{}, nil))
	open := func(uri, text string) {
		c.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "version": 1, "text": text}})
	}
	open("file:///x.ptx", "hostile")
	<-begun
	open("file:///y.ptx", module)
	p := c.published(1)
	assert.Equal(t, "file:///y.ptx", p.URI)
	assert.NotEmpty(t, p.Diagnostics)
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": "file:///x.ptx", "version": 2}, "contentChanges": []object{{"text": module}}})
	<-stopped
	assert.NotEmpty(t, c.published(2).Diagnostics)

	open("file:///z.ptx", "hostile")
	<-begun
	c.notify("textDocument/didClose", object{"textDocument": object{"uri": "file:///z.ptx"}})
	<-stopped
	open("file:///z.ptx", "hostile")
	<-begun
	require.NoError(t, c.raw.Close())
	assert.NoError(t, <-c.ended)
	<-stopped
}
