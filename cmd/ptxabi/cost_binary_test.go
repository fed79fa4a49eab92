//go:build unix

package main

import (
	"bytes"
	bin "encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
)

// A cubinShape is a family of cubins: the n-th has other contents of sections, and further sections.
type cubinShape struct {
	name string
	n    int
	make func(f *cubin.File, n int) (contents map[string][]byte, sections int)
}

// words are numbers of 32 bits.
func words(list ...int) (b []byte) {
	for _, w := range list {
		b = bin.LittleEndian.AppendUint32(b, uint32(w))
	}
	return b
}

// functions are symbols, after those that there are, for n functions that share the code of the first one.
func functions(f *cubin.File, n int) []byte {
	code := f.Functions[0]
	table := bytes.Clone(f.Section(".symtab").Data)
	for range n {
		table = append(table, words(1)...) // a name
		table = append(table, 0x12, 0, byte(code.Section), byte(code.Section>>8))
		table = append(table, words(int(code.Offset), 0, int(code.Size), 0)...)
	}
	return table
}

// calls are functions of which each calls the one at a distance, in circles.
func calls(f *cubin.File, n int, distances ...int) (map[string][]byte, int) {
	graph, first := words(0, -1), len(f.Symbols)
	for i := range n {
		for _, d := range distances {
			graph = append(graph, words(first+i, first+(i+d)%n)...)
		}
	}
	return map[string][]byte{".symtab": functions(f, n), ".nv.callgraph": graph}, 0
}

// Codes of abbrevs.
const (
	dieUnit = 1 + iota
	dieFunction
	dieFormal
	dieStruct
	dieMember
	dieInt
	dieTypedef
	dieWide
)

// debugInfo is a unit for debuggers: a type makes itself from where it stands, and step(P, float*, int) has it as its first
// parameter. The last abbreviation has so many attributes.
func debugInfo(attributes int, types func(unit *[]byte) (typ int)) map[string][]byte {
	abbrev := []byte{
		dieUnit, 0x11, 1, 0, 0,
		dieFunction, 0x2e, 1, 0x03, 0x08, 0, 0,
		dieFormal, 0x05, 0, 0x49, 0x13, 0, 0,
		dieStruct, 0x13, 1, 0x0b, 0x06, 0, 0,
		dieMember, 0x0d, 0, 0x49, 0x13, 0x38, 0x06, 0, 0,
		dieInt, 0x24, 0, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0,
		dieTypedef, 0x16, 0, 0x49, 0x13, 0, 0,
		dieWide, 0x24, 0,
	}
	abbrev = append(append(abbrev, bytes.Repeat([]byte{0x0b, 0x0b}, attributes)...), 0, 0, 0)
	info := append(words(0), 2, 0, 0, 0, 0, 0, 8, dieUnit)
	typ := types(&info)
	info = append(append(info, dieFunction), "_Z4step1PPfi\x00"...)
	for range 3 {
		info = append(append(info, dieFormal), words(typ)...)
	}
	info = append(info, 0, 0)
	copy(info, words(len(info)-4))
	return map[string][]byte{".debug_info": info, ".debug_abbrev": abbrev, ".rela.debug_info": nil, ".rel.debug_info": nil}
}

// structs are n structs of which each has so many members of the one before.
func structs(n, members int) func(unit *[]byte) int {
	return func(unit *[]byte) int {
		typ := len(*unit)
		*unit = append(*unit, dieInt, 4, 5)
		for range n {
			next := len(*unit)
			*unit = append(append(*unit, dieStruct), words(4)...)
			for range members {
				*unit = append(append(*unit, dieMember), words(typ, 0)...)
			}
			*unit = append(*unit, 0)
			typ = next
		}
		return typ
	}
}

