package sim

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

func TestLocalMemory(t *testing.T) {
	r, at, v := sass.Register, sass.Mem, sass.Virtual
	m, err := execute(t, config(),
		code("STL", at(1, 0), r(2)), code("STL.64", at(1, 8), r(2)), code("STL.128", at(1, 16), v("%rq0", sass.W0)),
		code("LDL", r(4), at(1, 8)), code("LDL.S8", r(6), at(1, 3)), code("LDL.U8", r(7), at(1, 3)),
		code("LDL.S16", r(8), at(1, 2)), code("LDL.U16", r(9), at(1, 2)), code("LDL.64", r(10), at(1, 8)),
		code("STL.U8", at(1, 1), r(3)), code("STL.U16", at(1, 2), r(3)), code("LDL", r(12), at(1, 0)),
		code("LDL.128", r(24), at(1, 0)), code("LDL.64", v("%rd0", sass.Whole), at(1, 8)), code("MOV", r(13), v("%rd0", sass.Hi)),
		code("LDL", r(14), at(1, 16)))
	require.NoError(t, err)
	for reg, want := range map[sass.Reg]string{
		4: "a0 a1 a2 a3", 6: "a3 a3sff a3sff a3sff", 7: "a3 00 00 00", 8: "a2 a3 a3sff a3sff", 9: "a2 a3 00 00",
		10: "a0 a1 a2 a3", 11: "b0 b1 b2 b3", 12: "a0 b0 b0 b1", 24: "a0 b0 b0 b1", 27: "b0 b1 b2 b3", 13: "b0 b1 b2 b3", 14: "? ? ? ?",
	} {
		assert.Equal(t, want, show(m.Reg(reg)), "R%d", reg)
	}
}

