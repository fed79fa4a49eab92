package link_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// TestOwn holds what is said of each pair of the session's modules, as PTX and as objects, against the linkers at hand.
func TestOwn(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound)
	}
	files := golden.Archive(t, "../../../cmd/ptxabi/testdata/session/link-own.txtar").Files
	for _, kit := range tools.Toolkits {
		objects := make(map[string][]byte)
		for _, f := range files {
			objects[f.Name], err = kit.Assemble(context.Background(), string(f.Data), "sm_80")
			require.NoError(t, err, "%v: %s", kit, f.Name)
		}
		for _, a := range files {
			for _, b := range files {
				if a.Name == b.Name {
					continue
				}
				_, _, err := kit.Link(context.Background(), "sm_80", objects[a.Name], objects[b.Name])
				var texts, cubins link.Set
				for _, f := range []txtar.File{a, b} {
					place := link.Place{Name: f.Name, File: f.Name}
					texts.AddPTX(place, parsed(t, f.Name, string(f.Data)))
					object, err := cubin.Open(objects[f.Name])
					require.NoError(t, err)
					require.NoError(t, cubins.AddCubin(place, object))
				}
				for what, set := range map[string]*link.Set{"PTX": &texts, "objects": &cubins} {
					r := set.Report("")
					assert.Equal(t, err != nil, verdict(r), "%v: %s of %s, %s: %v", kit, what, a.Name, b.Name, r.Diags)
				}
			}
		}
	}
}
