package cubin

import (
	"bytes"
	"fmt"
	"strings"
)

// target reads what the code is for, and who wrote it.
func (r *reader) target() error {
	flags := r.Flags
	switch os := r.img.osabi; {
	case r.ABIVersion == 7 && os == osabi7:
		r.Toolkit = version(r.img.version)
		r.Arch = arch(flags&0xff, flags&0x800 != 0)
		r.Virtual = arch(flags>>16&0xff, false)
		switch is64 := flags&0x400 != 0; {
		case !is64: // .address_size 32, in a file of either class: ptxas without -m32 writes one of 64 bits
			r.AddressSize = 32
		case r.img.bits == 32:
			return errorf(0, header, "e_flags 0x%x says addresses of 64 bits, in a file of class 32", flags)
		}
	case r.ABIVersion == 8 && os == osabi8:
		accelerated, err := r.accelerated()
		if err != nil {
			return err
		}
		r.Arch = arch(flags>>8&0xff, flags&0x8 != 0 || accelerated)
		return r.notes()
	default:
		return errorf(7, header, "EI_OSABI 0x%02x with EI_ABIVERSION %d is unknown; 0x33 with 7 and 0x41 with 8 are known", os, r.ABIVersion)
	}
	return nil
}

func arch(n uint32, accelerated bool) string {
	switch {
	case n == 0:
		return ""
	case accelerated:
		return fmt.Sprintf("sm_%da", n)
	}
	return fmt.Sprintf("sm_%d", n)
}

// accelerated reports whether .nv.compat says that the code is for the variant
// "a" of its architecture.
func (r *reader) accelerated() (is bool, err error) {
	s := r.Section(".nv.compat")
	if s == nil {
		return false, nil
	}
	if err := r.spend(s); err != nil {
		return false, err
	}
	return is, records(s, func(a Attr) error {
		is = is || a.ID == compatTarget && a.Form == Byte && a.Value == 1
		return nil
	})
}

// Types of notes of the owner "NVIDIA Corp".
const (
	noteInfo = 1000 // .note.nv.cuinfo, .note.nv.cuver
	noteTool = 2000 // .note.nv.tkinfo
)

// notes reads the notes on the toolkit.
//
//	u32 length of owner  u32 length of the rest  u32 type  "NVIDIA Corp\0"  the rest
//
// Information, version 1 (12.8, 12.9): u16 1, u16 architecture of .target, …
// version 2 (13.x): u16 2, u16 architecture of .target, u32 toolkit (130).
func (r *reader) notes() error {
	for i := range r.Sections {
		s := &r.Sections[i]
		if !strings.HasPrefix(s.Name, ".note.nv.") {
			continue
		}
		if err := r.spend(s); err != nil {
			return err
		}
		c := &cursor{section: s, end: uint64(len(s.Data))}
		for c.err == nil && c.pos < c.end {
			r.note(c)
		}
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

func (r *reader) note(c *cursor) {
	owner, size, kind := uint64(c.u32()), uint64(c.u32()), c.u32()
	name := c.bytes(owner)
	c.bytes(-owner & 3)
	start := c.pos
	rest := c.bytes(size)
	if end := c.end - c.pos; end > 0 {
		c.bytes(min(-size&3, end))
	}
	if c.err != nil || !bytes.Equal(name, []byte("NVIDIA Corp\x00")) {
		return
	}
	switch kind {
	case noteInfo:
		if len(rest) < 8 {
			c.pos = start
			c.fail("the note has %d bytes here, and 8 are wanted", len(rest))
			return
		}
		r.Virtual = arch(uint32(le.Uint16(rest[2:])), false)
		if le.Uint16(rest) == 2 {
			r.Toolkit = version(le.Uint32(rest[4:]))
		}
	case noteTool:
		r.tool(&cursor{section: c.section, pos: start, end: start + size}, c)
	}
}

// tool reads the note on a program: six words, the last four of them offsets
// of its name, version, branch and arguments in the strings that follow. The
// first word is the toolkit (128) in the notes of 12.8 and 12.9.
func (r *reader) tool(c, notes *cursor) {
	words := [6]uint32{}
	for i := range words {
		words[i] = c.u32()
	}
	var texts [4]string
	for i := range texts {
		t := &cursor{section: c.section, pos: c.pos, end: c.end, err: c.err}
		t.bytes(uint64(words[2+i]))
		texts[i] = t.text()
		if t.err != nil {
			notes.err = t.err
			return
		}
	}
	tool := Tool{Name: texts[0], Release: texts[1], Args: strings.TrimSpace(texts[3])}
	r.Tools = append(r.Tools, tool)
	if r.Toolkit == (Version{}) {
		r.Toolkit = released(tool.Release)
	}
}

// released is the version in "Cuda compilation tools, release 12.8, V12.8.93".
func released(text string) Version {
	_, rest, _ := strings.Cut(text, "release ")
	var v Version
	if n, _ := fmt.Sscanf(rest, "%d.%d,", &v.Major, &v.Minor); n < 2 {
		return Version{}
	}
	return v
}
