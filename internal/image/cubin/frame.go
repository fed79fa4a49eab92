package cubin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// A CIE is the common part of the functions of an unwind table.
type CIE struct {
	Offset    uint64 // in the file
	Version   uint8
	CodeAlign uint64 // bytes; factor of advance_loc
	DataAlign int64  // bytes; factor of the offsets of saved registers
	Return    Reg    // the column of the return address
	Rules     []CFA  // at the entry of a function

	// Funcs are the functions that belong here. All assemblers from 11.8 on
	// are seen to compute FDE.CIE from sizes that are not those written: once
	// a function's table is shorter than usual, all that follow are recorded to
	// belong to places where no CIE begins. They are given to the CIE before
	// them, as cuobjdump does too.
	Funcs []FDE
}

// An FDE is the unwind table of one function.
type FDE struct {
	Offset   uint64 // in the file
	Function string // of the relocation; empty where there is none
	CIE      uint64 // where its CIE begins in the section; see CIE.Funcs
	Start    uint64 // address, 0 in an object
	Size     uint64 // bytes of code
	Ops      []CFA
}

// A CFA is an instruction of an unwind table, with its factors applied.
type CFA struct {
	Op   Op
	Reg  Reg
	Reg2 Reg    // of register
	Off  int64  // bytes: of advance_loc forward, of set_loc the address, otherwise an offset
	Expr []byte // of the expressions
}

// A Reg is a DWARF register number: bits 24 … 31 are its class, of which 0x05
// are the general registers, the bits below its number. [NoReg] stands for
// none.
type Reg uint64

// NoReg is the return address column of kernels and of sm_35 … sm_62.
const NoReg Reg = 0xffffffff

// An Op is an instruction of an unwind table. One that ops does not have ends the list: its operands cannot be
// separated from the next instruction.
type Op uint8

// The instructions that have a meaning here, with DWARF's numbers.
const (
	Nop          Op = 0x00
	Undefined    Op = 0x07
	SameValue    Op = 0x08
	DefCFA       Op = 0x0c
	DefCFAOffset Op = 0x0e

	highBits = 0xc0 // the others of such an instruction are an operand
)

// ops are the instructions' names and operands: a letter for each.
//
//	r, R   a register, and a second one       n   a register in the low bits of the instruction
//	o      an offset                          d   a distance in those
//	f, s   an offset that is factored, and    1, 2, 4   a distance of as many bytes
//	       a signed one                       a   an address
//	e      an expression
var ops = map[Op]struct{ name, operands string }{
	Nop:          {"nop", ""},
	0x01:         {"set_loc", "a"},
	0x02:         {"advance_loc1", "1"},
	0x03:         {"advance_loc2", "2"},
	0x04:         {"advance_loc4", "4"},
	0x05:         {"offset_extended", "rf"},
	0x06:         {"restore_extended", "r"},
	Undefined:    {"undefined", "r"},
	SameValue:    {"same_value", "r"},
	0x09:         {"register", "rR"},
	0x0a:         {"remember_state", ""},
	0x0b:         {"restore_state", ""},
	DefCFA:       {"def_cfa", "ro"},
	0x0d:         {"def_cfa_register", "r"},
	DefCFAOffset: {"def_cfa_offset", "o"},
	0x0f:         {"def_cfa_expression", "e"},
	0x10:         {"expression", "re"},
	0x11:         {"offset_extended_sf", "rs"},
	0x12:         {"def_cfa_sf", "rs"},
	0x13:         {"def_cfa_offset_sf", "s"},
	0x14:         {"val_offset", "rf"},
	0x15:         {"val_offset_sf", "rs"},
	0x16:         {"val_expression", "re"},
	0x40:         {"advance_loc", "d"},
	0x80:         {"offset", "nf"},
	0xc0:         {"restore", "n"},
}

func (o Op) String() string {
	if op, ok := ops[o]; ok {
		return op.name
	}
	return fmt.Sprintf("unknown instruction 0x%02x", uint8(o))
}

// String is an instruction as DWARF names it, without "DW_CFA_".
func (o CFA) String() string {
	kind, known := ops[o.Op]
	if !known {
		return fmt.Sprintf("%s, then % x", o.Op, o.Expr)
	}
	s := kind.name
	for _, operand := range kind.operands {
		switch operand {
		case 'r', 'n':
			s += " " + o.Reg.String()
		case 'R':
			s += " " + o.Reg2.String()
		case 'a':
			s += fmt.Sprintf(" 0x%x", uint64(o.Off))
		case 'e':
			s += fmt.Sprintf(" % x", o.Expr)
		default:
			s += fmt.Sprintf(" %d", o.Off)
		}
	}
	return s
}

