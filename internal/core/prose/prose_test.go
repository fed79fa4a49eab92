package prose_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/core/prose"
)

func TestCount(t *testing.T) {
	assert.Equal(t, "0 places", prose.Count(0, "place"))
	assert.Equal(t, "1 place", prose.Count(1, "place"))
	assert.Equal(t, "2 places", prose.Count(int64(2), "place"))
}

func TestWrap(t *testing.T) {
	assert.Equal(t, []string{""}, prose.Wrap(" ", 5))
	assert.Equal(t, []string{"a bc", "defghi", "j"}, prose.Wrap("a bc\n defghi j", 5))
}

func TestFold(t *testing.T) {
	assert.Equal(t, "ab cd\n\n  longer é\n      than\n      ten\n  abcdefghijklmnop\n", prose.Fold("ab cd\n\n  longer é than ten\n  abcdefghijklmnop\n", 12))
	assert.Equal(t, "ab\n    cd", prose.Fold("ab cd", 4)) // a word is never broken
}

func TestList(t *testing.T) {
	assert.Equal(t, []string{""}, prose.List(""))
	assert.Equal(t, []string{"A", "B<int, 2>", "f(a,b)", "C[D,E]", ""}, prose.List("A, B<int, 2>,f(a,b) ,C[D,E],"))
	assert.Equal(t, []string{"A>", "B"}, prose.List("A>,B"))
}

func TestSentence(t *testing.T) {
	assert.Empty(t, prose.Sentence(""))
	assert.Equal(t, "One.", prose.Sentence("One. Two."))
	assert.Equal(t, "Only one, with x.y.", prose.Sentence("Only one, with x.y."))
	assert.Equal(t, "no stop", prose.Sentence("no stop"))
}

func TestTable(t *testing.T) {
	assert.Equal(t, "  a    n  say\n  bcd  1  é\n", prose.Table([][]string{{"a", "n", "say"}, {"bcd", "1", "é"}}, "  ", 0, 1))
	text := prose.Table([][]string{{"fact", "value", "", "grade"}, {"x", strings.Repeat("one two ", 20), "", "measured"}, {strings.Repeat("w", 30), "", "", ""}}, "", 0)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	assert.Len(t, lines, 5)
	for _, l := range lines {
		assert.LessOrEqual(t, len(l), prose.Columns)
		assert.Equal(t, strings.TrimRight(l, " "), l)
	}
	assert.True(t, strings.HasSuffix(lines[1], "  measured"), lines[1])
	assert.Equal(t, strings.Repeat("x", 120)+"  y\n", prose.Table([][]string{{strings.Repeat("x", 120), "y"}}, "", 0))
	assert.Equal(t, "a  one\n   two\n", prose.Table([][]string{{"a", "one two"}}, "", 8)) // no word is broken
}
