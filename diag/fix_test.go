package diag_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ptxabi/ptxabi/diag"
)

func at(line, col uint32) diag.Pos { return diag.Pos{Line: line, Col: col} }

func fix(edits ...diag.Edit) *diag.Diagnostic {
	return &diag.Diagnostic{Pos: edits[0].Pos, Code: "X", Fixes: []diag.Fix{{Edits: edits}}}
}

func edit(from, to diag.Pos, text string) diag.Edit { return diag.Edit{Pos: from, End: to, Text: text} }

func TestApply(t *testing.T) {
	tests := []struct {
		name, src string
		list      diag.List
		want      string
		skipped   int
	}{
		{"nothing", "abc", nil, "abc", 0},
		{"without a fix", "abc", diag.List{{Msg: "m"}}, "abc", 0},
		{"first fix alone", "abc", diag.List{{Fixes: []diag.Fix{
			{Edits: []diag.Edit{edit(at(1, 1), at(1, 2), "A")}}, {Edits: []diag.Edit{edit(at(1, 2), at(1, 3), "B")}},
		}}}, "Abc", 0},
		{"start and end of the text", "abc", diag.List{fix(edit(at(1, 1), at(1, 1), "<"), edit(at(1, 4), at(1, 4), ">"))}, "<abc>", 0},
		{"after the last line end", "a\n", diag.List{fix(edit(at(2, 1), at(2, 1), "b\n"))}, "a\nb\n", 0},
		{"empty text", "", diag.List{fix(edit(at(1, 1), at(1, 1), "a"))}, "a", 0},
		{"end of a line", "a\nb\n", diag.List{fix(edit(at(1, 2), at(1, 2), ";"))}, "a;\nb\n", 0},
		{"end of a line of Windows", "a\r\nb\r\n", diag.List{fix(edit(at(1, 2), at(1, 2), ";"))}, "a;\r\nb\r\n", 0},
		{"whole line of Windows", "a\r\nb\r\n", diag.List{fix(edit(at(1, 1), at(2, 1), ""))}, "b\r\n", 0},
		{"line ends as they are there", "a\r\nb\nc", diag.List{fix(edit(at(1, 1), at(1, 1), "1\n")), fix(edit(at(2, 1), at(2, 1), "2\n")), fix(edit(at(3, 1), at(3, 1), "3\n"))}, "1\r\na\r\n2\nb\n3\nc", 0},
		{"line ends of Windows stay single", "a\r\nb", diag.List{fix(edit(at(2, 1), at(2, 1), "1\r\n2\n"))}, "a\r\n1\r\n2\r\nb", 0},
		{"byte-order mark", "\ufeffab\n", diag.List{fix(edit(at(1, 1), at(1, 2), "A"))}, "\ufeffAb\n", 0},
		{"columns are bytes", "é b", diag.List{fix(edit(at(1, 4), at(1, 5), "B"))}, "é B", 0},
		{"overlap", "abcd", diag.List{fix(edit(at(1, 2), at(1, 4), "X")), fix(edit(at(1, 1), at(1, 3), "Y"))}, "Ycd", 1},
		{"side by side", "abcd", diag.List{fix(edit(at(1, 3), at(1, 5), "X")), fix(edit(at(1, 1), at(1, 3), "Y"))}, "YX", 0},
		{"the same twice", "ab", diag.List{fix(edit(at(1, 1), at(1, 1), "x")), fix(edit(at(1, 1), at(1, 1), "x"))}, "xab", 1},
		{"insertion at an end of a replacement", "abc", diag.List{fix(edit(at(1, 1), at(1, 3), "x")), fix(edit(at(1, 3), at(1, 3), "y"))}, "xc", 1},
		{"as a whole or not at all", "abcdef", diag.List{
			fix(edit(at(1, 1), at(1, 2), "A"), edit(at(1, 5), at(1, 6), "E")), fix(edit(at(1, 3), at(1, 4), "C"), edit(at(1, 5), at(1, 6), "e")),
		}, "AbcdEf", 1},
		{"between the edits of another", "abcdef", diag.List{
			fix(edit(at(1, 1), at(1, 2), "A"), edit(at(1, 5), at(1, 6), "E")), fix(edit(at(1, 3), at(1, 4), "C")),
		}, "AbCdEf", 0},
		{"edits of a fix in any order", "abcdef", diag.List{fix(edit(at(1, 5), at(1, 6), "E"), edit(at(1, 1), at(1, 2), "A"))}, "AbcdEf", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, applied, skipped, err := diag.Apply(tt.src, tt.list)
			require.NoError(t, err)
			assert.Equal(t, tt.want, out)
			assert.Len(t, skipped, tt.skipped)
			with := 0
			for _, d := range tt.list {
				with += min(len(d.Fixes), 1)
			}
			assert.Len(t, applied, with-tt.skipped)
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	for _, tt := range []struct {
		src  string
		list diag.List
		want string
	}{
		{"a", diag.List{fix(edit(at(2, 1), at(2, 1), "x"))}, "fix of -:2:1: X: no position 2:1 in the text"},
		{"a\r\n", diag.List{fix(edit(at(1, 1), at(1, 3), "x"))}, "fix of -:1:1: X: no position 1:3 in the text"},
		{"a", diag.List{fix(edit(diag.Pos{}, diag.Pos{}, "x"))}, "fix of X: no position - in the text"},
		{"abc", diag.List{fix(edit(at(1, 3), at(1, 1), "x"))}, "fix of -:1:3: X: an edit ends at 1:1, before it begins at 1:3"},
		{"abc", diag.List{fix(edit(at(1, 1), at(1, 3), "x"), edit(at(1, 2), at(1, 3), "y"))}, "fix of -:1:1: X: two edits overlap at 1:2"},
	} {
		out, applied, skipped, err := diag.Apply(tt.src, tt.list)
		assert.EqualError(t, err, tt.want)
		assert.Equal(t, tt.src, out)
		assert.Empty(t, applied)
		assert.Empty(t, skipped)
	}
}

// TestApplyManyFixes holds the time for many fixes to what one pass takes.
func TestApplyManyFixes(t *testing.T) {
	const n = 100_000
	var list diag.List
	for i := range uint32(n) {
		list.Add(fix(edit(at(i+1, 1), at(i+1, 2), "b")))
	}
	out, applied, _, err := diag.Apply(strings.Repeat("a\n", n), list)
	require.NoError(t, err)
	assert.Len(t, applied, n)
	assert.Equal(t, strings.Repeat("b\n", n), out)
}

// TestApplyRandom makes random fixes of random texts. What comes out does not depend
// on the order of the list, and is what each applied fix makes by itself, from the
// last edit to the first: nothing else of the text changes.
func TestApplyRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "bc", "défg", "\thij"}), 1, 6).Draw(t, "lines")
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		src := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") + strings.Join(lines, eol)
		position := rapid.Custom(func(t *rapid.T) diag.Pos {
			line := rapid.IntRange(1, len(lines)).Draw(t, "line")
			return at(uint32(line), uint32(rapid.IntRange(1, len(lines[line-1])+1).Draw(t, "col")))
		})
		one := rapid.Custom(func(t *rapid.T) diag.Edit {
			a, b := position.Draw(t, "from"), position.Draw(t, "to")
			if b.Before(a) {
				a, b = b, a
			}
			return edit(a, b, rapid.SampledFrom([]string{"", "X", "YZ", "Q\nR"}).Draw(t, "text"))
		})
		var list diag.List
		for _, e := range rapid.SliceOfN(one, 0, 5).Draw(t, "edits") {
			list.Add(fix(e))
		}
		out, applied, skipped, err := diag.Apply(src, list)
		require.NoError(t, err)
		assert.Len(t, slices.Concat(applied, skipped), len(list))

		shuffled := slices.Clone(list)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		again, _, _, err := diag.Apply(src, shuffled)
		require.NoError(t, err)
		assert.Equal(t, out, again)

		text, want := diag.NewText(src), src
		for _, d := range slices.Backward(applied) {
			e := d.Fixes[0].Edits[0]
			from, ok := text.Offset(e.Pos)
			require.True(t, ok)
			to, ok := text.Offset(e.End)
			require.True(t, ok)
			inserted := e.Text
			if eol == "\r\n" && len(lines) > 1 {
				inserted = strings.ReplaceAll(inserted, "\n", eol)
			}
			want = want[:from] + inserted + want[to:]
		}
		assert.Equal(t, want, out)
		for _, d := range skipped { // with a reason
			alone, _, _, err := diag.Apply(src, append(slices.Clone(applied), d))
			require.NoError(t, err)
			assert.Equal(t, out, alone)
		}
	})
}
