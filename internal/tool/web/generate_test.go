//go:build !explorer && !nopack

package web_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/tool/packers"
	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// TestCode generates code in each language, of types and kernels, and has what
// ptxparam has of the same text.
func TestCode(t *testing.T) {
	const cuda = "struct S { int n; double x[3]; };\n__global__ void step(S s, float *out);\n"
	for _, c := range []struct {
		lang, text string
		pack       web.Pack
		cfg        packers.Config
	}{
		{"c++", cuda, web.Pack{Lang: "go", Type: "S"}, packers.Config{Input: "input.cu", Types: []string{"S"}, Output: "params.go", Package: "params"}},
		{"c++", cuda, web.Pack{Lang: "go", Kernel: "step"}, packers.Config{Input: "input.cu", Kernels: []string{"step"}, Output: "params.go", Package: "params"}},
		{"c++", cuda, web.Pack{Lang: "rust", Kernel: "step"}, packers.Config{Input: "input.cu", Kernels: []string{"step"}, Output: "params.rs"}},
		{"c++", cuda, web.Pack{Lang: "python", Kernel: "step"}, packers.Config{Input: "input.cu", Kernels: []string{"step"}, Output: "params.py"}},
		{"ptx", ".version 8.0\n.target sm_90\n.visible .entry k(.param .u32 n) { ret; }\n", web.Pack{Lang: "go", Kernel: "k"}, packers.Config{Input: "input.ptx", Kernels: []string{"k"}, Output: "params.go", Package: "params"}},
		{"go", "package sim\n\ntype S struct {\n\tN int32\n\tX [3]float64\n}\n", web.Pack{Lang: "go", Type: "S"}, packers.Config{Input: "input.go", Types: []string{"S"}, Output: "params.go"}},
		{"go", "package sim\n\ntype S struct {\n\tN int32\n\tX [3]float64\n}\n", web.Pack{Lang: "python", Type: "S"}, packers.Config{Input: "input.go", Types: []string{"S"}, Output: "params.py"}},
	} {
		r := web.Answer(web.Request{Text: c.text, Lang: c.lang, Target: "sm_90", Pack: c.pack})
		require.Empty(t, r.Refused)
		assert.Contains(t, r.Packs, web.Pack{Type: c.pack.Type, Kernel: c.pack.Kernel})
		require.NotNil(t, r.Code)
		require.Empty(t, r.Code.Missing)
		c.cfg.Source, c.cfg.Target, c.cfg.Rules, c.cfg.Env = []byte(c.text), "sm_90", "sysv", []string{}
		want, err := packers.Generate(c.cfg)
		require.NoError(t, err)
		require.Len(t, r.Code.Files, len(want))
		for i := range want {
			assert.Equal(t, web.CodeFile{Name: want[i].Path, Text: string(want[i].Data)}, r.Code.Files[i])
		}
	}
	r := web.Answer(web.Request{Text: cuda, Lang: "c++", Pack: web.Pack{Lang: "c", Type: "S"}})
	require.Len(t, r.Code.Files, 1, r.Code.Missing)
	assert.Equal(t, "params.h", r.Code.Files[0].Name)
	assert.Contains(t, r.Code.Files[0].Text, "PTXPARAM_ASSERT(sizeof(struct S) == 32")
}

// TestCodeRefused has what no code is generated for, and says why.
func TestCodeRefused(t *testing.T) {
	many := "struct S { " + strings.Repeat("int x; ", 0)
	for i := range 1200 {
		many += "int f" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + "; "
	}
	many += "};\n"
	for _, c := range []struct {
		lang, text, why string
		pack            web.Pack
	}{
		{"c", "struct S { int a; };", "no type and no kernel of the text is chosen", web.Pack{Lang: "go", Type: "<b>"}},
		{"c", "struct S { int a; };", "code is generated in Go, Rust, Python and C", web.Pack{Lang: "cobol", Type: "S"}},
		{"c", "struct S { long double a; };", "long double", web.Pack{Lang: "go", Type: "S"}},
		{"c", many, "it has more fields than code is generated for here", web.Pack{Lang: "go", Type: "S"}},
		{"c++", "__global__ void k(int n);", "there is nothing to pack", web.Pack{Lang: "c", Kernel: "k"}},
	} {
		r := web.Answer(web.Request{Text: c.text, Lang: c.lang, Pack: c.pack})
		require.NotNil(t, r.Code, c.why)
		assert.Contains(t, r.Code.Missing, c.why)
		assert.Empty(t, r.Code.Files)
	}
}
