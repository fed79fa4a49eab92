package cubin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// A CIE is what the functions of an unwind table have in common.
type CIE struct {
	Offset    uint64 // in the file
	Version   uint8
	CodeAlign uint64 // bytes; factor of Advance
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
	Reg2 Reg    // of Register
	Off  int64  // bytes: of Advance forward, of SetLoc the address, otherwise an offset
	Expr []byte // of the expressions
}

// A Reg is a DWARF register number: bits 24 … 31 are its class, of which 0x05
// are the general registers, the bits below its number. [NoReg] stands for
// none.
type Reg uint64

// NoReg is the return address column of kernels and of sm_35 … sm_62.
const NoReg Reg = 0xffffffff

// An Op is an instruction of an unwind table. What is not among the constants
// ends the list: its operands cannot be told from what follows.
type Op uint8

// The instructions, with DWARF's numbers.
const (
	Nop               Op = 0x00
	SetLoc            Op = 0x01
	Advance1          Op = 0x02
	Advance2          Op = 0x03
	Advance4          Op = 0x04
	OffsetExtended    Op = 0x05
	RestoreExtended   Op = 0x06
	Undefined         Op = 0x07
	SameValue         Op = 0x08
	Register          Op = 0x09
	RememberState     Op = 0x0a
	RestoreState      Op = 0x0b
	DefCFA            Op = 0x0c
	DefCFARegister    Op = 0x0d
	DefCFAOffset      Op = 0x0e
	DefCFAExpression  Op = 0x0f
	Expression        Op = 0x10
	OffsetExtendedSF  Op = 0x11
	DefCFASF          Op = 0x12
	DefCFAOffsetSF    Op = 0x13
	ValOffset         Op = 0x14
	ValOffsetSF       Op = 0x15
	ValExpression     Op = 0x16
	Advance           Op = 0x40
	OffsetRule        Op = 0x80
	Restore           Op = 0xc0
	highBits             = 0xc0
	operandReg           = 1 << 0 // kinds of operands, in this order
	operandReg2          = 1 << 1
	operandOffset        = 1 << 2
	operandFactored      = 1 << 3
	operandSigned        = 1 << 4 // factored
	operandExpression    = 1 << 5
)

// ops are the instructions' names and operands.
var ops = map[Op]struct {
	name     string
	operands int
}{
	Nop:              {"nop", 0},
	SetLoc:           {"set_loc", 0},
	Advance1:         {"advance_loc1", 0},
	Advance2:         {"advance_loc2", 0},
	Advance4:         {"advance_loc4", 0},
	OffsetExtended:   {"offset_extended", operandReg | operandFactored},
	RestoreExtended:  {"restore_extended", operandReg},
	Undefined:        {"undefined", operandReg},
	SameValue:        {"same_value", operandReg},
	Register:         {"register", operandReg | operandReg2},
	RememberState:    {"remember_state", 0},
	RestoreState:     {"restore_state", 0},
	DefCFA:           {"def_cfa", operandReg | operandOffset},
	DefCFARegister:   {"def_cfa_register", operandReg},
	DefCFAOffset:     {"def_cfa_offset", operandOffset},
	DefCFAExpression: {"def_cfa_expression", operandExpression},
	Expression:       {"expression", operandReg | operandExpression},
	OffsetExtendedSF: {"offset_extended_sf", operandReg | operandSigned},
	DefCFASF:         {"def_cfa_sf", operandReg | operandSigned},
	DefCFAOffsetSF:   {"def_cfa_offset_sf", operandSigned},
	ValOffset:        {"val_offset", operandReg | operandFactored},
	ValOffsetSF:      {"val_offset_sf", operandReg | operandSigned},
	ValExpression:    {"val_expression", operandReg | operandExpression},
	Advance:          {"advance_loc", 0},
	OffsetRule:       {"offset", operandFactored},
	Restore:          {"restore", 0},
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
	s := o.Op.String()
	switch {
	case !known:
		return fmt.Sprintf("%s, then % x", s, o.Expr)
	case o.Op == SetLoc:
		return fmt.Sprintf("%s 0x%x", s, uint64(o.Off))
	case o.Op == Advance || o.Op == Advance1 || o.Op == Advance2 || o.Op == Advance4:
		return fmt.Sprintf("%s %d", s, o.Off)
	case o.Op == OffsetRule:
		return fmt.Sprintf("%s %v %d", s, o.Reg, o.Off)
	case o.Op == Restore:
		return fmt.Sprintf("%s %v", s, o.Reg)
	}
	if kind.operands&operandReg != 0 {
		s += " " + o.Reg.String()
	}
	if kind.operands&operandReg2 != 0 {
		s += " " + o.Reg2.String()
	}
	if kind.operands&(operandOffset|operandFactored|operandSigned) != 0 {
		s += fmt.Sprintf(" %d", o.Off)
	}
	if kind.operands&operandExpression != 0 {
		s += fmt.Sprintf(" % x", o.Expr)
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
	fr := &frameReader{section: s, bits: f.img.bits, relocs: make(map[uint64]Reloc), common: make(map[uint64]int), functions: f.at()}
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

// at gives the names of functions by address, for linked files.
func (f *File) at() map[uint64]string {
	names := make(map[uint64]string)
	for _, fn := range f.Functions {
		if a := f.Sections[fn.Section].Address; a != 0 {
			names[a+fn.Offset] = fn.Name
		}
	}
	return names
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
	for {
		b := c.u8()
		if c.err != nil {
			return 0, 0, 0
		}
		if bits > 63 || bits == 63 && b&0x7e != 0 && b != 0x7f {
			c.fail("the number has more than 64 bits")
			return 0, 0, 0
		}
		v |= uint64(b&0x7f) << bits
		bits += 7
		if b&0x80 == 0 {
			return v, bits, b
		}
	}
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
		if h := b & highBits; h != 0 {
			o.Op = Op(h)
			if o.Op == Advance {
				o.Off = int64(uint64(b&^highBits) * codeAlign)
			} else {
				o.Reg = Reg(b &^ highBits)
			}
		}
		kind, known := ops[o.Op]
		if !known {
			o.Expr = c.bytes(c.end - c.pos)
			return append(list, o)
		}
		switch o.Op {
		case SetLoc:
			o.Off = int64(c.address(bits))
		case Advance1, Advance2, Advance4:
			o.Off = int64(c.uint(1<<(o.Op-Advance1)) * codeAlign)
		}
		c.operands(&o, kind.operands, dataAlign)
		list = append(list, o)
	}
	for len(list) > 0 && list[len(list)-1].Op == Nop {
		list = list[:len(list)-1]
	}
	return slices.Clip(list)
}

func (c *cursor) operands(o *CFA, kinds int, dataAlign int64) {
	if kinds&operandReg != 0 {
		o.Reg = Reg(c.uleb())
	}
	if kinds&operandReg2 != 0 {
		o.Reg2 = Reg(c.uleb())
	}
	switch {
	case kinds&operandOffset != 0:
		o.Off = int64(c.uleb())
	case kinds&operandFactored != 0:
		o.Off = int64(c.uleb()) * dataAlign
	case kinds&operandSigned != 0:
		o.Off = c.sleb() * dataAlign
	case kinds&operandExpression != 0:
		o.Expr = c.bytes(c.uleb())
	}
}
