package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestAnnotateJSON holds the comments on real listings against the schema and
// against the text form, which has the same.
func TestAnnotateJSON(t *testing.T) {
	schema := readSchema(t, "annotate")
	paths, err := filepath.Glob("../../internal/tool/annotate/testdata/golden/sm_*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
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

// TestAnnotateExecutable has what is said once of functions of an executable, and the words of the memory of blocks.
func TestAnnotateExecutable(t *testing.T) {
	const head = "\t.headerflags\t@\"EF_CUDA_SM80\"\n\t.elftype\t@\"%s\"\n"
	code := func(elftype string) []byte {
		text := strings.Replace(head, "%s", elftype, 1)
		for _, name := range []string{"k", "f", "g"} {
			text += "\n//--------------------- .text." + name + " --------------------------\n"
			if name == "k" {
				text += "        .other          k,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n"
			}
			text += name + ":\n        /*0000*/ MOV R2, c[0x0][0x14c] ;\n        /*0010*/ IADD3 R3, R2, c[0x0][0x15c], RZ ;\n"
		}
		return []byte(text)
	}
	r := ptxabi(code("ET_EXEC"), "annotate", "-")
	require.Zero(t, r.status, r.stderr)
	assert.Equal(t, 1, strings.Count(r.stderr, "\n"), r.stderr)
	assert.Contains(t, r.stderr, "note: f and other functions here: their parameters may be in other places")
	assert.Equal(t, 3, strings.Count(r.stdout, "// %perctamemorysize\n"), r.stdout)
	assert.Equal(t, 3, strings.Count(r.stdout, "// start of %perctamemoryoffset\n"), r.stdout)
	r = ptxabi(code("ET_REL"), "annotate", "-")
	assert.Empty(t, r.stderr)
	r = ptxabi([]byte(`[{"SM":{"version":{"major":8,"minor":0}}},[{"function-name":"k","start":0,"length":16,"sass-instructions":[{"opcode":"MOV","operands":"R1,c[0x0][0x28]"}]}]]`), "annotate", "-")
	require.Zero(t, r.status, r.stderr)
	assert.Contains(t, r.stdout, "MOV R1, c[0x0][0x28] ;  // stack pointer\n")
	r = ptxabi([]byte(`[{"SM":{}}]`), "annotate", "-")
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "<stdin>: what nvdisasm -json prints is expected: ")
}
