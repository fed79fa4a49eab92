package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestAnnotateJSON holds the comments on real listings against the schema and
// against the text form, which has the same.
func TestAnnotateJSON(t *testing.T) {
	t.Parallel()
	schema := readSchema(t, "annotate")
	paths := must.Glob(t, "../../internal/tool/annotate/testdata/golden/sm_*.txtar")
	for _, path := range paths {
		data := must.Read(t, path)
		ar := txtar.Parse(data)
		require.Equal(t, "in.ptx", ar.Files[0].Name)
		module, listing := writeSource(t, "in.ptx", string(ar.Files[0].Data)), writeSource(t, "in.sass", string(ar.Files[1].Data))
		for _, args := range [][]string{{listing}, {"-ptx", module, listing}, {"-registers", "-ptx", module, listing}} {
			r := ptxabi(nil, append([]string{"annotate", "-format=json"}, args...)...)
			require.Equal(t, 0, r.status, r.stderr)
			schema.check(t, r.stdout)
			text := ptxabi(nil, append([]string{"annotate"}, args...)...)
			require.Equal(t, 0, text.status, text.stderr)
			lines := strings.Split(text.stdout, "\n")
			var out struct {
				Functions []struct {
					Named        bool
					Signature    string
					Instructions []struct {
						Line      int
						Opcode    string
						Notes     []string
						Registers string
					}
				}
			}
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &out))
			notes := 0
			for _, f := range out.Functions {
				assert.Equal(t, len(args) > 1, f.Named && f.Signature != "")
				for _, in := range f.Instructions {
					assert.Contains(t, lines[in.Line-1], in.Opcode)
					assert.Equal(t, len(args) > 3, in.Registers != "")
					for _, n := range in.Notes {
						assert.Contains(t, lines[in.Line-1], n)
						notes++
					}
				}
			}
			assert.Greater(t, notes, 40, path)
		}
	}
}
