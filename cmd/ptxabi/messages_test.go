package main

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestPrintable runs commands over files whose names and texts have what a terminal obeys and what turns text around:
// none of it is in a message or a table.
func TestPrintable(t *testing.T) {
	const (
		bad    = "\x1b[2J\u009b\x7f\r\u202e\u2066\u200f"
		module = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .func f(.param .b32 x) { ret; }\n.visible .entry k(.param .b32 n) { ret; }\n"
	)
	name := func(ext string) string { return "a\x1b[2J\x7f\r\u202eb" + ext }
	if runtime.GOOS == "windows" {
		t.Skip("no file has such a name")
	}
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{
		"1.h":    "struct fo\u202eo { int a\u2066b; };\n#warning " + bad + "\n",
		"2.h":    "#error " + bad + "\n_Static_assert(0, \"" + bad + "\");\nstruct s { int " + bad + "x; };\n",
		"3.cu":   "struct S\u202e { int a\u2066; };\n__global__ void k\u202e(S\u202e s, int n\u2066) {}\n#include \"no" + bad + ".h\"\n",
		"4.go":   "package x\n\n// " + bad + "\ntype T struct { A int32 `x:\"" + bad + "\"` }\n",
		"5.ptx":  strings.Replace(module, "f(", "f"+bad+"(", 1),
		"6.ptx":  module + ".pragma \"" + bad + "\";\n",
		"7.ptx":  module,
		"8.sass": "        .text.f:\n        /*0000*/                   MOV R1, c[0x0][0x28] ; // " + bad + "\n        /*0010*/                   EXIT ;\n",
	} {
		require.NoError(t, os.WriteFile(name(file), []byte(text), 0o666))
	}
	files := must.Glob(t, "*")
	require.Len(t, files, 8)
	commands := [][]string{{"check", "-v"}, {"check", "-format", "github"}, {"layout", "-format", "ptx"}, {"layout", "-format", "clang"}, {"assign", "-func", bad}, {"assign", "-target", bad}, {"layout", "-type", bad}}
	for _, c := range []string{"adapt", "annotate", "assign", "check", "diff", "layout", "link", "stack", "verify"} {
		commands = append(commands, []string{c}, []string{c, name("7.ptx")})
	}
	said := 0
	for _, c := range commands {
		for _, file := range append(files, name("none.ptx")) {
			r := ptxabi(nil, append(c, file)...)
			assert.Equal(t, -1, strings.IndexFunc(r.stdout+r.stderr, obeyed), "%q of %q: %q", c, file, r.stdout+r.stderr)
			said += len(r.stdout + r.stderr)
		}
	}
	assert.Greater(t, said, 10_000)
	assert.Contains(t, ptxabi(nil, "layout", name("1.h")).stdout, `struct fo\u202eo: 4 bytes`)
	assert.Contains(t, ptxabi(nil, "layout", "-format", "json", name("1.h")).stdout, "fo\u202eo")
}

// obeyed reports whether a terminal obeys a character beside line ends and tabs.
func obeyed(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar)
}

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
