package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
)

// thorough is Module with all accesses looked at by all rules.
func thorough(m *ptx.Module, opts Options) ptx.ErrorList {
	c := newChecker(m, opts)
	c.start()
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || !f.HasBody {
			c.item(it)
			continue
		}
		fn := new(function)
		fn.reset(f, c.declare(f))
		fn.inKernel14 = sig.InBody(m, f)
		c.fn = fn
		fn.formals(f.Results, sig.Result)
		fn.formals(f.Params, sig.Param)
		for i, s := range f.Body {
			fn.place.at = i
			if a, ok := s.(*ptx.Access); ok {
				fn.g.busy = true
				c.guard(&a.Instr)
				c.access(a)
				continue
			}
			c.fn.plain.forget()
			c.stmt(s)
		}
		c.placed()
	}
	c.finish()
	return c.sorted()
}

// TestPlainAccess holds that what is seen at once to be right is right by all
// rules: of modules of compilers, of those with known verdicts, and of such with an
// access changed.
func TestPlainAccess(t *testing.T) {
	counts := make(map[bool]int) // by whether anything is said
	for _, pattern := range []string{"../testdata/real/*.ptx", "../testdata/check/modules/*.ptx"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if len(text) > 1<<16 {
				continue
			}
			for _, change := range []*strings.Replacer{
				strings.NewReplacer(),
				strings.NewReplacer("ld.param.u32", "ld.param.u64", "st.param.b32", "st.param.f64"),
				strings.NewReplacer("ld.param.b64", "st.param.b64", "%rd1,", "%p1,", "%r1;", "%f1;"),
				strings.NewReplacer("_param_0]", "_param_0+4]", "param1+0", "param1+2"),
				strings.NewReplacer(".param .b64", ".param .b32", ".b8 param0[", ".b8 param0[1"),
			} {
				m, err := ptx.Parse(file, []byte(change.Replace(string(text))))
				if err != nil {
					continue
				}
				for _, opts := range []Options{{}, {Lowering: true}} {
					want := thorough(m, opts)
					require.Equal(t, want, Module(m, opts), file)
					counts[len(want) > 0]++
				}
			}
		}
	}
	assert.Greater(t, counts[true], 1000)
	assert.Greater(t, counts[false], 100)
}
