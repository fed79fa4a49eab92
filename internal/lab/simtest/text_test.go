package simtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/sim"
)

// An environment is what the instructions that pass through lowering unchanged
// work on: once in the PTX itself and once in what it was lowered to.
//
// The class of a register is in its name: %rb of 8 bits, %rs 16, %r 32, %rd
// 64, %rq 128; %p is a predicate; %v2rs and the like are vectors.
type environment interface {
	get(reg string, size int) []sim.Byte
	set(reg string, bytes []sim.Byte)
	truth(pred string) sim.Truth
	setTruth(pred string, t sim.Truth)
	load(addr uint32, n int) ([]sim.Byte, error)
	store(addr uint32, bytes []sim.Byte) error
	symbol(name string) ([]sim.Byte, error)
	log() *simLog
}

// A simLog hands out injected values and takes observed ones.
type simLog struct {
	pointer  int // size of an address in a register, in bytes
	injected uint32
	seed     uint32
	seen     map[string]uint32 // how often each place was loaded
	observe  func(addr int64, bytes []sim.Byte) error
}

// mix makes bits that look random out of two numbers.
func mix(a, b uint32) uint32 {
	v := a*0x9e3779b1 ^ (b+0x7f4a7c15)*0x85ebca6b
	v ^= v >> 15
	v *= 0x2c1b3c6d
	v ^= v >> 12
	v *= 0x297a2d39
	return v ^ v>>15
}

// place is a number for the next load of an offset of an array: what it finds does not depend on the
// loads of other places, whose order assemblers change.
func (l *simLog) place(array string, off int64) uint32 {
	if l.seen == nil {
		l.seen = make(map[string]uint32)
	}
	key := fmt.Sprint(array, off)
	l.seen[key]++
	l.injected++
	return l.seed ^ uint32(off)<<8 ^ l.seen[key]
}

// inject returns n bytes that came from nowhere else.
func (l *simLog) inject(array string, off int64, n int) []sim.Byte {
	from := l.place(array, off)
	out := make([]sim.Byte, n)
	for i := range out {
		out[i] = sim.Byte{Val: uint8(mix(from, uint32(i))), From: sim.Origin{Kind: sim.Input, Byte: uint8(i), ID: l.injected}}
	}
	return out
}

func plain(v uint64, n int) []sim.Byte {
	out := make([]sim.Byte, n)
	for i := range out {
		out[i] = sim.Byte{From: sim.Origin{Kind: sim.Plain}}
		if i < 8 {
			out[i].Val = uint8(v >> (8 * i))
		}
	}
	return out
}

func address(v uint32, n int) []sim.Byte {
	out := plain(uint64(v), n)
	for i := range min(n, 4) {
		out[i].From.Kind = sim.Address
	}
	return out
}

// number returns the value of bytes that are all defined.
func number(bytes []sim.Byte) (uint64, bool) {
	var v uint64
	ok := true
	for i, b := range bytes {
		ok = ok && b.From.Kind != sim.Undefined
		if i < 8 {
			v |= uint64(b.Val) << (8 * i)
		}
	}
	return v, ok
}

// regSize returns the size of a register by its name, 0 for a predicate, of an
// element for a vector.
func regSize(name string) int {
	s := strings.TrimPrefix(name, "%")
	if strings.HasPrefix(s, "v") && len(s) > 2 {
		s = s[2:]
	}
	switch {
	case strings.HasPrefix(s, "rb"):
		return 1
	case strings.HasPrefix(s, "rs"):
		return 2
	case strings.HasPrefix(s, "rd"):
		return 8
	case strings.HasPrefix(s, "rq"):
		return 16
	case strings.HasPrefix(s, "r"):
		return 4
	}
	return 0
}

// vecElems returns the registers of a vector register that is named whole.
func vecElems(name string) []string {
	if !strings.HasPrefix(name, "%v") || strings.Contains(name, ".") {
		return nil
	}
	out := make([]string, name[2]-'0')
	for i := range out {
		out[i] = name + "." + "xyzw"[i:i+1]
	}
	return out
}

// A textInstr is a parsed instruction.
type textInstr struct {
	guard string
	neg   bool
	op    []string // parts of the opcode
	args  [][]string
	addr  string // base of the memory operand
	off   int64
	size  int // of an element
}

func parseText(text string) *textInstr {
	in := &textInstr{}
	rest := strings.TrimSuffix(strings.TrimSpace(text), ";")
	if strings.HasPrefix(rest, "@") {
		in.guard, rest, _ = strings.Cut(rest[1:], " ")
		in.guard, in.neg = strings.TrimPrefix(in.guard, "!"), strings.HasPrefix(in.guard, "!")
	}
	op, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	in.op = strings.Split(op, ".")
	for _, part := range in.op[1:] {
		if n, err := strconv.Atoi(strings.TrimLeft(part, "busf")); err == nil && part[0] != 'v' {
			in.size = n / 8
		}
	}
	for rest = strings.ReplaceAll(rest, " ", ""); rest != ""; {
		var arg string
		switch rest[0] {
		case '{':
			arg, rest, _ = strings.Cut(rest[1:], "}")
			in.args = append(in.args, strings.Split(arg, ","))
			rest = strings.TrimPrefix(rest, ",")
		case '[':
			arg, rest, _ = strings.Cut(rest[1:], "]")
			rest = strings.TrimPrefix(rest, ",")
			base, off, _ := strings.Cut(arg, "+")
			in.addr = base
			in.off, _ = strconv.ParseInt(off, 0, 64)
		default:
			arg, rest, _ = strings.Cut(rest, ",")
			in.args = append(in.args, []string{arg})
		}
	}
	return in
}