// classes are the classes of registers, by bits 24 … 31 of their DWARF numbers,
// as nvdisasm and cuobjdump name them in the tables of -g.
var classes = map[Reg]string{0x01: "C", 0x02: "P", 0x05: "R", 0x09: "UP", 0x0b: "UR"}

// String is the register's name, "UR4", and its number where none is known.
func (r Reg) String() string {
	if r == NoReg {
		return "none"
	}
	if class, ok := classes[r>>24]; ok && r&0xffffff < 256 {
		return fmt.Sprintf("%s%d", class, r&0xffffff)
	}
	return fmt.Sprintf("register 0x%x", uint64(r))
}

// Frames reads .debug_frame, each entry with its functions: entries of a length, an identity and the rest, in
// DWARF's 32-bit or, as ptxas writes it, 64-bit form.
func (f *File) Frames() ([]CIE, error) {
	s := f.Section(".debug_frame")
	if s == nil {
		return nil, nil
	}
	fr := &frameReader{section: s, bits: f.img.bits, relocs: make(map[uint64]Reloc), common: make(map[uint64]int), functions: make(map[uint64]string)}
	for _, fn := range f.Functions { // of linked files
		if a := f.Sections[fn.Section].Address; a != 0 {
			fr.functions[a+fn.Offset] = fn.Name
		}
	}
	relocs, err := f.RelocsOf(func(o *Section) bool { return o == s })
	if err != nil {
		return nil, err
	}
	for _, rel := range relocs {
		if rel.Kind != 73 { // R_CUDA_UNUSED_CLEAR64 doubles another
			fr.relocs[rel.Offset] = rel
		}
	}
	for pos := uint64(0); pos < uint64(len(s.Data)); {
		next, err := fr.entry(pos)
		if err != nil {
			return nil, err
		}
		pos = next
	}
	return fr.out, nil
}

type frameReader struct {
	section   *Section
	bits      int
	relocs    map[uint64]Reloc  // by offset in the section
	functions map[uint64]string // by address
	common    map[uint64]int    // offset of a CIE in the section to its index in out
	out       []CIE
}

// entry reads what begins at pos and returns where the next one does.
func (fr *frameReader) entry(pos uint64) (uint64, error) {
	c := &cursor{section: fr.section, pos: pos, end: uint64(len(fr.section.Data))}
	wide, length := false, uint64(c.u32())
	if length == 0xffffffff {
		wide, length = true, c.u64()
	}
	if c.err == nil && length > c.end-c.pos {
		c.fail("the entry has %d bytes, and %d are left", length, c.end-c.pos)
	}
	if c.err != nil {
		return 0, c.err
	}
	c.end = c.pos + length
	idAt := c.pos
	id, isCommon := uint64(0), false
	if wide {
		id = c.u64()
		isCommon = id == 1<<64-1
	} else {
		id = uint64(c.u32())
		isCommon = id == 0xffffffff
	}
	if rel, ok := fr.relocs[idAt]; ok && !isCommon && rel.HasAddend {
		id = uint64(rel.Addend)
	}
	if isCommon {
		fr.cie(c, pos)
	} else if c.err == nil {
		fr.fde(c, pos, id)
	}
	return c.end, c.err
}

func (fr *frameReader) cie(c *cursor, pos uint64) {
	e := CIE{Offset: fr.section.Offset + pos, Version: c.u8()}
	if c.err == nil && e.Version != 3 {
		c.fail("the unwind table has version %d, 3 is known", e.Version)
	}
	if aug := c.text(); c.err == nil && aug != "" {
		c.fail("the unwind table has the augmentation %q, none is known", aug)
	}
	e.CodeAlign, e.DataAlign = c.uleb(), c.sleb()
	e.Return = Reg(c.uleb())
	e.Rules = c.ops(e.CodeAlign, e.DataAlign, fr.bits)
	if c.err != nil {
		return
	}
	fr.common[pos] = len(fr.out)
	fr.out = append(fr.out, e)
}

