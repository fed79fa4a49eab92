package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/cli/display"
)

func TestWrap(t *testing.T) {
	assert.Equal(t, []string{""}, display.Wrap(" ", 5))
	assert.Equal(t, []string{"a bc", "defghi", "j"}, display.Wrap("a bc\n defghi j", 5))
}

func TestFold(t *testing.T) {
	assert.Equal(t, "ab cd\n\n  longer é\n      than\n      ten\n  abcdefghijklmnop\n", display.Fold("ab cd\n\n  longer é than ten\n  abcdefghijklmnop\n", 12))
	assert.Equal(t, "ab\n    cd", display.Fold("ab cd", 4)) // a word is never broken
}

func TestList(t *testing.T) {
	assert.Equal(t, []string{""}, display.List(""))
	assert.Equal(t, []string{"A", "B<int, 2>", "f(a,b)", "C[D,E]", ""}, display.List("A, B<int, 2>,f(a,b) ,C[D,E],"))
	assert.Equal(t, []string{"A>", "B"}, display.List("A>,B"))
}

func TestSentence(t *testing.T) {
	assert.Empty(t, display.Sentence(""))
	assert.Equal(t, "One.", display.Sentence("One. Two."))
	assert.Equal(t, "Only one, with x.y.", display.Sentence("Only one, with x.y."))
	assert.Equal(t, "no stop", display.Sentence("no stop"))
}

func TestTable(t *testing.T) {
	assert.Equal(t, "  a    n  say\n  bcd  1  é\n", display.Table([][]string{{"a", "n", "say"}, {"bcd", "1", "é"}}, "  ", 0, 1))
	text := display.Table([][]string{{"fact", "value", "", "grade"}, {"x", strings.Repeat("one two ", 20), "", "measured"}, {strings.Repeat("w", 30), "", "", ""}}, "", 0)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	assert.Len(t, lines, 5)
	for _, l := range lines {
		assert.LessOrEqual(t, len(l), display.Columns)
		assert.Equal(t, strings.TrimRight(l, " "), l)
	}
	assert.True(t, strings.HasSuffix(lines[1], "  measured"), lines[1])
	assert.Equal(t, strings.Repeat("x", 120)+"  y\n", display.Table([][]string{{strings.Repeat("x", 120), "y"}}, "", 0))
	assert.Equal(t, "a  one\n   two\n", display.Table([][]string{{"a", "one two"}}, "", 8)) // no word is broken
}
