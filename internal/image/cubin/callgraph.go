package cubin

import (
	"encoding/binary"
	"strings"
)

// A CallGraph is what the assembler and the linker record of calls, in the section
// .nv.callgraph: pairs of 32-bit words, in lists that a pair of zero and a negative
// number begins.
//
//	0, -1   caller, callee          calls by name
//	0, -2   function, prototype     functions whose address is taken
//	0, -3   caller, prototype       calls through pointers
//	0, -4   function, function      the first one takes the address of the second
//
// Functions are indices of symbols; prototypes are those of .nv.prototype, as places in
// the names of the symbol table. Measured with 11.8, which has no fourth list, to 13.5,
// and with their linkers, which add the calls through pointers that they found a
// callee for to the first list (11.8) or leave all as it is.
type CallGraph struct {
	Calls    []Edge // caller and callee
	Pointed  []Typed
	Indirect []Typed
}

// An Edge joins two functions, indices in File.Symbols.
type Edge struct{ From, To int }

// A Typed is a function, an index in File.Symbols, with the text of a prototype.
type Typed struct {
	Func      int
	Prototype string
}

// The lists of .nv.callgraph that are read.
const (
	listCalls    = -1
	listPointed  = -2
	listIndirect = -3
)

// CallGraph reads what is recorded of calls. It is nil, without an error, where the
// file has nothing of the kind: a cubin without functions.
func (f *File) CallGraph() (*CallGraph, error) {
	s := f.Section(".nv.callgraph")
	if s == nil {
		return nil, nil
	}
	const entry = 8
	where := "section " + s.Name
	if len(s.Data)%entry != 0 {
		return nil, errorf(s.Offset, where, "it has %d bytes, not a multiple of %d", len(s.Data), entry)
	}
	if s.Link >= uint32(len(f.Sections)) || f.Sections[s.Link].Link >= uint32(len(f.Sections)) {
		return nil, errorf(s.Offset, where, "its symbols are in section %d, which has no names", s.Link)
	}
	names := newStrings(&f.Sections[f.Sections[s.Link].Link])
	g := new(CallGraph)
	list := int32(0)
	for off := 0; off < len(s.Data); off += entry {
		a, b := binary.LittleEndian.Uint32(s.Data[off:]), binary.LittleEndian.Uint32(s.Data[off+4:])
		if a == 0 && int32(b) < 0 {
			list = int32(b)
			continue
		}
		if uint64(a) >= uint64(len(f.Symbols)) {
			return nil, errorf(s.Offset+uint64(off), where, "it names symbol %d, and there are %d", a, len(f.Symbols))
		}
		switch list {
		case listCalls:
			if uint64(b) >= uint64(len(f.Symbols)) {
				return nil, errorf(s.Offset+uint64(off)+4, where, "it names symbol %d, and there are %d", b, len(f.Symbols))
			}
			g.Calls = append(g.Calls, Edge{int(a), int(b)})
		case listPointed, listIndirect:
			text, err := names.at(uint64(b))
			if err != nil {
				return nil, err
			}
			t := Typed{int(a), text}
			if list == listPointed {
				g.Pointed = append(g.Pointed, t)
			} else {
				g.Indirect = append(g.Indirect, t)
			}
		}
	}
	return g, nil
}

// attrMaxRegCount is how many registers a kernel's launches leave it.
const attrMaxRegCount AttrID = 0x1b

// MaxRegs returns how many registers each function, by name, may have at most: what
// .maxnreg, the extents of its blocks or -maxrregcount leave. 255 stands for no limit
// on all architectures that have been measured. Functions of which nothing is
// recorded are not in it.
func (f *File) MaxRegs() map[string]int {
	limits := make(map[string]int)
	f.attrs(func(a Attr) {
		name, ok := strings.CutPrefix(a.Section, ".nv.info.")
		if ok && a.ID == attrMaxRegCount && a.Form == Half {
			limits[name] = int(a.Value)
		}
	})
	return limits
}

// Unbounded returns the functions, by name, whose stack the assembler or the linker
// recorded to have no bound: they come to themselves again, or
// take what they compute (alloca).
func (f *File) Unbounded() map[string]bool {
	all := make(map[string]bool)
	f.attrs(func(a Attr) {
		if a.Section == ".nv.info" && a.ID == attrMinStackSize && le.Uint32(a.Data[4:]) == 0xffffffff {
			all[f.Symbols[le.Uint32(a.Data)].Name] = true
		}
	})
	return all
}
