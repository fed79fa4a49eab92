package sim

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/sassverify"
	"github.com/ptxabi/ptxabi/sass"
)

// show writes a word byte by byte, the lowest first: "a0" is byte 0 of the
// input a, "a3s" its sign, "?" undefined, a number plain.
func show(w Word) string {
	var parts []string
	for _, b := range w {
		switch b.From.Kind {
		case Undefined:
			parts = append(parts, "?")
		case Plain:
			parts = append(parts, fmt.Sprintf("%02x", b.Val))
		case Input:
			text := fmt.Sprintf("%c%d", 'a'+b.From.ID, b.From.Byte)
			if b.From.Sign {
				text += fmt.Sprintf("s%02x", b.Val)
			}
			parts = append(parts, text)
		default:
			parts = append(parts, fmt.Sprintf("%v:%02x", b.From.Kind, b.Val))
		}
	}
	return strings.Join(parts, " ")
}

// input is the word of an input with a value.
func input(id uint32, v uint32) Word {
	w := number(v, Origin{Kind: Input, ID: id})
	for i := range w {
		w[i].From.Byte = uint8(i)
	}
	return w
}

func code(op string, args ...sass.Operand) sass.Item {
	return sass.Item{Instr: sass.Instr{Op: op, Args: args}}
}

func textItem(text string) sass.Item { return sass.Item{Instr: sass.Instr{Text: text}} }

// config is that of a small machine: R1 is the stack pointer, R20:R21 the
// return address, R16 callee-saved, all else caller-saved.
func config() *Config {
	c := &Config{SP: 1, Convention: Convention{RetAddr: 20, Preserved: []sass.Reg{16}}, Last: 31, StackTop: 256}
	for r := sass.Reg(0); r <= 31; r++ {
		if r != 1 && r != 16 && r != 20 && r != 21 {
			c.Convention.Scratch = append(c.Convention.Scratch, r)
		}
	}
	c.Bank = func(bank uint8, off int64) Byte {
		switch {
		case bank == 0 && off >= 0x20 && off < 0x24:
			return number(256, Origin{Kind: Address})[off-0x20]
		case bank == 0 && off >= 0x40 && off < 0x50:
			return Byte{uint8(0x70 + off), Origin{Kind: Input, Byte: uint8(off - 0x40), ID: 25}}
		}
		return Byte{}
	}
	return c
}

// start sets the registers that the texts of the tests below read: R2 = a, R3 = b, R5 has two
// undefined bytes, R1 is the stack pointer.
func start(m *Machine, text string) (string, error) {
	m.regs[2] = input(0, 0x80706050)
	m.regs[3] = input(1, 0x00000090)
	m.regs[5] = input(2, 0x11223344)
	m.regs[5][1], m.regs[5][2] = Byte{}, Byte{}
	m.SetTruth("P0", Truth{true, true})
	m.SetTruth("%p1", Truth{false, true})
	return "", m.setSP(number(0xe0, Origin{Kind: Address}))
}

// execute runs instructions as a kernel and returns the machine.
func execute(t *testing.T, conf *Config, items ...sass.Item) (*Machine, error) {
	t.Helper()
	if conf.Text == nil {
		conf.Text = start
	}
	items = append([]sass.Item{textItem("start")}, items...)
	m, err := New(&sass.Program{Funcs: []*sass.Func{{Name: "k", Items: append(items, code("EXIT"))}}}, conf)
	require.NoError(t, err)
	return m, m.Run("k")
}

