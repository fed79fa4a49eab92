package lower_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

var (
	madeLabel  = regexp.MustCompile(`\.L_x_\d+`)
	beforeNote = regexp.MustCompile(` +//`)
)

// alone returns the text of a function without the numbers of labels, which count
// through the module.
func alone(f *sass.Func) string {
	p := sass.Program{Funcs: []*sass.Func{f}}
	return beforeNote.ReplaceAllString(madeLabel.ReplaceAllString(p.String(), ".L_x_"), " //")
}

// TestAlone holds that what becomes of a function does not depend on the functions
// before it: memory that is used again holds nothing of them. The second seed is
// that of a program in which the registers for what lives in slots were taken for
// free ones, since a function before had no slots.
func TestAlone(t *testing.T) {
	for _, first := range []uint64{1, 202047119} {
		for i := range uint64(60) {
			target := abi.Targets()[(6+i)%uint64(len(abi.Targets()))]
			s := randomSpec(first+i, target)
			m, err := ptx.Parse("random.ptx", []byte(s.source(target)))
			require.NoError(t, err)
			for _, homes := range []lower.Homes{nil, &randomHomes{t: target, seed: s.Seed, mod: m}} {
				all, err := lower.Module(m, target, lower.Options{Homes: homes})
				if err != nil { // an allocation that leaves no room
					continue
				}
				for _, f := range all.Funcs {
					one, err := lower.Module(m, target, lower.Options{Homes: homes, Func: f.Name})
					require.NoError(t, err)
					require.Len(t, one.Funcs, 1)
					if !assert.Equal(t, strings.Split(alone(one.Funcs[0]), "\n"), strings.Split(alone(f), "\n"), "%s, seed %d on %s, homes: %t", f.Name, s.Seed, target.Name, homes != nil) {
						return
					}
				}
			}
		}
	}
}