var cubinShapes = []cubinShape{
	{"sections", 1000, func(*cubin.File, int) (map[string][]byte, int) { return nil, 1000 }},
	{"symbols", 1000, func(f *cubin.File, n int) (map[string][]byte, int) {
		return map[string][]byte{".symtab": append(bytes.Clone(f.Section(".symtab").Data), make([]byte, 24*n)...)}, 0
	}},
	{"functions", 1000, func(f *cubin.File, n int) (map[string][]byte, int) {
		return map[string][]byte{".symtab": functions(f, n)}, 0
	}},
	{"a circle of calls", 1000, func(f *cubin.File, n int) (map[string][]byte, int) { return calls(f, n, 1) }},
	{"circles in circles", 1000, func(f *cubin.File, n int) (map[string][]byte, int) { return calls(f, n, 1, 2, 3, n/2, n-1) }},
	{"a tree of calls", 1000, func(f *cubin.File, n int) (map[string][]byte, int) {
		contents, _ := calls(f, n)
		for i := range n {
			contents[".nv.callgraph"] = append(contents[".nv.callgraph"], words(len(f.Symbols)+i/2, len(f.Symbols)+i)...)
		}
		return contents, 0
	}},
	{"relocations", 1000, func(f *cubin.File, n int) (map[string][]byte, int) {
		return map[string][]byte{".rel.debug_frame": bytes.Repeat(f.Section(".rel.debug_frame").Data[:16], n)}, 0
	}},
	{"frames", 1000, func(f *cubin.File, n int) (map[string][]byte, int) {
		return map[string][]byte{".debug_frame": bytes.Repeat(f.Section(".debug_frame").Data, n/4)}, 0
	}},
	{"records", 1000, func(f *cubin.File, n int) (map[string][]byte, int) {
		return map[string][]byte{".nv.info": bytes.Repeat(f.Section(".nv.info").Data, n/4)}, 0
	}},
	{"entries for debuggers", 1000, func(_ *cubin.File, n int) (map[string][]byte, int) {
		return debugInfo(0, func(unit *[]byte) int {
			typ := len(*unit)
			*unit = append(*unit, bytes.Repeat([]byte{dieInt, 4, 5}, n)...)
			return typ
		}), 0
	}},
	{"functions for debuggers", 1000, func(_ *cubin.File, n int) (map[string][]byte, int) {
		return debugInfo(0, func(unit *[]byte) int {
			typ := len(*unit)
			*unit = append(*unit, dieInt, 4, 5)
			for range n {
				*unit = append(append(append(append(*unit, dieFunction), "_Z4step1PPfi\x00\x03"...), words(typ)...), 0)
			}
			return typ
		}), 0
	}},
	{"attributes of an entry", 1000, func(_ *cubin.File, n int) (map[string][]byte, int) {
		return debugInfo(n, func(unit *[]byte) int {
			typ := len(*unit)
			*unit = append(*unit, dieWide)
			*unit = append(*unit, bytes.Repeat([]byte{4}, n)...)
			return typ
		}), 0
	}},
	{"members for debuggers", 1000, func(_ *cubin.File, n int) (map[string][]byte, int) { return debugInfo(0, structs(1, n)), 0 }},
	{"a chain of types for debuggers", 1000, func(_ *cubin.File, n int) (map[string][]byte, int) { return debugInfo(0, structs(n, 1)), 0 }},
	{"types of two for debuggers", 40, func(_ *cubin.File, n int) (map[string][]byte, int) { return debugInfo(0, structs(n, 2)), 0 }},
	{"a circle of types", 1000, func(_ *cubin.File, n int) (map[string][]byte, int) {
		return debugInfo(0, func(unit *[]byte) int {
			first := len(*unit)
			for i := range n {
				*unit = append(append(*unit, dieTypedef), words(first+5*((i+1)%n))...)
			}
			return first
		}), 0
	}},
	{"relocations of relocations", 1000, func(f *cubin.File, n int) (map[string][]byte, int) {
		contents := debugInfo(0, structs(n, 1))
		name := ".rela.debug_info"
		if f.Section(name) == nil {
			name = ".rel.debug_info"
		}
		own := slices.IndexFunc(f.Symbols, func(s cubin.Symbol) bool {
			return s.Section > 0 && strings.HasPrefix(f.Sections[s.Section].Name, ".debug_")
		})
		own = max(own, 0)
		for i := range n {
			contents[name] = append(contents[name], words(12+8*i%(8*n), 0, 1, own, 12+8*((i+1)%n), 0)...)
		}
		return contents, 0
	}},
}

// shaped is a cubin with the parts of a shape.
func shaped(t *testing.T, base []byte, s cubinShape, n int) []byte {
	t.Helper()
	f, err := cubin.Open(base)
	require.NoError(t, err)
	contents, sections := s.make(f, n)
	if sections > 0 {
		sections = n
	}
	le := bin.LittleEndian
	out := bytes.Clone(base)
	at := le.Uint64(out[40:])
	table := bytes.Clone(out[at : at+64*uint64(len(f.Sections))])
	for i := range f.Sections {
		data, ok := contents[f.Sections[i].Name]
		if !ok {
			continue
		}
		out = append(out, make([]byte, -len(out)&7)...)
		le.PutUint64(table[64*i+24:], uint64(len(out)))
		le.PutUint64(table[64*i+32:], uint64(len(data)))
		out = append(out, data...)
	}
	out = append(out, make([]byte, -len(out)&7)...)
	le.PutUint64(out[40:], uint64(len(out)))
	out = append(append(out, table...), make([]byte, 64*sections)...)
	le.PutUint16(out[60:], uint16(len(f.Sections)+sections))
	return out
}

// TestBinaryCost is [TestCost] of cubins.
func TestBinaryCost(t *testing.T) {
	base := inCostDir(t)
	for _, s := range cubinShapes {
		if s.n == 1000 {
			s.n = effort.Of(50, 1000)
		}
		compareCosts(t, s.name, ".cubin", s.n, func(file string, n int) []byte {
			require.NoError(t, os.WriteFile(file, shaped(t, base, s, n), 0o666))
			return nil
		})
	}
}