func TestInstructions(t *testing.T) {
	r, i, v := sass.Register, sass.Imm, sass.Virtual
	rz, pt := sass.Register(sass.RZ), sass.Pred("PT")
	tests := []struct {
		op   string
		args []sass.Operand
		want string // of R4
	}{
		{"MOV", []sass.Operand{r(4), r(2)}, "a0 a1 a2 a3"},
		{"MOV", []sass.Operand{r(4), r(5)}, "c0 ? ? c3"},
		{"MOV", []sass.Operand{r(4), rz}, "00 00 00 00"},
		{"MOV", []sass.Operand{r(4), sass.Const(0, 0x44)}, "z4 z5 z6 z7"},
		{"MOV", []sass.Operand{r(4), v("%r1", sass.Whole)}, "? ? ? ?"},
		{"MOV32I", []sass.Operand{r(4), i(0x12345678)}, "78 56 34 12"},
		{"MOV", []sass.Operand{r(4), i(-2)}, "fe ff ff ff"},
		{"PRMT", []sass.Operand{r(4), r(2), i(0x7771), rz}, "a1 00 00 00"},
		{"PRMT", []sass.Operand{r(4), r(2), i(0xbbb3), rz}, "a3 a3sff a3sff a3sff"},
		{"PRMT", []sass.Operand{r(4), r(2), i(0x8880), rz}, "a0 a0s00 a0s00 a0s00"},
		{"PRMT", []sass.Operand{r(4), r(2), i(0x5410), r(3)}, "a0 a1 b0 b1"},
		{"PRMT", []sass.Operand{r(4), r(5), i(0x9910), r(3)}, "c0 ? ? ?"},
		{"PRMT", []sass.Operand{r(4), r(2), i(0xc765), r(3)}, "b1 b2 b3 b0sff"},
		{"IADD", []sass.Operand{r(4), r(3), i(0x70)}, "00 01 00 00"},
		{"IADD", []sass.Operand{r(4), r(2), rz}, "a0 a1 a2 a3"},
		{"IADD32I", []sass.Operand{r(4), r(3), i(-1)}, "8f 00 00 00"},
		{"IADD3", []sass.Operand{r(4), r(3), i(1), r(3)}, "21 01 00 00"},
		{"IADD3", []sass.Operand{r(4), r(3), r(3).Negated(), rz}, "00 00 00 00"},
		{"IADD3", []sass.Operand{r(4), r(5), i(1), rz}, "45 ? ? ?"},
		{"IADD3", []sass.Operand{r(4), sass.Pred("P1"), r(2), r(2), rz}, "a0 c0 e0 00"},
		{"IADD3", []sass.Operand{r(4), pt, pt, r(3), r(3), rz}, "20 01 00 00"},
		{"IADD3.X", []sass.Operand{r(4), r(3), rz, rz, sass.Pred("P0"), pt.Negated()}, "91 00 00 00"},
		{"IADD3.X", []sass.Operand{r(4), pt, pt, r(3), rz, rz, sass.Pred("P0"), pt.Negated()}, "91 00 00 00"},
		{"IADD3", []sass.Operand{r(4), r(1), i(8), rz}, "address:e8 address:00 address:00 address:00"},
		{"LOP3.LUT", []sass.Operand{r(4), r(2), i(0xff00), rz, i(0xc0), pt.Negated()}, "00 a1 00 00"},
		{"LOP3.LUT", []sass.Operand{r(4), r(5), i(0xff00ff), rz, i(0xc0)}, "c0 00 ? 00"},
		{"LOP3.LUT", []sass.Operand{r(4), r(2), r(3), rz, i(0xfc)}, "d0 60 70 80"},
		{"LOP3.LUT", []sass.Operand{r(4), r(2), r(5), rz, i(0x3c)}, "14 ? ? 91"},
		{"LOP3.LUT", []sass.Operand{r(4), r(1), i(-16), rz, i(0xc0)}, "address:e0 address:00 address:00 address:00"},
		{"LOP3.LUT", []sass.Operand{r(4), r(6), r(6), rz, i(0xc0)}, "? ? ? ?"},
		{"LOP32I.AND", []sass.Operand{r(4), r(2), i(0xf)}, "00 00 00 00"},
		{"LOP.OR", []sass.Operand{r(4), r(2), rz}, "a0 a1 a2 a3"},
		{"SHF.L.U32", []sass.Operand{r(4), r(2), i(8), rz}, "00 a0 a1 a2"},
		{"SHF.R.U32.HI", []sass.Operand{r(4), rz, i(16), r(2)}, "a2 a3 00 00"},
		{"SHF.R.S32.HI", []sass.Operand{r(4), rz, i(24), r(2)}, "a3 a3sff a3sff a3sff"},
		{"SHF.R.S32.HI", []sass.Operand{r(4), rz, i(31), r(2)}, "a3sff a3sff a3sff a3sff"},
		{"SHL", []sass.Operand{r(4), r(3), i(1)}, "20 01 00 00"},
		{"SHR.U32", []sass.Operand{r(4), r(2), i(4)}, "05 06 07 08"},
		{"SHR", []sass.Operand{r(4), r(2), i(4)}, "05 06 07 f8"},
		{"SHR", []sass.Operand{r(4), r(5), i(4)}, "? ? ? 01"},
		{"SEL", []sass.Operand{r(4), r(2), r(3), sass.Pred("P0")}, "a0 a1 a2 a3"},
		{"SEL", []sass.Operand{r(4), r(2), r(3), sass.Pred("P0").Negated()}, "b0 b1 b2 b3"},
		{"SEL", []sass.Operand{r(4), r(2), r(3), sass.Pred("P5")}, "? ? ? ?"},
		{"LDC", []sass.Operand{r(4), sass.Const(0, 0x48)}, "z8 z9 z10 z11"},
		{"LDC.U8", []sass.Operand{r(4), sass.Const(0, 0x41)}, "z1 00 00 00"},
		{"LDC.S8", []sass.Operand{r(4), sass.Const(0, 0x41)}, "z1 z1sff z1sff z1sff"},
		{"LDC.U16", []sass.Operand{r(4), sass.Const(0, 0x42)}, "z2 z3 00 00"},
		{"LDC.S16", []sass.Operand{r(4), sass.Const(0, 0x42)}, "z2 z3 z3sff z3sff"},
		{"LDC.64", []sass.Operand{r(4), sass.Const(0, 0x48)}, "z8 z9 z10 z11"},
		{"LDC", []sass.Operand{r(4), {Kind: sass.KindConstReg, Reg: 3, Off: -0x50}}, "z0 z1 z2 z3"},
	}
	tested := map[string]bool{}
	for _, tt := range tests {
		in := sass.Instr{Op: tt.op, Args: tt.args}
		m, err := execute(t, config(), sass.Item{Instr: in})
		if assert.NoError(t, err, in.String()) {
			assert.Equal(t, tt.want, show(m.Reg(4)), in.String())
		}
		tested[tt.op] = true
	}
	for op := range semantics {
		if !otherTests.MatchString(op) {
			assert.True(t, tested[op], "%s is not tested", op)
		}
	}
}