// TestFaults has a program for each thing that only a wrong one does.
func TestFaults(t *testing.T) {
	r, at, sp := sass.Register, sass.Mem, sass.Register(1)
	tests := []struct {
		want  string
		items []sass.Item
	}{
		{"misaligned", []sass.Item{code("STL", at(1, 2), r(2))}},
		{"misaligned", []sass.Item{code("LDL.64", r(4), at(1, 4))}},
		{"are not the function's", []sass.Item{code("STL", at(1, -4), r(2))}},
		{"are not the function's", []sass.Item{code("STL", at(1, 32), r(2))}},
		{"the address [R4] is undefined", []sass.Item{code("LDL", r(6), at(4, 0))}},
		{"R5 cannot begin a group of 2 registers", []sass.Item{code("STL.64", at(1, 0), r(5))}},
		{"R6 cannot begin a group of 4 registers", []sass.Item{code("LDL.128", r(6), at(1, 0))}},
		{"the stack pointer becomes undefined", []sass.Item{code("MOV", sp, r(9))}},
		{"above 0x100 where the function began", []sass.Item{code("IADD", sp, sp, sass.Imm(64))}},
		{"no label .L_x", []sass.Item{code("BRA", sass.Symbol(".L_x"))}},
		{"endless loop", []sass.Item{{Kind: sass.Label, Text: ".L"}, code("BRA", sass.Symbol(".L"))}},
		{"a kernel returns", []sass.Item{code("RET.ABS.NODEC", r(20), sass.Imm(0))}},
		{"no function g", []sass.Item{code("CALL.ABS.NOINC", sass.Symbol("g"))}},
		{"the address in R4 is undefined", []sass.Item{code("CALL.ABS.NOINC", r(4))}},
		{"calls another function than its own", []sass.Item{code("CALL.REL.NOINC", sass.Symbol("g"))}},
		{"does not fit into a word", []sass.Item{code("MOV", r(4), sass.Imm(1<<32))}},
		{"the carry P3 is undefined", []sass.Item{code("IADD3.X", r(4), r(2), r(3), r(2), sass.Pred("P3"), sass.Pred("PT").Negated())}},
	}
	for _, tt := range tests {
		_, err := execute(t, config(), tt.items...)
		var fault *Fault
		if assert.ErrorAs(t, err, &fault, tt.want) {
			assert.ErrorContains(t, err, tt.want)
			assert.Equal(t, "k", fault.Func)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for want, item := range map[string]sass.Item{
		"unknown instruction":              code("FADD", sass.Register(4), sass.Register(4), sass.Register(4)),
		"is not an operand of pseudo-SASS": code("MOV", sass.Register(4), sass.Operand{Kind: sass.KindRegister, Reg: 5, Not: true}),
		"there is no register R32":         code("MOV", sass.Register(32), sass.Register(4)),
		"does not have: MOV R4 ":           code("MOV", sass.Register(4)),
		"does not have: PRMT R4, R2, 0x1 ": code("PRMT", sass.Register(4), sass.Register(2), sass.Imm(1)),
	} {
		_, err := New(&sass.Program{Funcs: []*sass.Func{{Name: "k", Items: []sass.Item{item}}}}, config())
		assert.ErrorContains(t, err, want)
	}
	label := sass.Item{Kind: sass.Label, Text: ".L"}
	_, err := New(&sass.Program{Funcs: []*sass.Func{{Name: "k", Items: []sass.Item{label, label}}}}, config())
	assert.ErrorContains(t, err, "stands twice")
	m, err := New(&sass.Program{}, config())
	require.NoError(t, err)
	assert.ErrorContains(t, m.Run("k"), `no function "k"`)
}

// program is a kernel k that calls f with an argument in R4 and one on the
// stack, for a result in R4, and a body of f.
func program(conf *Config, body ...sass.Item) *sass.Program {
	call := []sass.Item{
		code("MOV", sass.Register(1), sass.Const(0, 0x20)), code("IADD3", sass.Register(1), sass.Register(1), sass.Imm(-32), sass.Register(sass.RZ)), textItem("start"),
		code("STL", sass.Mem(1, 0), sass.Register(3)), code("MOV", sass.Register(4), sass.Register(2)), code("MOV", sass.Register(17), sass.Register(2)),
		code("MOV", sass.Virtual("%r1", sass.Whole), sass.Register(3)),
	}
	if conf.Convention.RetAddr == sass.RZ {
		call = append(call, code("JCAL", sass.Symbol("f")))
	} else {
		call = append(call, code("MOV", sass.Register(20), sass.Operand{Kind: sass.KindLo32, Name: "k", Label: ".L"}), code("MOV", sass.Register(21), sass.Operand{Kind: sass.KindHi32, Name: "k", Label: ".L"}),
			code("CALL.ABS.NOINC", sass.Symbol("f")), sass.Item{Kind: sass.Label, Text: ".L"})
	}
	call = append(call, code("MOV", sass.Register(6), sass.Virtual("%r1", sass.Whole)), code("EXIT"))
	return &sass.Program{Funcs: []*sass.Func{{Name: "k", Items: call}, {Name: "f", Items: body}}}
}

func callConfig(old bool) *Config {
	conf := config()
	conf.Text = start
	if old {
		conf.Convention.RetAddr = sass.RZ
	}
	conf.Callee = func(name string) (Contract, error) {
		return Contract{Args: abi.Regs(4), Results: abi.Regs(4), Stack: 4, Align: 8}, nil
	}
	return conf
}

func TestCall(t *testing.T) {
	for _, old := range []bool{false, true} {
		conf := callConfig(old)
		back := code("RET.ABS.NODEC", sass.Register(20), sass.Imm(0))
		if old {
			back = code("RET")
		}
		var seen []string
		conf.Called = func(m *Machine, name string) error {
			seen = append(seen, name+" "+show(m.Reg(4)))
			return nil
		}
		conf.Returned = func(m *Machine, name string) error {
			seen = append(seen, name+" "+show(m.Reg(4))+" depth "+string(rune('0'+m.Depth())))
			return nil
		}
		m, err := New(program(conf,
			code("MOV", sass.Register(0), sass.Register(6)), // what the caller had there is gone
			code("MOV", sass.Register(5), sass.Virtual("%r1", sass.Whole)),
			code("MOV", sass.Register(3), sass.Register(16)),
			code("IADD3", sass.Register(1), sass.Register(1), sass.Imm(-8), sass.Register(sass.RZ)),
			code("STL", sass.Mem(1, 4), sass.Register(16)),
			code("MOV", sass.Register(16), sass.Register(4)),
			code("LDL", sass.Register(4), sass.Mem(1, 8)),
			code("LDL", sass.Register(16), sass.Mem(1, 4)),
			code("IADD3", sass.Register(1), sass.Register(1), sass.Imm(8), sass.Register(sass.RZ)),
			back), conf)
		require.NoError(t, err)
		require.NoError(t, m.Run("k"))
		assert.Equal(t, []string{"f a0 a1 a2 a3", "f b0 b1 b2 b3 depth 2"}, seen)
		assert.Equal(t, "b0 b1 b2 b3", show(m.Reg(4)), "the result")
		assert.Equal(t, "b0 b1 b2 b3", show(m.Reg(6)), "a virtual register of the caller")
		assert.Equal(t, "? ? ? ?", show(m.Reg(3)), "a caller-saved register")
		assert.Equal(t, "? ? ? ?", show(m.Reg(17)), "a caller-saved register")
		sp, _ := m.StackPointer()
		assert.Equal(t, Byte{}, m.Local(sp), "the stack parameter")
	}
}

func TestCallFaults(t *testing.T) {
	back := code("RET.ABS.NODEC", sass.Register(20), sass.Imm(0))
	sub := code("IADD3", sass.Register(1), sass.Register(1), sass.Imm(-8), sass.Register(sass.RZ))
	tests := []struct {
		want string
		body []sass.Item
		call func(*Contract)
	}{
		{"R16 is not preserved", []sass.Item{code("MOV", sass.Register(16), sass.Register(sass.RZ)), back}, nil},
		{"the stack pointer is 0xd8 at the return, was 0xe0", []sass.Item{sub, back}, nil},
		{"R20 does not hold the return address", []sass.Item{code("MOV", sass.Register(20), sass.Register(sass.RZ)), back}, nil},
		{"is not in R20:R21", []sass.Item{code("MOV", sass.Register(21), sass.Register(sass.RZ)), back}, nil},
		{"control runs over the end", []sass.Item{code("MOV", sass.Register(5), sass.Register(4))}, nil},
		{"are not the function's", []sass.Item{code("STL", sass.Mem(1, 4), sass.Register(4)), back}, nil},
		{"are not the function's", []sass.Item{code("STL", sass.Mem(1, -4), sass.Register(4)), back}, nil},
		{"is not a multiple of 64", []sass.Item{back}, func(c *Contract) { c.Align = 64 }},
		{"no room for the 40 bytes", []sass.Item{back}, func(c *Contract) { c.Stack = 40 }},
		{"address of the result in R7 is undefined", []sass.Item{back}, func(c *Contract) { c.SretSize, c.Sret = 8, 7 }},
		{"memory for the result", []sass.Item{back}, func(c *Contract) { c.SretSize, c.Sret = 8, 2 }},
		{"overlaps the stack parameters", []sass.Item{back}, func(c *Contract) { c.SretSize, c.Sret = 8, 1 }},
		{"no such contract", []sass.Item{back}, func(c *Contract) { c.Stack = -1 }},
	}
	for _, tt := range tests {
		conf := callConfig(false)
		normal := conf.Callee
		conf.Callee = func(name string) (Contract, error) {
			c, err := normal(name)
			if tt.call != nil {
				tt.call(&c)
			}
			if c.Stack < 0 {
				err = errors.New("no such contract")
			}
			return c, err
		}
		m, err := New(program(conf, tt.body...), conf)
		require.NoError(t, err)
		assert.ErrorContains(t, m.Run("k"), tt.want)
	}
}

// TestIndirectCalls checks calls through registers and what goes wrong with
// their return addresses.
func TestIndirectCalls(t *testing.T) {
	address := func(m *Machine, text string) (string, error) {
		if text == "start" {
			return start(m, text)
		}
		lo, hi, ok := m.FuncAddr("f")
		if !ok {
			return "", errors.New("no f")
		}
		m.regs[6], m.regs[7] = lo, hi
		return "", nil
	}
	replace := func(p *sass.Program, op string, items ...sass.Item) {
		k := p.Funcs[0]
		for i := range k.Items {
			if k.Items[i].Instr.Op == op {
				k.Items = append(append(append([]sass.Item(nil), k.Items[:i]...), items...), k.Items[i+1:]...)
				return
			}
		}
	}
	label := sass.Item{Kind: sass.Label, Text: ".L_after"}
	run := func(old bool, items ...sass.Item) error {
		conf := callConfig(old)
		conf.Text = address
		ret, op := code("RET.ABS.NODEC", sass.Register(20), sass.Imm(0)), "CALL.ABS.NOINC"
		if old {
			ret, op = code("RET"), "JCAL"
		}
		p := program(conf, ret)
		replace(p, op, append([]sass.Item{textItem("address")}, items...)...)
		m, err := New(p, conf)
		require.NoError(t, err)
		return m.Run("k")
	}
	assert.NoError(t, run(false, code("CALL.ABS.NOINC", sass.Register(6))))
	assert.NoError(t, run(false, code("CALL.ABS.NOINC", sass.Register(6), sass.Symbol("__UFT_OFFSET"))))
	assert.NoError(t, run(true, code("PRET", sass.Symbol(".L_after")), code("JMX", sass.Register(6)), label))
	assert.ErrorContains(t, run(true, code("JMX", sass.Register(6)), label), "0 return addresses are pushed, want 1")
	assert.ErrorContains(t, run(true, label, code("PRET", sass.Symbol(".L_after")), code("JMX", sass.Register(6))), "the return address is")
	assert.ErrorContains(t, run(false, code("MOV", sass.Register(7), sass.Imm(1)), code("CALL.ABS.NOINC", sass.Register(6))), "the high word of the address of f")
	assert.ErrorContains(t, run(false, code("IADD", sass.Register(6), sass.Register(6), sass.Imm(1)), code("CALL.ABS.NOINC", sass.Register(6))), "no function begins at")
}