func (fr *frameReader) fde(c *cursor, pos, id uint64) {
	i, ok := fr.common[id]
	if !ok {
		i = len(fr.out) - 1
	}
	if i < 0 {
		c.fail("the entry of a function stands before any that functions have in common")
		return
	}
	e := FDE{Offset: fr.section.Offset + pos, CIE: id}
	rel, named := fr.relocs[c.pos]
	e.Start = c.address(fr.bits)
	if named {
		e.Function = rel.Name
		if rel.HasAddend {
			e.Start = uint64(rel.Addend) // 13.5 writes another number to its place
		}
	} else {
		e.Function = fr.functions[e.Start]
	}
	e.Size = c.address(fr.bits)
	e.Ops = c.ops(fr.out[i].CodeAlign, fr.out[i].DataAlign, fr.bits)
	fr.out[i].Funcs = append(fr.out[i].Funcs, e)
}

// A cursor reads a section. After the first failure it gives zeros.
type cursor struct {
	section  *Section
	pos, end uint64
	err      error
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = errorf(c.section.Offset+c.pos, "section "+c.section.Name, format, args...)
	}
}

func (c *cursor) bytes(n uint64) []byte {
	if c.err == nil && n > c.end-c.pos {
		c.fail("%d bytes are wanted here, and %d are left", n, c.end-c.pos)
	}
	if c.err != nil {
		return nil
	}
	c.pos += n
	return c.section.Data[c.pos-n : c.pos : c.pos]
}

func (c *cursor) uint(n uint64) uint64 {
	var b [8]byte
	copy(b[:], c.bytes(n))
	return binary.LittleEndian.Uint64(b[:])
}

func (c *cursor) u8() uint8               { return uint8(c.uint(1)) }
func (c *cursor) u32() uint32             { return uint32(c.uint(4)) }
func (c *cursor) u64() uint64             { return c.uint(8) }
func (c *cursor) address(bits int) uint64 { return c.uint(uint64(bits) / 8) }

func (c *cursor) text() string {
	if c.err != nil {
		return ""
	}
	n := bytes.IndexByte(c.section.Data[c.pos:c.end], 0)
	if n < 0 {
		c.fail("the text that begins here has no end")
		return ""
	}
	return string(c.bytes(uint64(n) + 1)[:n])
}

// leb reads a number of seven bits a byte, low ones first.
func (c *cursor) leb() (v uint64, bits uint, last byte) {
	v, n := binary.Uvarint(c.section.Data[c.pos:c.end])
	switch {
	case c.err != nil:
		return 0, 0, 0
	case n < 0:
		c.fail("the number has more than 64 bits")
		return 0, 0, 0
	case n == 0: // it ends too late
		c.pos = c.end
		n = 1
	}
	if b := c.bytes(uint64(n)); b != nil {
		last = b[n-1]
	}
	return v, 7 * uint(n), last
}

func (c *cursor) uleb() uint64 {
	v, _, _ := c.leb()
	return v
}

func (c *cursor) sleb() int64 {
	v, bits, last := c.leb()
	if last&0x40 != 0 && bits < 64 {
		v |= ^uint64(0) << bits
	}
	return int64(v)
}

// ops reads instructions up to the end of an entry. No-operations at its end
// fill it up and are left out.
func (c *cursor) ops(codeAlign uint64, dataAlign int64, bits int) []CFA {
	var list []CFA
	for c.err == nil && c.pos < c.end {
		b := c.u8()
		o := CFA{Op: Op(b)}
		if b&highBits != 0 {
			o.Op = Op(b & highBits)
		}
		kind, known := ops[o.Op]
		if !known {
			o.Expr = c.bytes(c.end - c.pos)
			return append(list, o)
		}
		for _, operand := range kind.operands {
			switch operand {
			case 'n':
				o.Reg = Reg(b &^ highBits)
			case 'r':
				o.Reg = Reg(c.uleb())
			case 'R':
				o.Reg2 = Reg(c.uleb())
			case 'd':
				o.Off = int64(uint64(b&^highBits) * codeAlign)
			case '1', '2', '4':
				o.Off = int64(c.uint(uint64(operand-'0')) * codeAlign)
			case 'a':
				o.Off = int64(c.address(bits))
			case 'o':
				o.Off = int64(c.uleb())
			case 'f':
				o.Off = int64(c.uleb()) * dataAlign
			case 's':
				o.Off = c.sleb() * dataAlign
			case 'e':
				o.Expr = c.bytes(c.uleb())
			}
		}
		list = append(list, o)
	}
	for len(list) > 0 && list[len(list)-1].Op == Nop {
		list = list[:len(list)-1]
	}
	return slices.Clip(list)
}
