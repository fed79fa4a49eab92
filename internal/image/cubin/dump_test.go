package cubin

import (
	"cmp"
	"debug/elf"
	"fmt"
	"strings"
)

// String is the whole file in words: its target, its functions with their
// records, relocations, constant banks, records, unwind tables and
// sections. Offsets in sections and files are hexadecimal, sizes decimal.
func (f *File) String() string {
	p := &printer{f: f}
	p.head()
	for i := range f.Functions {
		p.function(&f.Functions[i])
	}
	p.relocs()
	p.banks()
	p.records()
	p.frames()
	p.symbols()
	p.sections()
	return p.b.String()
}

type printer struct {
	f *File
	b strings.Builder
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *printer) head() {
	f := p.f
	what := "object"
	if f.Linked {
		what = "linked"
	}
	p.line("cubin %s, %d-bit, toolkit %v, %s", cmp.Or(f.Arch, "unknown"), f.AddressSize, f.Toolkit, what)
	p.line("  .target %s, ABI version %d, flags 0x%x", cmp.Or(f.Virtual, "unknown"), f.ABIVersion, f.Flags)
	for _, t := range f.Tools {
		p.line("  written by %s %s (%s)", t.Name, t.Args, t.Release)
	}
}

func binding(b elf.SymBind) string {
	switch b {
	case elf.STB_LOCAL:
		return "local"
	case elf.STB_GLOBAL:
		return "global"
	case elf.STB_WEAK:
		return "weak"
	}
	return fmt.Sprintf("binding %d", uint8(b))
}

