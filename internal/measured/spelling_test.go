package measured_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/measured"
	"github.com/ptxabi/ptxabi/sass"
)

// TestSpellingsAreSeen looks for the instructions of a row that no probe is for
// in all that is recorded of the target with a release.
func TestSpellingsAreSeen(t *testing.T) {
	releases, err := measured.Releases(recordings())
	require.NoError(t, err)
	for _, release := range releases {
		seen := make(map[string]map[string]bool) // what by target
		files, err := fs.ReadDir(recordings(), release)
		require.NoError(t, err)
		for _, entry := range files {
			file, err := measured.Read(recordings(), release, strings.TrimSuffix(entry.Name(), ".txt"))
			require.NoError(t, err)
			for _, s := range file.Sections {
				ops := operations(t, &s)
				for _, target := range s.Targets {
					if seen[target] == nil {
						seen[target] = make(map[string]bool)
					}
					for _, op := range ops {
						seen[target][op] = true
					}
				}
			}
		}
		for target, ops := range seen {
			sp := row(t, target).Spelling
			text := target + " with " + release
			assert.True(t, ops[sp.LoadImm+" immediate"], "%s of an immediate: %s", sp.LoadImm, text)
			assert.True(t, ops[sp.SelectBytes], "%s: %s", sp.SelectBytes, text)
			if sp.AddDispute == "" || version(release) >= "13.4" {
				assert.True(t, ops[sp.Add+" registers"], "%s of two registers: %s", sp.Add, text)
			}
		}
	}
}

// operations returns the operation codes in a section, and with what they are:
// an immediate, or two registers.
func operations(t *testing.T, s *measured.Section) []string {
	if s.Code() == "" {
		return nil
	}
	p, err := sass.Parse(s.Module, []byte(s.Code()))
	require.NoError(t, err)
	var ops []string
	for _, f := range p.Funcs {
		for _, item := range f.Items {
			in := &item.Instr
			if item.Kind != sass.Code || in.Op == "" {
				continue
			}
			ops = append(ops, in.Op)
			registers := 0
			for i, o := range in.Args {
				switch {
				case i == 1 && len(in.Args) == 2 && o.Kind == sass.Imm:
					ops = append(ops, in.Op+" immediate")
				case i > 0 && o.Kind == sass.Register && o.Reg != sass.RZ:
					registers++
				}
			}
			if registers >= 2 {
				ops = append(ops, in.Op+" registers")
			}
		}
	}
	return ops
}
