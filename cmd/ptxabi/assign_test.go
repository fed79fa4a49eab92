package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// The sections of the cases under testdata/golden: "json sm_80" and
// "text sm_80" are what assign prints of in.ptx, in that format and for that
// target; "text sm_80 -why" with that flag.
func TestAssignGolden(t *testing.T) {
	section := func(format string) golden.Section {
		return func(c *golden.Case, args []string) ([]byte, error) {
			if len(args) == 0 || len(c.Inputs) != 1 {
				return nil, errors.New(`expected in.ptx alone, and sections like "json sm_80"`)
			}
			r := ptxabi(c.Inputs[0].Data, slices.Concat([]string{"assign", "-target", args[0], "-format", format}, args[1:], []string{"-"})...)
			out := r.stdout + r.stderr
			if r.status != 0 {
				out += fmt.Sprintf("exit status %d\n", r.status)
			}
			return []byte(out), nil
		}
	}
	golden.Run(t, "testdata/golden", map[string]golden.Section{"json": section("json"), "text": section("text")})
}

const realModules = "../../testdata/real/*.ptx"

// TestRealModules runs lower and assign over every module that a compiler
// made, and holds the JSON against its schema; pictures are well-formed.
func TestRealModules(t *testing.T) {
	t.Parallel()
	files := must.Glob(t, realModules)
	require.GreaterOrEqual(t, len(files), 25)
	schema := readSchema(t, "assign")
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() > effort.Of[int64](12_000, 1<<30) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".ptx"), func(t *testing.T) {
			r := ptxabi(nil, "lower", file)
			require.Equal(t, 0, r.status, r.stderr)
			assert.True(t, strings.HasPrefix(r.stdout, "// pseudo-SASS for sm_"))

			r = ptxabi(nil, "assign", file)
			require.Equal(t, 0, r.status, r.stderr)
			assert.True(t, strings.HasPrefix(r.stdout, "target sm_"))

			r = ptxabi(nil, "assign", "-format", "json", file)
			require.Equal(t, 0, r.status, r.stderr)
			schema.check(t, r.stdout)

			r = ptxabi(nil, "assign", "-format", "svg", file)
			require.Equal(t, 0, r.status, r.stderr)
			assert.NoError(t, xml.Unmarshal([]byte(r.stdout), new(struct{})))
		})
	}
}

// TestSignatureLineEnd holds that a line end after a signature, as files of them have, changes nothing.
func TestSignatureLineEnd(t *testing.T) {
	for _, sig := range []string{"func(4@4, 12@8) -> 4@4", "entry(4)", "func(4@3)", "func(4@0)", "func("} {
		want := ptxabi(nil, "assign", "-target", "sm_80", "-sig", sig)
		for _, end := range []string{"\n", "\r\n"} {
			got := ptxabi(nil, "assign", "-target", "sm_80", "-sig", sig+end)
			assert.Equal(t, want, got, "%q", sig+end)
		}
	}
}

// TestAssignSchema holds the goldens against the schema, and the schema
// against values that it should not take.
func TestAssignSchema(t *testing.T) {
	schema := readSchema(t, "assign")
	files := must.Glob(t, "testdata/golden/assign/*.txtar")
	checked := 0
	for _, file := range files {
		a := golden.Archive(t, file)
		for _, f := range a.Files {
			switch {
			case !strings.HasPrefix(f.Name, "json "):
			case strings.HasPrefix(string(f.Data), `{"diagnostics"`): // after it stands the exit status
				first, _, _ := strings.Cut(string(f.Data), "\n")
				readSchema(t, "failure").check(t, first)
			case f.Data[0] == '{':
				text, _, _ := strings.Cut(string(f.Data), "\nexit status")
				schema.check(t, text)
				checked++
			}
		}
	}
	assert.GreaterOrEqual(t, checked, 9)

	in := []byte(".func (.param .b8 r[64]) f (.reg .v4 .f32 x, .param .b8 y[52]) { ret; }\n.entry k (.param .u8 n) { ret; }\n")
	r := ptxabi(in, "assign", "-format", "json", "-assume", "-target", "sm_30", "-")
	require.Equal(t, 0, r.status, r.stderr)
	schema.check(t, r.stdout)
	schema.refuses(t, r.stdout, map[string]string{
		`"ptxabi.assign/1"`:                   `"ptxabi.assign/2"`,
		`"target": "sm_30"`:                   `"target": 30`,
		`"kind": "func"`:                      `"kind": "function"`,
		`"line": 1`:                           `"line": 0`,
		`"space": "reg"`:                      `"space": ".reg"`,
		`".v4.f32"`:                           `"v4.f32"`,
		`"align": 16`:                         `"align": 0`,
		`"size": 52`:                          `"size": -1`,
		`{"kind": "indirect", "register": 4}`: `{"kind": "indirect", "offset": 4}`,
		`{"kind": "stack", "offset": 0}`:      `{"kind": "stack", "register": 0}`,
		`"bank": 0, `:                         ``,
		`"kind": "constant"`:                  `"kind": "none"`,
		`, "block": {"base": 320, "size": 1}`: ``,
		`"stackBytes": 52`:                    `"stackBytes": 52, "block": {"base": 0, "size": 0}`,
		"\"returns\": [],\n   ":               ``,
		`"assumed": true`:                     `"assumed": "yes"`,
		`"align": 1, "offset": 0, "loc`:       `"align": 1, "extra": 1, "offset": 0, "loc`,
		`"offset": 0, "location"`:             `"offset": -1, "location"`,
	})
}