// otherTests are the instructions that other tests execute.
var otherTests = regexp.MustCompile(`^(LDL|STL|ISETP|CALL|JCAL|CAL|PRET|JMX|RET|EXIT|BRA|BMOV|UMOV)`)

// TestVocabulary checks that every mnemonic of pseudo-SASS can be executed.
func TestVocabulary(t *testing.T) {
	list := sassverify.Mnemonics()
	require.Greater(t, len(list), 30)
	for _, op := range list {
		assert.Contains(t, semantics, op)
	}
}

func TestPredicates(t *testing.T) {
	ne := func(p string, a, b sass.Operand) sass.Item {
		return code("ISETP.NE.AND", sass.Pred(p), sass.Pred("PT"), a, b, sass.Pred("PT"))
	}
	m, err := execute(t, config(),
		ne("P1", sass.Register(2), sass.Register(3)), ne("P2", sass.Register(2), sass.Register(2)), ne("P3", sass.Register(5), sass.Register(2)), ne("%p7", sass.Register(2), sass.Register(sass.RZ)),
		code("ISETP.EQ.AND", sass.Pred("P4"), sass.Pred("PT"), sass.Register(2), sass.Register(2), sass.Pred("P0").Negated()))
	require.NoError(t, err)
	assert.Equal(t, Truth{true, true}, m.Truth("P1"))
	assert.Equal(t, Truth{false, true}, m.Truth("P2"))
	assert.False(t, m.Truth("P3").Defined, "a byte that matters is undefined")
	assert.Equal(t, Truth{true, true}, m.Truth("%p7"))
	assert.Equal(t, Truth{false, true}, m.Truth("P4"))

	guarded := code("MOV", sass.Register(4), sass.Register(2))
	for guard, want := range map[string]string{"@P0": "a0 a1 a2 a3", "@!P0": "? ? ? ?", "@%p1": "? ? ? ?", "@!%p1": "a0 a1 a2 a3", "@PT": "a0 a1 a2 a3"} {
		guarded.Instr.Guard = guard
		m, err := execute(t, config(), guarded)
		require.NoError(t, err)
		assert.Equal(t, want, show(m.Reg(4)), guard)
	}
	guarded.Instr.Guard = "@P6"
	_, err = execute(t, config(), guarded)
	assert.ErrorContains(t, err, "the guard @P6 is undefined")
}
