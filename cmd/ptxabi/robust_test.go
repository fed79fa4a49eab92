package main

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestLineEnds checks that CRLF, a byte-order mark and a missing last newline
// change nothing in a result.
func TestLineEnds(t *testing.T) {
	plain := ".version 7.8\n.target sm_80\n.address_size 64\n.func f (.param .b32 x)\n{\n\tret;\n}\n.entry k (.param .u8 n) { ret; }\n"
	crlf := strings.ReplaceAll(plain, "\n", "\r\n")
	for _, args := range [][]string{{"lower", "-"}, {"assign", "-"}, {"assign", "-format", "json", "-"}, {"assign", "-format", "svg", "-"}} {
		want := ptxabi([]byte(plain), args...)
		require.Equal(t, 0, want.status, want.stderr)
		for _, text := range []string{
			crlf, "\xef\xbb\xbf" + plain, "\xef\xbb\xbf" + crlf, strings.TrimSuffix(plain, "\n"), strings.TrimSuffix(crlf, "\r\n"),
		} {
			assert.Equal(t, want, ptxabi([]byte(text), args...), "%v of %q", args, text)
		}
	}
	utf16 := ptxabi([]byte("\xff\xfe.\x00v\x00"), "lower", "-")
	assert.Equal(t, result{"", "ptxabi: <stdin>: UTF-16 text; PTX is ASCII\n", 2}, utf16)
}

// TestTerminal checks the source lines that a terminal gets.
func TestTerminal(t *testing.T) {
	const (
		message = ": an alignment of 3 bytes is not a power of two in 1 … 536870912 [BadSignature]\n"
		formal  = ".param .align 3 .b8 x[4]"
	)
	filler := strings.Repeat(".reg .b32 a; ", 40)
	tests := []struct{ line, at, source, caret string }{
		{"\xef\xbb\xbf.func f (" + formal + ") { ret; }\r\n", "1:30", ".func f (" + formal + ") { ret; }", strings.Repeat(" ", 29)},
		{"\t.func f (\t/*\x1b[2J \xff é*/ " + formal + ");", "1:46", "\t.func f (\t/*?[2J ? é*/ " + formal + ");", "\t         \t" + strings.Repeat(" ", 33)},
		{
			".func g () { " + filler + "ret; } .func f (" + formal + ") { " + filler + "}", "1:570",
			"..." + ".reg .b32 a; ret; } .func f (.param .align 3 .b8 x[4]) { .reg .b32 a; ", "",
		},
	}
	for _, tt := range tests {
		got := ptxabiOn(true, map[string]string{"NO_COLOR": "1"}, []byte(tt.line), "assign", "-target", "80", "-")
		assert.Equal(t, 1, got.status)
		lines := strings.Split(got.stderr, "\n")
		require.Len(t, lines, 4, got.stderr)
		assert.Equal(t, "<stdin>:"+tt.at+": error: x of f"+message, lines[0]+"\n")
		caret := strings.Index(lines[2], "^")
		require.GreaterOrEqual(t, caret, 0)
		if tt.caret != "" {
			assert.Equal(t, tt.source, lines[1])
			assert.Equal(t, tt.caret+"^", lines[2])
		} else {
			assert.Less(t, len(lines[1]), 130)
			assert.Contains(t, lines[1], ".func f ("+formal+") { .reg")
			assert.True(t, strings.HasPrefix(lines[1], "...") && strings.HasSuffix(lines[1], "..."))
			assert.Equal(t, "x[4]", lines[1][caret:caret+4])
		}
	}

	// Colours are for terminals, unless an option or the environment turns them off.
	in, args := []byte(".func f ("+formal+");"), []string{"assign", "-target", "80", "-"}
	assert.Contains(t, ptxabiOn(true, nil, in, args...).stderr, "\x1b[1;31merror:\x1b[0m")
	assert.NotContains(t, ptxabiOn(true, map[string]string{"TERM": "dumb"}, in, args...).stderr, "\x1b")
	assert.NotContains(t, ptxabiOn(true, nil, in, append(args, "-color=never")...).stderr, "\x1b")
	assert.NotContains(t, ptxabiOn(false, nil, in, args...).stderr, "\x1b")
}

