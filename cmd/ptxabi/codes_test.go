package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/packers"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// What stands above an example.
const (
	ofHeader   = "Example, a header:"
	ofModule   = "Example, for lower:"
	ofGo       = "Example, for \"ptxabi verify -type Params\":"
	ofCall     = "Example, a call of package lower that draws it; no command does:"
	ofPtxparam = "Example, for ptxparam:"
	ofTree     = "Example, a line for \"ptxparam -check ./...\":"
	ofVerify   = "Example, files for \"ptxabi verify x.ptx x.cu\":"
	ofAdapt    = "Example, a header for \"ptxabi adapt -from clang -to nvcc\":"
	ofCommand  = "Example, a command:"
)

// TestOtherCodes draws each code with its example, at the severity that is
// stated, and no other.
func TestOtherCodes(t *testing.T) {
	t.Parallel()
	for _, c := range otherCodes {
		if c.link {
			continue // drawn by TestLinkRules
		}
		t.Run(string(c.Code), func(t *testing.T) {
			var got string
			switch c.head {
			case ofCall:
				if c.Code == lower.NotLowered {
					t.Skip("a mistake of ptxabi, of which none is known")
				}
				got = drawnByHomes(t)
			case ofTree:
				t.Skip("drawn by TestTreeCodes of cmd/ptxparam")
			case ofPtxparam:
				got = drawnByPtxparam(t, c)
			case ofCommand:
				r := ptxabi(nil, "compare", "-format=sarif", "../../examples/compare/add.ptx", "../../examples/compare/wrong.sass")
				assert.Equal(t, 1, r.status)
				assert.Contains(t, r.stdout, string(c.Code))
				return
			case ofVerify:
				module := writeSource(t, "x.ptx", c.Modules[0])
				r := ptxabi(nil, "verify", "-format=github", module, writeSource(t, "x.cu", c.Modules[1]))
				assert.Equal(t, 1, r.status)
				assert.Contains(t, r.stdout, string(c.Code))
				return
			case ofGo:
				file := filepath.Join(t.TempDir(), "x.go")
				require.NoError(t, os.WriteFile(file, []byte(c.Example), 0o666))
				got = ptxabi(nil, "verify", "-type", "Params", "../../examples/drift/step.cubin", file).stderr
			case ofHeader:
				lang := "c"
				if c.Code == "UnsupportedC" || c.Code == "NotTrivial" {
					lang = "c++"
				}
				got = ptxabi([]byte(c.Example+"\n"), "layout", "-lang", lang, "-").stderr
			case ofAdapt:
				got = ptxabi([]byte(c.Example+"\n"), "adapt", "-from", "clang", "-to", "nvcc", "-").stderr
			case ofModule:
				got = ptxabi([]byte(c.Example+"\n"), "lower", "-severity", c.Severity.String(), "-").stderr
			default:
				got = ptxabi([]byte(c.Example+"\n"), "assign", "-").stderr
			}
			require.NotEmpty(t, got)
			assert.Contains(t, got, ": "+c.Severity.String()+": ")
			for line := range strings.Lines(got) {
				assert.Contains(t, line, " ["+c.Code+"]\n")
			}
		})
	}
}

// reserved has every register live in R0.
type reserved struct{}

func (reserved) Home(*ptx.Func, lower.Virtual) (sass.Reg, bool) { return 0, true }

func drawnByHomes(t *testing.T) string {
	m := must.Parse(t, "x.ptx", []byte(".version 7.8\n.target sm_80\n.visible .func f() { .reg .b32 %r; mov.b32 %r, 1; ret; }\n"))
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	_, err = lower.Module(m, target, lower.Options{Homes: reserved{}})
	var list diag.List
	require.True(t, errors.As(err, &list))
	return list.Error() + "\n"
}

func drawnByPtxparam(t *testing.T, c code) string {
	dir := t.TempDir()
	cfg := packers.Config{Dir: dir, Input: "x.h", Kernels: []string{"k"}, Package: "p", Output: "k.go"}
	files := map[string]string{"x.h": c.Example, "go.mod": "module example.org/p\n\ngo 1.26\n"}
	if len(c.Modules) > 0 {
		cfg = packers.Config{Dir: dir, Input: "x.go", Types: []string{"Params"}}
		files["x.go"], files["x.h"] = c.Modules[0], c.Modules[1]
	}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	_, err := packers.Generate(cfg)
	var list diag.List
	require.ErrorAs(t, err, &list)
	return list.Error() + "\n"
}

// TestExplainList holds that explain without a code lists every code once for each rule that has it.
func TestExplainList(t *testing.T) {
	r := ptxabi(nil, "explain")
	require.Equal(t, 0, r.status, r.stderr)
	for _, name := range explained() {
		assert.Len(t, regexp.MustCompile(`(?m)^`+name+` \(`).FindAllString(r.stdout, -1), len(explanationOf(name)), name)
		assert.NotContains(t, ptxabi(nil, "explain", name).stdout, "\x00", name)
	}
	assert.Contains(t, r.stdout, "\nBadSyntax (error)\n    when the text is not PTX.\n")
	for line := range strings.Lines(r.stdout) {
		assert.LessOrEqual(t, len(line), 101, line)
	}
}
