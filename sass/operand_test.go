package sass_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/sass"
)

// TestConstructorsOfDisassembly holds what the constructors of kinds that only
// disassembly has print, and that an address has a uniform register only if it
// was given one.
func TestConstructorsOfDisassembly(t *testing.T) {
	for _, tt := range []struct {
		o    sass.Operand
		want string
	}{
		{sass.Operand{Kind: sass.Address, Reg: 4}, "[R4]"},
		{sass.A("", 2, "64", 16), "[R2.64+0x10]"},
		{sass.A("desc[UR4]", 2, "64", 0), "desc[UR4][R2.64]"},
		{sass.A("desc[UR4]", sass.RZ, "", 8), "desc[UR4][0x8]"},
		{sass.AU("", 2, "", 0, 16), "[R2+UR0+0x10]"},
		{sass.AU("", sass.RZ, "", 4, 0), "[UR4]"},
		{sass.AU("desc[UR6]", 2, "U32", 4, 8), "desc[UR6][R2.U32+UR4+0x8]"},
		{sass.U(4), "UR4"},
		{sass.U(sass.RZ), "URZ"},
		{sass.CU(0, 4, 0x160), "c[0x0][UR4+0x160]"},
		{sass.F("+QNAN"), "+QNAN"},
		{sass.X("SRZ"), "SRZ"},
	} {
		assert.Equal(t, tt.want, tt.o.String())
	}
}

// TestParsedAddresses holds that what is read is what the constructors make.
func TestParsedAddresses(t *testing.T) {
	for _, want := range []sass.Operand{
		sass.A("", 2, "64", 16),
		sass.A("desc[UR4]", 2, "64", 0),
		sass.AU("", 2, "", 0, 16),
		sass.AU("", sass.RZ, "", 4, 0),
		sass.AU("desc[UR6]", 2, "U32", 4, 8),
		sass.CU(0, 4, 0x160),
	} {
		in := sass.Instr{Op: "LDG", Args: []sass.Operand{sass.R(0), want}}
		prog, err := sass.Parse("f.sass", []byte("// pseudo-SASS for sm_90: calling convention only, not assemblable\n\n//--------------------- .text.f --------------------------\nf:\n\t"+string(in.AppendText(nil))+"\n"))
		if assert.NoError(t, err, want) {
			assert.Equal(t, want, prog.Funcs[0].Items[0].Instr.Args[1], want.String())
		}
	}
}
