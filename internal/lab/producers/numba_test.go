package producers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/tool/adapt"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/ptx"
)

var vectorPattern = regexp.MustCompile(`^typedef (\w+) \w+ __attribute__\(\(vector_size\((\d+)\)\)\);$`)

// TestNumba holds the declarations that shims have for callers of numba against what was seen
// of it: what package adapt takes apart, numba does.
func TestNumba(t *testing.T) {
	clang, err := adapt.ParseConvention("clang")
	require.NoError(t, err)
	for _, r := range recordings(t) {
		if !strings.HasPrefix(r.Name, "numba") {
			continue
		}
		whole := r.Name == "numba-cuda-mlir" // vectors are their own, and it calls nothing with a tuple
		name := r.Name
		if !whole {
			name = strings.Replace(name, "numba-cuda", "numba", 1)
		}
		by, err := adapt.ParseConvention(name)
		require.NoError(t, err)
		compared, refused := 0, []string{}
		for _, one := range Cases() {
			if m := vectorPattern.FindStringSubmatch(one.Decl); m != nil && !whole { // which is a tuple of its elements
				one.Decl, one.Type = fmt.Sprintf("struct %s { %s c[%s / sizeof(%s)]; };", one.Name, m[1], m[2], m[1]), "struct "+one.Name
			}
			for _, what := range []string{"argument", "result"} {
				h, ok := r.Seen[Key{one.Name, what + " define", Default}]
				if !ok {
					continue
				}
				src := Declared(one) + "void f(int *p, " + one.Type + " x);\n"
				if what == "result" {
					src = Declared(one) + "typedef " + one.Type + " result_t; result_t f(int *p);\n"
				}
				res, err := layoutcmd.Load("k.h", []byte(spell(src, cWords)), layoutcmd.Options{})
				require.NoError(t, err)
				if len(res.Errors) > 0 {
					refused = append(refused, one.Name)
					continue
				}
				o := adapt.Options{From: by, To: clang, Name: "seen", Symbol: "f"}
				shim, list := adapt.FromPrototype(res, res.Unit.Funcs[0], o)
				if whole {
					_, called := r.Seen[Key{one.Name, what + " call", Default}]
					assert.Equal(t, called, list.Err() == nil, "%s: %v", one.Name, list)
					o = adapt.Options{From: clang, To: by, Name: "shim", Symbol: "seen"}
					shim, list = adapt.FromPrototype(res, res.Unit.Funcs[0], o)
				}
				if list.Err() != nil {
					refused = append(refused, one.Name)
					continue
				}
				text := shim.Text(adapt.Head{Version: ptx.Version{Major: 7, Minor: 8}, Target: "sm_75"})
				heads, err := ReadHeads(string(text))
				require.NoError(t, err)
				compared++
				seen := heads.Defined
				if whole {
					seen = heads.Declared
				}
				assert.Equal(t, h, seen["seen"].String(), "%s: %s, %s", r.Short(), one.Name, what)
			}
		}
		for _, name := range refused { // alignments and packing, of which a tuple has none, and what C on the other side does not pass
			assert.Regexp(t, "^(half2_record|rec_float[24]|empty|(ints?|char)_at_.*|packed_.*)$", name)
		}
		t.Logf("%s: %d compared, refused: %v", r.Short(), compared, refused)
		assert.Greater(t, compared, 100)
	}
}

// TestRefusedTypes holds what shims refuse against what compilers refused, in the same files: a type that a
// compiler does not take has no shim, and one that it takes has, but for types without any shim.
func TestRefusedTypes(t *testing.T) {
	manual, err := adapt.ParseConvention("manual")
	require.NoError(t, err)
	// Refused for every compiler: without bytes, not copied as bytes, or of no C type.
	never := regexp.MustCompile("^(empty|empty_class|copied|destroyed|moved|member_function|member_data|variadic)$")
	for _, r := range recordings(t) {
		if !slices.Contains(adapt.Conventions, r.Short()) { // numba, which has two, Triton and Warp
			continue
		}
		by, err := adapt.ParseConvention(r.Short())
		require.NoError(t, err)
		words, file, rust := cudaWords, "k.cu", strings.HasPrefix(r.Name, "rustc")
		switch r.Name {
		case "gcc":
			words, file = cWords, "k.c"
		case "g++":
			words, file = cxxWords, "k.hpp"
		}
		taken, refused := 0, 0
		for _, one := range Cases() {
			_, seen := r.Seen[Key{one.Name, "argument define", r.Levels[0]}]
			_, said := r.Refused[Key{Case: one.Name, Level: r.Levels[0]}]
			if one.Only != "" || never.MatchString(one.Name) || one.Name == "bits_wide" && r.Short() == "clang-14" || !seen && !said && !rust || one.CXX && (r.Name == "gcc" || rust) {
				continue // of bits_wide clang 14 does not get through a result
			}
			vector := strings.HasPrefix(one.Name, "ext_")
			for _, src := range []string{"void f(int *p, $T x);\n", "$T f(int *p);\n"} {
				src = Declared(one) + strings.ReplaceAll(src, "$T", one.Type)
				res, err := layoutcmd.Load(file, []byte(spell(src, words)), layoutcmd.Options{})
				require.NoError(t, err)
				require.Empty(t, res.Errors, src)
				_, list := adapt.FromPrototype(res, res.Unit.Funcs[len(res.Unit.Funcs)-1], adapt.Options{From: manual, To: by, Name: "shim", Symbol: "f"})
				want := said || !seen || vector && r.Name == "nvrtc" // which takes it for something else
				if list.Err() != nil {
					refused++
				} else {
					taken++
				}
				assert.Equal(t, want, list.Err() != nil, "%s: %s: %v", r.Short(), one.Name, list)
			}
		}
		t.Logf("%s: %d taken, %d refused", r.Short(), taken, refused)
	}
}
