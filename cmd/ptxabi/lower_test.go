package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/sass"
)

// TestLowerSchema holds what lower prints of every real module against the
// schema, and the schema against values that it should not take.
func TestLowerSchema(t *testing.T) {
	t.Parallel()
	schema := readSchema(t, "lower")
	files := must.Glob(t, realModules)
	checked := 0
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() > effort.Of[int64](15_000, 300_000) {
			continue // the schema is read slowly
		}
		r := ptxabi(nil, "lower", "-format", "json", file)
		require.Equal(t, 0, r.status, r.stderr)
		schema.check(t, r.stdout)
		checked++
	}
	assert.Greater(t, checked, 15)

	r := ptxabi([]byte(loweredSource), "lower", "-format", "json", "-assume", "-target", "sm_30", "-")
	require.Equal(t, 0, r.status, r.stderr)
	schema.check(t, r.stdout)
	schema.refuses(t, r.stdout, map[string]string{
		`"ptxabi.lower/1"`:                   `"ptxabi.lower/2"`,
		`"target": "sm_30"`:                  `"target": "30"`,
		`"assumed": true`:                    `"assumed": false`,
		`"file": "<stdin>"`:                  `"file": 1`,
		`"function-name": "f"`:               `"name": "f"`,
		`"kind": "func"`:                     `"kind": "function"`,
		`"line": 5,`:                         `"line": 0,`,
		`"sass-instructions"`:                `"instructions"`,
		`"labels": ["X"]`:                    `"labels": "X"`,
		`"comments": ["`:                     `"comments": [1, "`,
		`"predicate": "@%p1"`:                `"predicate": "%p1"`,
		`"opcode": "JCAL"`:                   `"mnemonic": "JCAL"`,
		`"operands": "g"`:                    `"operands": ""`,
		`"control-flow": "True"`:             `"control-flow": true`,
		`"subroutine-call": "True"`:          `"subroutine-call": "False"`,
		`"ptx": "True"`:                      `"pptx": "True"`,
		`"value": "y", "first": 0, "end": 4`: `"value": "y", "first": 0`,
		`"column": 2`:                        `"column": 0`,
	})
}

// loweredSource is a module that ptxas takes, too.
//
//go:embed testdata/text/loweredSource.ptx
var loweredSource string

// TestLowerLikeNvdisasm holds the JSON against that of nvdisasm, where a toolkit
// is installed whose nvdisasm has it: the names of its objects, and what stands
// in calls and returns.
func TestLowerLikeNvdisasm(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound)
	}
	compared := 0
	for _, tk := range tools.Toolkits {
		if tk.Version.Compare(oracle.Version{Major: 12, Minor: 8}) < 0 || tk.Nvdisasm == "" {
			continue // which has no -json
		}
		for _, target := range []string{"sm_80", "sm_90", "sm_120"} {
			source := strings.Replace(loweredSource, "sm_30", "sm_80", 1)
			if !tk.Measures(target) {
				continue
			}
			cubin, err := tk.Assemble(context.Background(), source, target)
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "x.cubin")
			require.NoError(t, os.WriteFile(file, cubin, 0o600))
			text, err := exec.Command(tk.Nvdisasm, "-json", file).Output()
			require.NoError(t, err, "%s: nvdisasm -json", tk)
			var theirs [2]json.RawMessage
			require.NoError(t, json.Unmarshal(text, &theirs), "%s: nvdisasm -json", tk)
			var functions []map[string]any
			require.NoError(t, json.Unmarshal(theirs[1], &functions))

			r := ptxabi([]byte(source), "lower", "-format", "json", "-target", target, "-")
			require.Equal(t, 0, r.status, r.stderr)
			var ours struct{ Functions []map[string]any }
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &ours))

			at := tk.String() + " " + target
			require.Len(t, ours.Functions, len(functions), at)
			assert.Equal(t, functions[0]["function-name"], ours.Functions[0]["function-name"], at)
			want := transfersIn(functions[0])
			require.Len(t, want, 2, at)
			assert.Equal(t, want, transfersIn(ours.Functions[0]), at)
			compared++
		}
	}
	if compared == 0 {
		t.Skip("no nvdisasm here has -json, which came with CUDA 12.8")
	}
}

// transfersIn returns the calls and returns of a function, without what nvdisasm
// does not have.
func transfersIn(function map[string]any) []any {
	var list []any
	for _, one := range function["sass-instructions"].([]any) {
		in := one.(map[string]any)
		op, _, _ := strings.Cut(in["opcode"].(string), ".")
		if slices.Contains([]string{"CALL", "RET"}, op) {
			for _, key := range []string{"note", "line", "column", "labels", "comments"} {
				delete(in, key)
			}
			list = append(list, in)
		}
	}
	return list
}

// TestMarkLines marks each line once, and the marks read back.
func TestMarkLines(t *testing.T) {
	at := func(line uint32, op string) sass.Item {
		return sass.Item{Instr: sass.Instr{Op: op, Pos: sass.Pos{Line: line}}}
	}
	p := &sass.Program{Target: "sm_52", Funcs: []*sass.Func{
		{Name: "f", Items: []sass.Item{
			{Kind: sass.Comment, Text: "first"},
			at(3, "EXIT"), at(3, "EXIT"),
			{Kind: sass.Label, Text: "X"},
			at(3, "EXIT"),
			{Kind: sass.Label, Text: "Y"},
			at(7, "EXIT"), at(0, "EXIT"), at(3, "EXIT"),
		}},
		{Name: "g", Items: []sass.Item{at(3, "RET")}},
	}}
	for _, f := range p.Funcs {
		markLines(f, "a b.ptx")
	}
	assert.Equal(t, linesWanted, p.String())
	back, err := sass.Parse("marked", []byte(linesWanted))
	require.NoError(t, err)
	assert.Equal(t, linesWanted, back.String())
}

//go:embed testdata/text/linesWanted.sass
var linesWanted string
