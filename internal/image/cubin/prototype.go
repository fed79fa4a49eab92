package cubin

import (
	"fmt"
	"strconv"
	"strings"
)

// A Prototype is what a file records, for the linker, of a device function that other
// files may call or that it calls in another file: the values it returns and takes,
// without alignment. They stand in the section .nv.prototype.
//
// The text is "#", the result, "v" for none, and the parameters, each a letter
// for its element and, of arrays, the number of elements: "#ib16" of
// (.param .b32) f (.param .b8[16]). Measured with 11.8, 12.4 and 13.5:
//
//	b   8 bits     i  .b32 .u32 .s32     f  .f32
//	h  16 bits     l  .b64 .u64 .s64     d  .f64
//	               x  .b128
//
// A vector, and .f16x2, is the one of b, h, i, l and x that has its size. An
// array without extent has the number 0.
type Prototype struct {
	Name string
	Text string
}

// A ProtoValue is a result or parameter of a [Prototype].
type ProtoValue struct {
	Element byte // the letter
	Count   int  // elements of an array, 0 without extent; -1: no array
}

// noArray is the Count of a value that is not an array.
const noArray = -1

// elements are the bytes of an element by its letter, and the type that it stands for.
var elements = map[byte]struct {
	size int
	typ  string
}{'b': {1, ".b8"}, 'h': {2, ".b16"}, 'i': {4, ".b32"}, 'f': {4, ".f32"}, 'l': {8, ".b64"}, 'd': {8, ".f64"}, 'x': {16, ".b128"}}

// Size is how many bytes a value has, 0 for an array without extent.
func (v ProtoValue) Size() int {
	if v.Count == noArray {
		return elements[v.Element].size
	}
	return elements[v.Element].size * v.Count
}

// String is the value as the file has it.
func (v ProtoValue) String() string {
	if v.Count == noArray {
		return string(v.Element)
	}
	return fmt.Sprintf("%c%d", v.Element, v.Count)
}

// maxCount bounds what is believed of an array's number of elements.
const maxCount = 1 << 30

// Values takes the text apart. It is false where the text is of another form
// than those that were measured.
func (p Prototype) Values() (results, params []ProtoValue, ok bool) {
	rest, ok := strings.CutPrefix(p.Text, "#")
	if !ok || rest == "" {
		return nil, nil, false
	}
	var all []ProtoValue
	void := rest[0] == 'v'
	if void {
		rest = rest[1:]
	}
	for rest != "" {
		v := ProtoValue{Element: rest[0], Count: noArray}
		if elements[v.Element].size == 0 {
			return nil, nil, false
		}
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n > 1 {
			count, err := strconv.Atoi(rest[1:n])
			if err != nil || count > maxCount {
				return nil, nil, false
			}
			v.Count = count
		}
		all, rest = append(all, v), rest[n:]
	}
	if void {
		return nil, all, true
	}
	return all[:1], all[1:], true
}

// prototypes reads .nv.prototype: pairs of a symbol and where its text stands in
// the names of the symbol table.
func (r *reader) prototypes() error {
	s := r.Section(".nv.prototype")
	if s == nil {
		return nil
	}
	if err := r.spend(s); err != nil {
		return err
	}
	return r.pairs(s, func(off uint64, symbol, at uint32, names stringTable) error {
		if uint64(symbol) >= uint64(len(r.Symbols)) {
			return errorf(off, "section "+s.Name, "it is for symbol %d, and there are %d", symbol, len(r.Symbols))
		}
		text, err := names.at(uint64(at))
		r.Prototypes = append(r.Prototypes, Prototype{Name: r.Symbols[symbol].Name, Text: text})
		return err
	})
}

// Words is the value as PTX declares it: ".b32", ".b8[16]", ".b8[]".
func (v ProtoValue) Words() string {
	switch {
	case v.Count < 0:
		return elements[v.Element].typ
	case v.Count == 0:
		return elements[v.Element].typ + "[]"
	}
	return fmt.Sprintf("%s[%d]", elements[v.Element].typ, v.Count)
}
