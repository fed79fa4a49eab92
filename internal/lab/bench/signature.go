package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// A formal is a parameter or a result. Those in .reg space are scalars.
type formal struct {
	reg   bool
	typ   string // element type, with its dot
	size  int    // bytes
	align int    // bytes; at most 16
	array bool   // .align N .b8 name[size]
}

// A signature is that of a function, or of a kernel, which has no results.
type signature struct {
	name   string
	entry  bool
	result []formal // one or none
	params []formal
}

var sizes = map[string]int{".b8": 1, ".b16": 2, ".b32": 4, ".s32": 4, ".f32": 4, ".b64": 8, ".u64": 8, ".f64": 8}

// formal draws a parameter of at most limit bytes, limit ≥ 8.
func (r *random) formal(limit int, reg bool) formal {
	switch k := r.below(8); {
	case k < 2 && reg:
		t := r.pick(".b32", ".s32", ".f32", ".b64", ".f64")
		return formal{reg: true, typ: t, size: sizes[t], align: sizes[t]}
	case k < 4:
		t := r.pick(".b8", ".b16", ".b32", ".f32", ".u64", ".f64")
		return formal{typ: t, size: sizes[t], align: sizes[t]}
	}
	align := 1 << r.below(5)
	if r.below(4) != 0 {
		align = max(align, 4)
	}
	size := 1 + r.below(limit)
	return formal{typ: ".b8", size: size, align: align, array: true}
}

// signature draws a signature whose arrays have at most limit bytes.
func (r *random) signature(name string, limit int) signature {
	s := signature{name: name, entry: r.below(16) == 0}
	if !s.entry && r.below(2) == 0 {
		s.result = []formal{r.formal(limit, true)}
	}
	for range 1 + r.below(8) {
		s.params = append(s.params, r.formal(limit, !s.entry))
	}
	return s
}

// decl is the declaration of a formal, or of a variable of the same shape.
func (f *formal) decl(name string) string {
	switch {
	case f.reg:
		return ".reg " + f.typ + " " + name
	case f.array:
		return fmt.Sprintf(".param .align %d .b8 %s[%d]", f.align, name, f.size)
	}
	return ".param " + f.typ + " " + name
}

// head is the head of the function.
func (s *signature) head() string {
	kind, result := ".func ", ""
	if s.entry {
		kind = ".entry "
	}
	if s.result != nil {
		result = "(" + s.result[0].decl(s.name+"_result") + ") "
	}
	params := make([]string, len(s.params))
	for i := range s.params {
		params[i] = "\n\t" + s.params[i].decl(s.param(i))
	}
	return ".visible " + kind + result + s.name + "(" + strings.Join(params, ",") + "\n)"
}

func (s *signature) param(i int) string { return s.name + "_param_" + strconv.Itoa(i) }

// A part is the bytes that one load or store moves.
type part struct {
	off, size int // size: 1, 2, 4 or 8 bytes
	vec       int // elements of that size; 1 for a scalar
}

// parts splits the bytes of a formal in .param space into accesses that its
// alignment allows: words, mostly, and now and then something wider.
func (f *formal) parts(r *random) (list []part) {
	for off := 0; off < f.size; {
		p := part{off, 1, 1}
		for _, n := range [...]int{2, 4} {
			if f.align >= n && off%n == 0 && off+n <= f.size {
				p.size = n
			}
		}
		switch {
		case p.size == 4 && f.align >= 16 && off%16 == 0 && off+16 <= f.size && r.below(2) == 0:
			p.vec = 4
		case p.size == 4 && f.align >= 8 && off%8 == 0 && off+8 <= f.size && (!f.array || r.below(4) == 0):
			p.size = 8
		}
		list = append(list, p)
		off += p.size * p.vec
	}
	return list
}
