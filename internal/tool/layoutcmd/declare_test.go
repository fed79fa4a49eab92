package layoutcmd_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// TestDeclare holds declarations against those that compilers made of the same
// functions: testdata/real has their PTX, and its sources. Functions that other modules
// do not see are left out, since LLVM passes their values otherwise.
func TestDeclare(t *testing.T) {
	const real = "../../../testdata/real"
	compilers := map[string]layout.Producer{"cicc118": layout.NVCC, "cicc124": layout.NVCC, "clang19": layout.Clang, "gcc12": layout.GCC}
	compared := map[layout.Producer]int{}
	sources := must.Glob(t, real+"/src/*.c*")
	for _, src := range sources {
		name := filepath.Base(src)
		text := must.Read(t, src)
		for compiler, by := range compilers {
			file := real + "/" + compiler + "-" + strings.TrimSuffix(name, path.Ext(name)) + ".ptx"
			data, err := os.ReadFile(file)
			if err != nil {
				continue // not compiled by this one
			}
			m := must.Parse(t, file, data)
			opts := layoutcmd.Options{Producer: by, FS: os.DirFS(real + "/src"), SkipTemplates: true, Lang: "c"}
			if by == layout.NVCC || path.Ext(name) == ".cu" {
				opts.Lang = "c++"
			}
			res, err := layoutcmd.Load(name, text, opts)
			require.NoError(t, err)
			made := map[string]*resolve.Function{}
			for _, f := range resolve.Functions(m) {
				if f.Decl != nil && (f.Decl.Entry || f.Decl.Linkage != ptx.NoLinkage) {
					made[f.Name] = f
				}
			}
			for _, f := range res.Unit.Funcs {
				want := made[f.Name]
				if want == nil {
					continue
				}
				d, why := res.Declare(f, f.Name)
				if !assert.Nil(t, why, "%s: %s", file, f.Name) {
					continue
				}
				text := ptx.AppendStmt(nil, d.Func)
				own, err := ptx.Parse("", text)
				require.NoError(t, err, "%s", text)
				got := resolve.NewFunction(nil, own.Items[0].(*ptx.Func))
				assert.Equal(t, got.Signature(), resolve.NewFunction(nil, d.Func).Signature(), "%s", text)
				assert.Equal(t, want.Signature().String(), got.Signature().String(), "%s: %s", file, f.Name)
				assert.Len(t, d.Formals, len(got.Params))
				compared[by]++
			}
		}
	}
	for _, by := range []layout.Producer{layout.NVCC, layout.Clang, layout.GCC} {
		assert.Greater(t, compared[by], 200, by.String())
	}
}
