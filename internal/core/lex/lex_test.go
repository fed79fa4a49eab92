package lex_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// TestString has strings that are closed, and such as end with their line or the text.
func TestString(t *testing.T) {
	for text, want := range map[string]struct {
		n      int
		closed bool
	}{
		`"" x`:            {2, true},
		`"a;b"`:           {5, true},
		`"a\"b" "c"`:      {4, true},
		`"a\\" "`:         {5, true},
		`"a`:              {2, false},
		`"a\`:             {3, false},
		`"a\"`:            {4, true},
		`"`:               {1, false},
		"\"a\n\"":         {4, true},
		"\"a\\\nb\"":      {6, true},
		"\"a\\\"\nb\"":    {4, true},
		"\"a\n;\"":        {2, false},
		"\"a\n}\"":        {2, false},
		"\"\x00\xff\" \"": {4, true},
	} {
		n, closed := lex.String(text)
		assert.Equal(t, want.n, n, "%q", text)
		assert.Equal(t, want.closed, closed, "%q", text)
	}
}
