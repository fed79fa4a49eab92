package producers

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/adapt"
	"github.com/ptxabi/ptxabi/internal/layoutcmd"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestNumba holds the declarations that shims have for callers of numba against what was seen
// of it: what package adapt takes apart, numba does.
func TestNumba(t *testing.T) {
	clang, err := adapt.ParseConvention("clang")
	require.NoError(t, err)
	for _, r := range recordings(t) {
		if !strings.HasPrefix(r.Name, "numba") {
			continue
		}
		from, err := adapt.ParseConvention(strings.Replace(r.Name, "numba-cuda", "numba", 1))
		require.NoError(t, err)
		compared, refused := 0, []string{}
		for _, one := range Cases() {
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
				shim, list := adapt.FromPrototype(res, res.Unit.Funcs[0], adapt.Options{From: from, To: clang, Name: "shim", Symbol: "f"})
				if list.Err() != nil {
					refused = append(refused, one.Name)
					continue
				}
				text := shim.Text(adapt.Head{Version: ptx.Version{Major: 7, Minor: 8}, Target: "sm_75"})
				heads, err := ReadHeads(string(text))
				require.NoError(t, err)
				compared++
				assert.Equal(t, h.String(), heads.Defined["shim"].String(), "%s: %s, %s", r.Short(), one.Name, what)
			}
		}
		for _, name := range refused { // alignments and packing, of which a tuple has none, and what C on the other side does not pass
			assert.Regexp(t, "^(float16|half2_record|rec_float[24]|empty|(ints?|char)_at_.*|packed_.*)$", name)
		}
		t.Logf("%s: %d compared, refused: %v", r.Short(), compared, refused)
		assert.Greater(t, compared, 100)
	}
}