// operand returns a source operand: a register, a group or a number.
func operand(env environment, list []string, size int) ([]sim.Byte, error) {
	var out []sim.Byte
	for _, name := range list {
		if _, homed := physical(name); homed || name[0] == '%' {
			n := size / len(list)
			if !homed && n > regSize(name) {
				return nil, fmt.Errorf("%s has not %d bytes", name, n)
			}
			out = append(out, env.get(name, n)...)
			continue
		}
		v, err := strconv.ParseInt(name, 0, 64)
		if err != nil {
			b, err := env.symbol(name)
			if err != nil {
				return nil, err
			}
			return b[:size], nil
		}
		out = append(out, plain(uint64(v), size/len(list))...)
	}
	return out, nil
}

// runText executes an instruction and returns the label that it branches to.
func runText(env environment, cache map[string]*textInstr, text string) (string, error) {
	in := cache[text]
	if in == nil {
		in = parseText(text)
		cache[text] = in
	}
	if in.guard != "" {
		t := env.truth(in.guard)
		if !t.Defined {
			return "", fmt.Errorf("the guard %s is undefined", in.guard)
		}
		if t.Val == in.neg {
			return "", nil
		}
	}
	switch in.op[0] {
	case "bra":
		return in.args[0][0], nil
	case "ld", "st":
		return "", textMemory(env, in)
	case "mov":
		return "", textMove(env, in)
	case "setp":
		x, err := operand(env, in.args[1], 4)
		if err != nil {
			return "", err
		}
		y, err := operand(env, in.args[2], 4)
		if err != nil {
			return "", err
		}
		v, okV := number(x)
		w, okW := number(y)
		env.setTruth(in.args[0][0], sim.Truth{Val: (v == w) == (in.op[1] == "eq"), Defined: okV && okW})
		return "", nil
	case "selp":
		t := env.truth(in.args[3][0])
		i := 2
		if t.Val {
			i = 1
		}
		b, err := operand(env, in.args[i], 4)
		if !t.Defined {
			b = make([]sim.Byte, 4)
		}
		env.set(in.args[0][0], b)
		return "", err
	case "add":
		x, okX := number(env.get(in.args[1][0], 4))
		y, err := strconv.ParseInt(in.args[2][0], 0, 64)
		if !okX || err != nil {
			return "", fmt.Errorf("the sum is undefined: %v", err)
		}
		env.set(in.args[0][0], plain(uint64(uint32(int64(x)+y)), 4))
		return "", nil
	}
	return "", fmt.Errorf("no meaning is known for %q", text)
}

// textMove is mov between registers, groups, constants and symbols.
func textMove(env environment, in *textInstr) error {
	b, err := operand(env, in.args[1], in.size)
	if err != nil {
		return err
	}
	n := in.size / len(in.args[0])
	for i, name := range in.args[0] {
		env.set(name, b[n*i:n*(i+1)])
	}
	return nil
}

// textMemory is an access to the volatile arrays in, cond and out, or to local
// memory through a register.
func textMemory(env environment, in *textInstr) error {
	regs := in.args[0]
	if in.op[0] == "st" {
		b, err := operand(env, regs, in.size*len(regs))
		if err != nil {
			return err
		}
		if in.op[1] == "local" {
			addr, err := textAddress(env, in)
			if err != nil {
				return err
			}
			return env.store(addr, b)
		}
		return env.log().observe(in.off, b)
	}
	var b []sim.Byte
	switch {
	case in.op[1] == "local":
		addr, err := textAddress(env, in)
		if err != nil {
			return err
		}
		if b, err = env.load(addr, in.size*len(regs)); err != nil {
			return err
		}
	case in.addr == "cond":
		b = plain(uint64(mix(env.log().place("cond", in.off), 77)&1), 4)
	default:
		b = env.log().inject(in.addr, in.off, in.size*len(regs))
	}
	for i, name := range regs {
		if _, homed := physical(name); !homed && in.size != regSize(name) {
			return fmt.Errorf("%d bytes loaded into %s", in.size, name)
		}
		env.set(name, b[in.size*i:in.size*(i+1)])
	}
	return nil
}

func textAddress(env environment, in *textInstr) (uint32, error) {
	v, ok := number(env.get(in.addr, env.log().pointer))
	if !ok || v>>32 != 0 {
		return 0, fmt.Errorf("the address in %s is %#x, defined: %t", in.addr, v, ok)
	}
	return uint32(v) + uint32(in.off), nil
}
