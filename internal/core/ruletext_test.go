package core_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/core/ruletext"
)

func TestRuleText(t *testing.T) {
	assert.Equal(t, []ruletext.Entry{
		{
			Kind: "error", Codes: []string{"A", "B", "C"}, When: "A occurs when a: b.", Fix: "do.", Source: "a book.", Head: "Example:",
			Files: []string{"one\n\n  two\x00", "three"},
		},
		{Kind: "link note", Codes: []string{"D"}, When: "D occurs.", Fix: "none.", Source: "none.", Head: "Example, a command:", Files: []string{"x"}},
	}, ruletext.Parse("# a comment\n# of two lines\n\nerror: A, B, C\nA occurs when a: b.\nFix: do.\nSource: a book.\nExample:\n\tone\n\t\n\t  two\\0\n\t--\n\tthree\n\n"+
		"link note: D\r\nD occurs.\r\nFix: none.\r\nSource: none.\r\nExample, a command:\r\n\tx\r\n"))
	assert.Panics(t, func() { ruletext.Parse("error: A\nA occurs.\n") })
}