func count(n int) string {
	if n < 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func (p *printer) function(fn *Function) {
	kind := "func"
	if fn.Kernel {
		kind = "kernel"
	}
	p.line("")
	p.line("%s %s, %s, %d bytes at 0x%x of %s", kind, fn.Name, binding(fn.Binding), fn.Size, fn.Offset, p.f.Sections[fn.Section].Name)
	p.line("  registers %s, frame %s, min stack %s, max stack %s", count(fn.Regs), count(fn.FrameSize), count(fn.MinStack), count(fn.MaxStack))
	if fn.ParamBase >= 0 {
		p.line("  parameters at c[0x%x][0x%x], %d bytes", fn.ParamBank, fn.ParamBase, fn.ParamSize)
	}
	for _, q := range fn.Params {
		if q.Offset < 0 {
			p.line("    %d: %v, no place", q.Ordinal, q.PointeeSpace)
			continue
		}
		to := ""
		if q.PointeeSpace != 0 || q.PointeeAlign != 1 {
			to = fmt.Sprintf(", to %v align %d", q.PointeeSpace, q.PointeeAlign)
		}
		if q.V2 {
			to += ", V2"
		}
		p.line("    %d: offset %d, size %d%s", q.Ordinal, q.Offset, q.Size, to)
	}
}

func (p *printer) relocs() {
	section := ""
	for _, r := range p.f.AllRelocs() {
		if r.Section != section {
			section = r.Section
			p.line("")
			p.line("relocations of %s", section)
		}
		p.line("  %v", r)
	}
}

// String is the relocation in one line, without its section.
func (r Reloc) String() string {
	s := fmt.Sprintf("0x%x %v %s", r.Offset, r.Kind, r.Name)
	if r.HasAddend {
		s += fmt.Sprintf(" + 0x%x", r.Addend)
	}
	return s
}

func (p *printer) banks() {
	first := true
	for _, s := range p.f.Sections {
		if _, ok := bankOf(s.Name); !ok {
			continue
		}
		if first {
			first = false
			p.line("")
			p.line("constant banks")
		}
		p.line("  %s, %d bytes, %d not zero", s.Name, s.Size, notZero(s.Data))
	}
}

func notZero(b []byte) int {
	n := 0
	for _, x := range b {
		if x != 0 {
			n++
		}
	}
	return n
}

func (p *printer) records() {
	section := ""
	for i, list := range [][]Attr{p.f.Attrs(), p.f.Compat()} {
		for _, a := range list {
			if a.Section != section {
				section = a.Section
				p.line("")
				p.line("records of %s", section)
			}
			name := a.ID.String()
			if i == 1 {
				name = a.CompatName()
			}
			p.line("  %s %s", name, a.value())
		}
	}
}

// value is a record's form and value.
func (a Attr) value() string {
	switch a.Form {
	case NoValue:
		return a.Form.String()
	case Sized:
		return fmt.Sprintf("%v % x", a.Form, a.Data)
	}
	return fmt.Sprintf("%v 0x%x", a.Form, a.Value)
}

func (p *printer) frames() {
	frames, err := p.f.Frames()
	if err != nil {
		p.line("unwind table: %v", err)
	}
	for i := range frames {
		e := &frames[i]
		p.line("")
		p.line("unwind table, code align %d, data align %d, return address %v", e.CodeAlign, e.DataAlign, e.Return)
		p.cfa(e.Rules)
		for _, d := range e.Funcs {
			p.line("  function %s at 0x%x, %d bytes, of the entry at 0x%x", d.Function, d.Start, d.Size, d.CIE)
			p.cfa(d.Ops)
		}
	}
}

// cfa prints instructions, those with the same operation and consecutive
// registers of a class in one line.
func (p *printer) cfa(list []CFA) {
	for i := 0; i < len(list); {
		n := run(list[i:])
		if n > 1 {
			p.line("    %v %v … %v", list[i].Op, list[i].Reg, list[i+n-1].Reg)
		} else {
			p.line("    %v", list[i])
		}
		i += n
	}
}

// run is how many instructions at the list's beginning do the same to
// consecutive registers.
func run(list []CFA) int {
	n := 1
	if op := list[0].Op; op != Undefined && op != SameValue {
		return n
	}
	for n < len(list) && list[n].Op == list[0].Op && list[n].Reg == list[0].Reg+Reg(n) {
		n++
	}
	return n
}

func (p *printer) symbols() {
	p.line("")
	p.line("symbols")
	for i, s := range p.f.Symbols {
		if i == 0 {
			continue
		}
		p.line("  %d: %s, %s, type %d, other 0x%x, section %d, value 0x%x, size %d",
			i, s.Name, binding(s.Binding), uint8(s.Type), s.Other, s.Section, s.Value, s.Size)
	}
}

func (p *printer) sections() {
	p.line("")
	p.line("sections")
	for i, s := range p.f.Sections {
		if i == 0 {
			continue
		}
		p.line("  %d: %s, type 0x%x, flags 0x%x, %d bytes, align %d, link %d, info 0x%x",
			i, s.Name, s.Type, s.Flags, s.Size, s.Align, s.Link, s.Info)
	}
}

// Attrs are the records of .nv.info and .nv.info.NAME.
func (f *File) Attrs() (all []Attr) {
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Type == shtInfo {
			all = append(all, recordsOf(s)...)
		}
	}
	return all
}

// recordsOf are the records of a section, as far as they can be read.
func recordsOf(s *Section) (all []Attr) {
	_ = records(s, func(a Attr) error {
		all = append(all, a)
		return nil
	})
	return all
}

// Compat are the records of .nv.compat.
func (f *File) Compat() []Attr {
	if s := f.Section(".nv.compat"); s != nil {
		return recordsOf(s)
	}
	return nil
}

// AllRelocs are the relocations of all sections, none if one cannot be read.
func (f *File) AllRelocs() []Reloc {
	all, _ := f.RelocsOf(func(*Section) bool { return true })
	return all
}

// CompatName is the name of a record of .nv.compat, whose numbers have a meaning
// of their own.
func (a Attr) CompatName() string {
	return nameOf("compat", uint64(a.ID), "attribute 0x%02x")
}
