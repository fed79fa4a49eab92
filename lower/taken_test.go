package lower_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestAddressTaken checks what the note of a call says of a function, for bodies
// that name the function elsewhere. That says the same whether the module was read
// as a whole or body by body, when bodies are looked through as text.
func TestAddressTaken(t *testing.T) {
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	for _, tt := range []struct {
		name, body string
		taken      bool
	}{
		{"nothing", "ret;", false},
		{"mov", "\tmov.b64 %rd1, f;\n", true},
		{"mov first", "mov.b64 %rd1, f;", true},
		{"after a statement", "\tadd.s32 %r1, %r1, 1;\n\tmov.b64 %rd1, f;\n", true},
		{"on its line", "\tadd.s32 %r1, %r1, 1; mov.b64 %rd1, f;\n", true},
		{"guarded", "\t@%p1 mov.b64 %rd1, f;\n", true},
		{"after a label", "L:\n\tmov.b64 %rd1, f;\n", true},
		{"after a comment", "\tadd.s32 %r1, %r1, 1; // one\n\n// two\n\tmov.b64 %rd1, f;\n", true},
		{"in a block", "{ // one\n\tmov.b64 %rd1, f;\n} // two\n", true},
		{"two", "\tmov.b64 %rd1, g;\n\tmov.b64 %rd1, f;\n", true},
		{"after a modifier with a comment", "\tmov.b64 /* g; */ %rd1, f;\n", true},
		{"over lines", "\tmov.b64\n\t%rd1,\n\tf;\n", true},
		{"another function", "\tmov.b64 %rd1, g;\n", false},
		{"a register of the name", "\tmov.b64 %rd1, %f;\n", false},
		{"a name that ends so", "\tmov.b64 %rd1, sinkf;\n", false},
		{"in a comment", "\t// ;\n\t// mov.b64 %rd1, f;\n", false},
		{"in a long comment", "\t/* ;\n\tmov.b64 %rd1, f;\n\t*/\n", false},
		{"in a long comment after a slash", "\t// ;\n\t/* ;\n\tmov.b64 %rd1, f;\n\t*/\n", false},
		{"in a string", "\t.pragma \"x; mov.b64 %rd1, f;\";\n", false},
		{"another instruction", "\tcvta.global.u64 %rd1, f;\n", false},
		{"an operand of a call", "\tcall.uni f, ();\n", false},
		{"with an equals sign", "// =>loop\n\tmov.b64 %rd1, %rd1;\n", false},
		{"with an equals sign and mov", "// =>loop\n\tmov.b64 %rd1, f;\n", true},
		{"initialiser", "\t.global .u64 table[1] = { f };\n", true},
		{"initialiser after a comment", "/* = */ .global .u64 table[1] = { f };\n", true},
		{"initialiser after two comments", "// =\n\t.global .u64 table[1] = { f };\n", true},
		{"targets", "targets: .calltargets f, g;\n", true},
		{"targets after comments", "L: // a: b\ntargets: // c: d\n\n\t// e\n\t.calltargets f, g;\n", true},
		{"targets after a long comment", "targets: /* : */ .calltargets f, g;\n", true},
		{"targets after many comments", "targets:\n" + strings.Repeat("// :\n", 200) + ".calltargets f, g;\n", true},
		{"targets after many blanks", "targets:" + strings.Repeat(" ", 600) + ".calltargets f, g;\n", true},
		{"targets of branches", "L: ret;\ntargets: .branchtargets L;\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := ".version 7.0\n.target sm_80\n.address_size 64\n.global .b64 sinkf;\n" +
				".func f()\n{\nret;\n}\n.func g()\n{\nret;\n}\n" +
				".visible .func caller()\n{\ncall.uni f, ();\nret;\n}\n" +
				".visible .func taker()\n{\n.reg .b64 %rd<2>;\n.reg .b64 %f;\n.reg .b32 %r<2>;\n.reg .pred %p<2>;\n" + tt.body + "}\n"
			m, err := ptx.ParseString("x.ptx", src)
			require.NoError(t, err)
			prog, err := lower.Module(m, target, lower.Options{})
			require.NoError(t, err)
			whole := prog.String()
			note := "local function: the assembler may differ"
			if tt.taken {
				note = "convention binds: address taken"
			}
			_, of, _ := strings.Cut(whole, "caller:")
			of, _, _ = strings.Cut(of, "RET")
			assert.Contains(t, of, note)
			heads, err := ptx.ParseOutline("x.ptx", src)
			require.NoError(t, err)
			text, err := lower.Text(heads, target, lower.Options{})
			require.NoError(t, err)
			assert.Equal(t, whole, string(bytes.Join(text, nil)))
		})
	}
}
