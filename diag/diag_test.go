package diag_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
)

func TestDiagnosticError(t *testing.T) {
	for _, tt := range []struct {
		d    diag.Diagnostic
		want string
	}{
		{diag.Diagnostic{Msg: "m"}, "error: m"},
		{diag.Diagnostic{File: "f", Msg: "m", Severity: diag.Warning}, "f: warning: m"},
		{diag.Diagnostic{File: "f", Pos: at(1, 2), Msg: "m", Code: "C", Severity: diag.Note}, "f:1:2: note: m [C]"},
		{diag.Diagnostic{Pos: at(1, 2), Msg: "m", Severity: 7}, "-:1:2: severity(7): m"},
		{diag.Diagnostic{File: "f", Msg: "m", Related: []diag.Related{{Pos: at(3, 4), Msg: "n"}, {File: "g", Msg: "o"}}}, "f: error: m\n\tf:3:4: n\n\tg: o"},
	} {
		assert.Equal(t, tt.want, tt.d.Error())
	}
	assert.Equal(t, "-", diag.Pos{}.String())
	for s := diag.Error; s <= diag.Note; s++ {
		got, ok := diag.ParseSeverity(s.String())
		assert.True(t, ok)
		assert.Equal(t, s, got)
	}
	_, ok := diag.ParseSeverity("fatal")
	assert.False(t, ok)
}

func TestList(t *testing.T) {
	var l diag.List
	assert.Equal(t, "no errors", l.Error())
	assert.NoError(t, l.Err())
	l.Add(&diag.Diagnostic{File: "b", Severity: diag.Note, Msg: "n"})
	l.Add(&diag.Diagnostic{File: "a", Pos: at(2, 1), Severity: diag.Warning, Msg: "w"})
	assert.NoError(t, l.Err())
	l.Add(&diag.Diagnostic{File: "a", Pos: at(2, 1), Msg: "second"})
	l.Add(&diag.Diagnostic{File: "a", Pos: at(2, 1), Msg: "first"})
	l.Add(&diag.Diagnostic{File: "a", Pos: at(1, 9), Code: "C", Msg: "code"})
	l.Add(&diag.Diagnostic{File: "a", Pos: at(1, 9), Msg: "no code"})
	l.Sort()
	assert.Equal(t, `a:1:9: error: no code
a:1:9: error: code [C]
a:2:1: error: first
a:2:1: error: second
a:2:1: warning: w
b: note: n`, l.Error())
	require.Error(t, l.Err())
	assert.Len(t, l.Errors(), 4)
	assert.Len(t, l.AtLeast(diag.Warning), 5)
	assert.Equal(t, l, l.AtLeast(diag.Note))
	var d *diag.Diagnostic
	require.ErrorAs(t, l.Err(), &d)
	assert.Equal(t, "no code", d.Msg)
	assert.True(t, errors.Is(l, l[3]))
}

func TestText(t *testing.T) {
	for _, src := range []string{"ab\r\n\ncd", "\ufeffab\r\n\ncd"} {
		text := diag.NewText(src)
		for n, want := range []string{1: "ab", 2: "", 3: "cd"} {
			line, ok := text.Line(uint32(n))
			assert.Equal(t, n > 0, ok)
			assert.Equal(t, want, line)
		}
		_, ok := text.Line(4)
		assert.False(t, ok)
		off, ok := text.Offset(at(3, 2))
		assert.True(t, ok)
		assert.Equal(t, "d", src[off:])
		for _, p := range []diag.Pos{{}, at(1, 0), at(1, 4), at(2, 2), at(3, 4), at(4, 1), at(1<<32-1, 1), at(1, 1<<32-1)} {
			_, ok := text.Offset(p)
			assert.False(t, ok, p)
		}
	}
}

func TestPrinter(t *testing.T) {
	src := "\ufeff.func\r\n\tcall é, (\x1b%v); \xff\n" + strings.Repeat("x", 100) + "here" + strings.Repeat("y", 100) + "\n"
	texts := diag.Texts{"x": diag.NewText(src)}
	tests := []struct {
		name string
		pos  diag.Pos
		end  diag.Pos
		want string
	}{
		{"caret", at(1, 1), diag.Pos{}, ".func\n^\n"},
		{"underline", at(1, 2), at(1, 6), ".func\n ^~~~\n"},
		{"one byte", at(1, 1), at(1, 2), ".func\n^\n"},
		{"nothing", at(1, 6), at(1, 6), ".func\n     ^\n"},
		{"end on another line", at(1, 2), at(2, 3), ".func\n ^\n"},
		{"end outside of the line", at(1, 2), at(1, 99), ".func\n ^\n"},
		{"characters", at(2, 7), at(2, 10), "\tcall é, (?%v); ?\n\t     ^~\n"},
		{"tab", at(2, 1), at(2, 4), "\tcall é, (?%v); ?\n^~~\n"},
		{"long line", at(3, 101), at(3, 105), "..." + strings.Repeat("x", 60) + "here" + strings.Repeat("y", 56) + "...\n" + strings.Repeat(" ", 63) + "^~~~\n"},
		{"no such line", at(9, 1), diag.Pos{}, ""},
		{"no such column", at(1, 7), diag.Pos{}, ""},
		{"no place", diag.Pos{}, diag.Pos{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &diag.Diagnostic{File: "x", Pos: tt.pos, End: tt.end, Code: "C", Msg: "m\x1b\n", Related: []diag.Related{{Pos: tt.pos, End: tt.end, Msg: "r"}, {File: "y", Pos: at(1, 1), Msg: "elsewhere"}}}
			place, indented := diag.Place("x", tt.pos), ""
			for line := range strings.Lines(tt.want) {
				indented += "\t" + line
			}
			p := diag.Printer{Texts: texts}
			assert.Equal(t, place+"error: m\\x1b\\n [C]\n"+tt.want+"\t"+place+"r\n"+indented+"\ty:1:1: elsewhere\n", string(p.Append(nil, diag.List{d})))
			p = diag.Printer{}
			assert.Equal(t, place+"error: m\\x1b\\n [C]\n\t"+place+"r\n\ty:1:1: elsewhere\n", string(p.Append(nil, diag.List{d})))
		})
	}
	p := diag.Printer{Texts: texts, Color: true}
	assert.Equal(t, "\x1b[1mx:1:2: \x1b[0m\x1b[1;36mnote:\x1b[0m m [C]\n.func\n \x1b[1;32m^~\x1b[0m\n",
		string(p.Append(nil, diag.List{{File: "x", Pos: at(1, 2), End: at(1, 4), Severity: diag.Note, Code: "C", Msg: "m"}})))
}
