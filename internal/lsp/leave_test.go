package lsp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLeave has a client that leaves during an analysis that does not end: the server ends without it.
func TestLeave(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	c := startWith(t, Options{Wait: func(<-chan struct{}) {}}, func(uri string, text *text, conf configuration) *analysis {
		close(begun)
		<-release
		return newOutline(uri, text, conf)
	})
	require.NoError(t, c.call("initialize", object{}, nil))
	c.notify("textDocument/didOpen", object{"textDocument": object{"uri": "file:///x.ptx", "version": 1, "text": module}})
	<-begun
	require.NoError(t, c.raw.Close())
	assert.NoError(t, <-c.ended)
}
