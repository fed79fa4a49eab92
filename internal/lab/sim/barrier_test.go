package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/sass"
)

// beginning is the entry sequence of functions of a machine with four barriers.
const beginning = `	ISETP.NE.U32.AND P0, PT, RZ, UR2, PT ;
	@P0 BRA ` + "`(L)" + ` ;
	BMOV.32 B0, 0xffffffff ;
	BMOV.32.CLEAR B1, B0 ;
	BMOV.32.CLEAR B2, B1 ;
	BMOV.32.CLEAR B3, B2 ;
	BMOV.32 B3, 0x0 ;
	UMOV UR2, 0x1 ;
L:
`

// TestBarriers executes a kernel and a function that make barriers ready, as a
// whole and with one thing wrong.
func TestBarriers(t *testing.T) {
	text := "// pseudo-SASS for sm_87: calling convention only, not assemblable\n\n//---- .text.k ----\nk:\n" + beginning +
		"\tMOV R1, 0x100 ;\n\tMOV R20, 32@lo((k + B@srel)) ;\n\tMOV R21, 32@hi((k + B@srel)) ;\n\tCALL.ABS.NOINC `(f) ;\nB:\n\tEXIT ;\n" +
		"\n//---- .text.f ----\nf:\n" + beginning + "\tRET.ABS.NODEC R20 0x0 ;\n"
	for _, tt := range []struct{ name, old, new, want string }{
		{"as it is", "", "", ""},
		{"no flag", "UMOV UR2, 0x1 ;", "UMOV UR3, 0x1 ;", "UR2 does not say that the barriers are ready"},
		{"a flag of zero", "UMOV UR2, 0x1 ;", "UMOV UR2, 0x0 ;", "UR2 does not say that the barriers are ready"},
		{"the last not cleared", "BMOV.32 B3, 0x0", "BMOV.32 B0, 0x0", "B3 is 0xffffffff, defined: true, want 0x0"},
		{"one left out", "BMOV.32.CLEAR B2, B1 ;", "BMOV.32.CLEAR B1, B1 ;", "B2 is undefined"},
		{"the flag not looked at", "@P0 BRA", "@!PT BRA", "B2 is 0x0, defined: true, want 0x5a5a5a5a"},
		{"always thought to be ready", "@P0 BRA", "BRA", "UR2 does not say that the barriers are ready"},
		{"a barrier that is not there", "BMOV.32 B0, 0xffffffff", "BMOV.32 B99, 0xffffffff", "B99 is not a barrier"},
	} {
		prog, err := sass.Parse("test", []byte(strings.ReplaceAll(text, tt.old, tt.new)))
		if tt.old == "" {
			prog, err = sass.Parse("test", []byte(text))
		}
		require.NoError(t, err, tt.name)
		conf := config()
		conf.Barriers = Barriers{Count: 4, Flag: 2, Held: 2}
		conf.Callee = func(string) (Contract, error) { return Contract{}, nil }
		m, err := New(prog, conf)
		require.NoError(t, err, tt.name)
		err = m.Run("k")
		if tt.want == "" {
			assert.NoError(t, err, tt.name)
			continue
		}
		assert.ErrorContains(t, err, tt.want, tt.name)
	}
}
