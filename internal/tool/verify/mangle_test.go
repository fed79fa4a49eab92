package verify_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/layout"
)

// mangledSource declares functions; the names beside them are those that GCC
// 12 and clang 19 give them.
//
//go:embed testdata/text/mangledSource.cc
var mangledSource string

func TestMangle(t *testing.T) {
	u, err := cdecl.Parse("x.cu", []byte(mangledSource), cdecl.Options{Rules: layout.Rules{Lang: layout.CXX}})
	require.NoError(t, err)
	lines := strings.Split(mangledSource, "\n")
	checked := 0
	for _, f := range u.Funcs {
		_, want, ok := strings.Cut(lines[f.Pos.Line-1], "// ")
		require.True(t, ok, f.Name)
		var types []layout.Type
		for _, p := range f.Params {
			types = append(types, p.Type)
		}
		got, ok := cxxname.Mangle(f.Name, types)
		assert.True(t, ok, f.Name)
		assert.Equal(t, want, got)
		base, ok := verify.Base(got)
		assert.True(t, ok, got)
		assert.Equal(t, f.Name, base)
		checked++
	}
	assert.Equal(t, 12, checked)
}

// TestMangleRefuses has types whose names are not known.
func TestMangleRefuses(t *testing.T) {
	deep := layout.Type(layout.Scalar{Kind: layout.Int})
	for range 1 << 15 {
		deep = &layout.Pointer{Elem: deep}
	}
	for what, typ := range map[string]layout.Type{
		"a template's":       &layout.Record{Name: "vec<float>"},
		"of std":             &layout.Record{Name: "std::pair"},
		"without a name":     &layout.Record{},
		"a member's pointer": &layout.Pointer{Kind: layout.MemberPointer, Class: "P", Elem: layout.Scalar{Kind: layout.Int}},
		"complex":            layout.Scalar{Kind: layout.Float, Complex: true},
		"of a list":          layout.Scalar{Kind: layout.VaList},
		"deep":               deep,
	} {
		_, ok := cxxname.Mangle("f", []layout.Type{typ})
		assert.False(t, ok, what)
	}
}

// TestMatch finds overloads by their parameters.
func TestMatch(t *testing.T) {
	names := []string{"_Z3addi", "_Z3addf", "_ZL3addPKf", "plain", "_ZN3sim3addEi", "_Z4onlyi"}
	integer, float := layout.Scalar{Kind: layout.Int}, layout.Scalar{Kind: layout.Float}
	pointer := &layout.Pointer{Elem: &layout.Qualified{Type: float, Const: true}}
	for _, tt := range []struct {
		name   string
		params []layout.Type
		want   []string
	}{
		{"add", []layout.Type{integer}, []string{"_Z3addi"}},
		{"add", []layout.Type{float}, []string{"_Z3addf"}},
		{"add", []layout.Type{pointer}, []string{"_ZL3addPKf"}},
		{"add", []layout.Type{}, []string{"_Z3addi", "_Z3addf", "_ZL3addPKf"}},
		{"add", nil, []string{"_Z3addi", "_Z3addf", "_ZL3addPKf"}},
		{"sim::add", []layout.Type{float}, []string{"_ZN3sim3addEi"}},
		{"only", []layout.Type{float}, []string{"_Z4onlyi"}},
		{"plain", []layout.Type{float}, []string{"plain"}},
		{"gone", []layout.Type{float}, nil},
	} {
		assert.Equal(t, tt.want, verify.Match(names, tt.name, tt.params), "%s %v", tt.name, tt.params)
	}
}

func TestMatchAll(t *testing.T) {
	names := []string{"_Z3addi", "_Z3addf"}
	add := func(k layout.Kind) verify.Declared {
		return verify.Declared{Name: "add", Params: []layout.Type{layout.Scalar{Kind: k}}}
	}
	assert.Equal(t, [][]string{{"_Z3addf"}, {"_Z3addi"}}, verify.MatchAll(names, []verify.Declared{add(layout.Long), add(layout.Int)}))
	assert.Equal(t, [][]string{nil, {"_Z3addi"}}, verify.MatchAll(names[:1], []verify.Declared{add(layout.Long), add(layout.Int)}))
	assert.Equal(t, [][]string{names, names}, verify.MatchAll(names, []verify.Declared{add(layout.Long), add(layout.Short)}))
}

// TestNamed holds declarations against names of a cubin: what their types make
// of the name, whatever depends on the translation unit.
func TestNamed(t *testing.T) {
	integer, float, long := layout.Scalar{Kind: layout.Int}, layout.Scalar{Kind: layout.Float}, layout.Scalar{Kind: layout.ULong}
	longLong := layout.Scalar{Kind: layout.ULongLong}
	v := &layout.Record{Name: "n::V"}
	for _, tt := range []struct {
		symbol  string
		name    string
		params  []layout.Type
		c       bool
		mangled string
		byName  bool
	}{
		{"_Z1fi", "f", []layout.Type{integer}, false, "", false},
		{"_Z1fi", "f", []layout.Type{float}, false, "_Z1ff", false},
		{"_Z1fi", "f", []layout.Type{integer}, true, "f", false},
		{"f", "n::f", []layout.Type{integer}, true, "", false},
		{"f", "f", []layout.Type{integer}, false, "", false},
		{"_ZN1n3oneEPiNS_1VEj", "n::one", []layout.Type{&layout.Pointer{Elem: float}, v, layout.Scalar{Kind: layout.UInt}}, false, "_ZN1n3oneEPfNS_1VEj", false},
		{"_ZL1fi", "f", []layout.Type{integer}, false, "", false},
		{"_ZN1nL1fENS_1VE", "n::f", []layout.Type{v}, false, "", false},
		{"_Z1fPyS_", "f", []layout.Type{&layout.Pointer{Elem: long}, &layout.Pointer{Elem: long}}, false, "", false},
		{"_Z1fPmS_l", "f", []layout.Type{&layout.Pointer{Elem: longLong}, &layout.Pointer{Elem: longLong}, layout.Scalar{Kind: layout.LongLong}}, false, "", false},
		{"_Z1fm", "f", []layout.Type{integer}, false, "_Z1fi", false},
		{"_ZN12_GLOBAL__N_11fEi", "(anonymous namespace)::f", []layout.Type{integer}, false, "", false},
		{"_ZN1n35_GLOBAL__N__0123abcd_7_file_cu_9abc1fEi", "n::(anonymous namespace)::f", []layout.Type{integer}, false, "", false},
		{"_ZN12_GLOBAL__N_11fEi", "(anonymous namespace)::f", []layout.Type{float}, false, "_ZN12_GLOBAL__N_11fEf", false},
		{"_ZN12_GLOBAL__N_11fENS_1TE", "(anonymous namespace)::f", []layout.Type{&layout.Record{Name: "(anonymous namespace)::T"}}, false, "", false},
		{"_Z1f3vecIfE", "f", []layout.Type{&layout.Record{Name: "vec<float>"}}, false, "", true},
	} {
		d := verify.Declared{Name: tt.name, Params: tt.params, C: tt.c}
		assert.Equal(t, [][]string{{tt.symbol}}, verify.MatchAll([]string{"other", tt.symbol}, []verify.Declared{d}), tt.symbol)
		k := verify.SourceKernel{Name: tt.symbol}
		k.Named(d)
		assert.Equal(t, tt.mangled, k.Mangled, tt.symbol)
		assert.Equal(t, tt.byName, k.ByName, tt.symbol)
	}
}
