package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// FuzzBatch gives batch any bytes, and runs none of the commands in them: each line that is not blank has an answer, which
// is a line of JSON.
func FuzzBatch(f *testing.F) {
	for _, line := range []string{
		`{"id": 1, "args": ["targets", "sm_90"]}`, `{"args": ["check", "-"], "stdin": "x", "json": true}`, `{"id": {"a": [1.5e3, null]}}`,
		`{"args": []}`, `{"ARGS": ["x"]}`, `[`, `{"args": ["x"]} {"args": ["y"]}`, "\ufeff" + `{"args": ["x"], "args": 1}`, "\xff", `{"id": "\ud800", "args": ["\u0000"]}`,
	} {
		f.Add([]byte(line+"\n\n \r\n"+line+"\r\n"+line), uint8(200))
		f.Add([]byte(line), uint8(10))
	}
	f.Fuzz(func(t *testing.T, in []byte, limit uint8) {
		var out bytes.Buffer
		e := env{stdin: bytes.NewReader(in), stdout: &out, stderr: &out, getenv: os.Getenv, run: func(args []string, e env) int {
			text, err := io.ReadAll(e.stdin)
			require.NoError(t, err)
			io.WriteString(e.stdout, strings.Join(args, " ")+string(text))
			return 0
		}}
		require.NoError(t, command{"batch", bindBatch}.run(e, []string{"-max-request", strconv.Itoa(1 + int(limit))}))
		want := 0
		for i, line := range bytes.Split(in, []byte("\n")) {
			if i == 0 {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			if len(bytes.TrimSpace(line)) > 0 {
				want++
			}
		}
		got := 0
		for line := range bytes.Lines(out.Bytes()) {
			require.True(t, json.Valid(line), "%s", line)
			got++
		}
		require.LessOrEqual(t, want, got) // a line that is too long has an answer if it is blank, too
	})
}

// word is a name, a number or a part of an instruction's name.
var word = regexp.MustCompile(`[\w$%]+`)

// FuzzFix applies the fixes of any text as -fix does: what comes out has no fixes left that change it, no new error, and
// a second run changes nothing. No word is joined to another.
func FuzzFix(f *testing.F) {
	files := must.Glob(f, "../../testdata/check/golden/*/*.txtar")
	for i, file := range files {
		if i%4 == 0 {
			text := must.Read(f, file)
			f.Add(string(text))
		}
	}
	f.Add(".version 7.8\n.target sm_80\n.visible .func f(.param .b32 x)\n{ call g, (x) ret; }\n.func g(.param .b32 x);\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		recheck := func(text string) (diag.List, error) {
			_, list := check.Text("x.ptx", text, check.Options{})
			return list, nil
		}
		list, _ := recheck(text)
		for _, d := range list {
			apart := *d
			if len(d.Fixes) > 0 {
				apart.Fixes = []diag.Fix{{Edits: slices.Clone(d.Fixes[0].Edits)}}
				for i := range apart.Fixes[0].Edits {
					e := &apart.Fixes[0].Edits[i]
					e.Text = " " + e.Text + " "
				}
			}
			fixed, _, _, err1 := diag.Apply(text, diag.List{d})
			spaced, _, _, err2 := diag.Apply(text, diag.List{&apart})
			require.Equal(t, err1 == nil, err2 == nil)
			require.Equal(t, word.FindAllString(spaced, -1), word.FindAllString(fixed, -1), "a word is lost in another: %v", d)
		}
		once, left, err := fixAll(text, list, recheck)
		if err != nil {
			return // nothing is written
		}
		require.LessOrEqual(t, len(left.Errors()), len(list.Errors()))
		twice, _, err := fixAll(once, left, recheck)
		require.NoError(t, err)
		require.Equal(t, once, twice)
	})
}