// TestRelated checks that places that belong to a diagnostic stand below it.
func TestRelated(t *testing.T) {
	var b bytes.Buffer
	src := &source{name: "x.ptx", text: "one\ntwo\n"}
	newPrinter(env{stderr: &b, terminal: true}, &options{color: "never"}, src).all(diag.List{{
		File: "x.ptx", Pos: diag.Pos{Line: 2, Col: 3}, Severity: diag.Warning, Code: "Code", Msg: "message",
		Related: []diag.Related{{Pos: diag.Pos{Line: 1, Col: 1}, Msg: "here"}, {File: "y.ptx", Pos: diag.Pos{Line: 9, Col: 9}, Msg: "there"}},
	}, {File: "x.ptx", Pos: diag.Pos{Line: 7, Col: 1}, Severity: diag.Note, Msg: "beyond the end"}, {File: "x.ptx", Msg: "nowhere"}})
	assert.Equal(t, "x.ptx:2:3: warning: message [Code]\ntwo\n  ^\n\tx.ptx:1:1: here\n\tone\n\t^\n\ty.ptx:9:9: there\n"+
		"x.ptx:7:1: note: beyond the end\nx.ptx: error: nowhere\n", b.String())
}

// diagnostic matches every line on standard error where there is no terminal.
var diagnostic = regexp.MustCompile(`^(<stdin>:(\d+:\d+:)? (error|warning|note): .+ \[[A-Z]\w+\]|\t(<stdin>:\d+:\d+: )?.+|ptxabi: .+)$`)

// TestBrokenModules runs lower and assign over modules that are cut off or
// changed in places: they give a result or diagnostics, never both or neither,
// and nothing panics.
func TestBrokenModules(t *testing.T) {
	t.Parallel()
	files := must.Glob(t, realModules)
	rng := rand.New(rand.NewPCG(1, 2))
	runs := 0
	for _, file := range files {
		text := must.Read(t, file)
		if len(text) > 12_000 {
			continue
		}
		for range effort.Of(2, 12) {
			for _, in := range [][]byte{text[:rng.IntN(len(text))], mangle(rng, text)} {
				for _, args := range [][]string{{"lower", "-target", "90a", "-"}, {"assign", "-target", "90a", "-"}} {
					r := ptxabi(in, args...)
					runs++
					if r.status == 0 {
						assert.NotEmpty(t, r.stdout)
						assert.NotContains(t, r.stderr, ": error: ")
					} else {
						if args[0] == "lower" { // assign prints what is right
							assert.Empty(t, r.stdout)
						}
						assert.NotEmpty(t, r.stderr)
					}
					for line := range strings.Lines(r.stderr) {
						require.Regexp(t, diagnostic, strings.TrimSuffix(line, "\n"), "%s of %s", args[0], file)
					}
				}
			}
		}
	}
	assert.Greater(t, runs, 100)
}

// mangle changes, doubles or removes a few parts of text.
func mangle(rng *rand.Rand, text []byte) []byte {
	out := bytes.Clone(text)
	for range 1 + rng.IntN(4) {
		i := rng.IntN(len(out))
		j := min(len(out), i+1+rng.IntN(12))
		switch rng.IntN(4) {
		case 0:
			out[i] = byte(rng.IntN(256))
		case 1:
			out[i] = ",;(){}[].%@0:\"/*\n"[rng.IntN(17)]
		case 2:
			out = append(out[:i], out[j:]...)
		default:
			out = append(out[:j:j], out[i:]...)
		}
		if len(out) == 0 {
			return text
		}
	}
	return out
}
