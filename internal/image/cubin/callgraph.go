package cubin

// A CallGraph is the record of calls by the assembler and the linker, in the section
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
	g := new(CallGraph)
	list := int32(0)
	symbol := func(n uint32, off uint64) error {
		if uint64(n) >= uint64(len(f.Symbols)) {
			return errorf(off, "section "+s.Name, "it names symbol %d, and there are %d", n, len(f.Symbols))
		}
		return nil
	}
	return g, f.pairs(s, func(off uint64, a, b uint32, names stringTable) error {
		if a == 0 && int32(b) < 0 {
			list = int32(b)
			return nil
		}
		if err := symbol(a, off); err != nil {
			return err
		}
		switch list {
		case listCalls:
			g.Calls = append(g.Calls, Edge{int(a), int(b)})
			return symbol(b, off+4)
		case listPointed, listIndirect:
			text, err := names.at(uint64(b))
			to := &g.Pointed
			if list == listIndirect {
				to = &g.Indirect
			}
			*to = append(*to, Typed{int(a), text})
			return err
		}
		return nil
	})
}

// pairs gives each the pairs of 32-bit words of a section that is linked with the symbol table, with their places in the file and
// the names of that.
func (f *File) pairs(s *Section, each func(off uint64, a, b uint32, names stringTable) error) error {
	const entry = 8
	if len(s.Data)%entry != 0 {
		return errorf(s.Offset, "section "+s.Name, "it has %d bytes, not a multiple of %d", len(s.Data), entry)
	}
	if s.Link >= uint32(len(f.Sections)) || f.Sections[s.Link].Link >= uint32(len(f.Sections)) {
		return errorf(s.Offset, "section "+s.Name, "its symbols are in section %d, which has no names", s.Link)
	}
	names := newStrings(&f.Sections[f.Sections[s.Link].Link])
	for off := 0; off < len(s.Data); off += entry {
		if err := each(s.Offset+uint64(off), le.Uint32(s.Data[off:]), le.Uint32(s.Data[off+4:]), names); err != nil {
			return err
		}
	}
	return nil
}
