package packers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A packer writes the statements that store and load values. Bytes are those
// of a pointer to an array, so that constant indices need no checks.
type packer struct {
	load  bool
	depth int
	// split keeps apart what is copied as memory on some machines, with how it is done on others.
	split  bool
	others []string
	// owner is what errors of loading call the type. Without it nothing is
	// checked.
	owner string
}

// maxUnrolled is the number of stores up to which an array needs no loop.
const maxUnrolled = 16

func slice(b string, from, to int64) string { return fmt.Sprintf("%s[%d:%d]", b, from, to) }

// storeInt stores the integer x of size bytes.
func storeInt(b string, off, size int64, x string) string {
	if size == 1 {
		return fmt.Sprintf("%s[%d] = %s", b, off, x)
	}
	return code("‹encoding/binary›.LittleEndian.PutUint%d(%s, %s)", size*8, slice(b, off, off+size), x)
}

func loadInt(b string, off, size int64) string {
	if size == 1 {
		return fmt.Sprintf("%s[%d]", b, off)
	}
	return code("‹encoding/binary›.LittleEndian.Uint%d(%s)", size*8, slice(b, off, off+size))
}

// zero clears the bytes from one offset to another.
func zero(b string, from, to int64) []string {
	if to-from > 16 {
		return []string{"clear(" + slice(b, from, to) + ")"}
	}
	var out []string
	for from < to {
		n := int64(8)
		for n > to-from {
			n /= 2
		}
		out = append(out, storeInt(b, from, n, "0"))
		from += n
	}
	return out
}

// ordered returns the fields of a structure by their offsets.
func (v *value) ordered() []field {
	out := slices.Clone(v.Fields)
	slices.SortStableFunc(out, func(a, b field) int { return cmp.Compare(a.Off, b.Off) })
	return out
}

// walk writes the statements that a value takes at an offset of b: scalars are stored, with padding of zeros, or loaded.
func (p *packer) walk(b string, off int64, v *value, x string) []string {
	switch {
	case v.kind == raw && p.load:
		return []string{fmt.Sprintf("copy(%s[:], %s)", x, slice(b, off, off+v.size))}
	case v.kind == raw:
		return []string{fmt.Sprintf("copy(%s, %s[:])", slice(b, off, off+v.size), x)}
	case v.kind == array:
		return p.array(b, off, v, x)
	case v.kind != structure && p.load:
		return []string{p.getScalar(b, off, v, x)}
	case v.kind != structure:
		return putScalar(b, off, v, x)
	}
	var out []string
	end := off
	pad := func(to int64) {
		if !p.load {
			out = append(out, zero(b, end, to)...)
		}
	}
	for _, f := range v.ordered() {
		if f.blank() {
			continue
		}
		pad(off + f.Off)
		out = append(out, p.walk(b, off+f.Off, f.Val, x+"."+f.Name)...)
		end = max(end, off+f.Off+f.Val.size)
	}
	pad(off + v.size)
	return out
}

// bits is the unsigned type of a scalar's size.
func bits(size int64) string { return fmt.Sprintf("uint%d", size*8) }

func putScalar(b string, off int64, v *value, x string) []string {
	basic := x // as the basic type
	if v.named {
		basic = v.basic + "(" + x + ")"
	}
	number := func(off, size int64, x string) string {
		return storeInt(b, off, size, code("‹math›.Float%dbits(%s)", size*8, x))
	}
	switch v.kind {
	case boolean:
		return []string{storeInt(b, off, 1, "0"), fmt.Sprintf("if %s {\n%s\n}", x, storeInt(b, off, 1, "1"))}
	case float:
		return []string{number(off, v.size, basic)}
	case complexNumber:
		half := v.size / 2
		return []string{number(off, half, "real("+basic+")"), number(off+half, half, "imag("+basic+")")}
	}
	if v.named || v.basic != bits(v.size) {
		x = bits(v.size) + "(" + x + ")"
	}
	return []string{storeInt(b, off, v.size, x)}
}

// array writes those of all elements, one by one or in a loop.
func (p *packer) array(b string, off int64, v *value, x string) []string {
	if v.n == 0 {
		return nil
	}
	if p.split && p.depth == 0 && v.asMemory() {
		p.split = false
		p.others = append(p.others, p.array(b, off, v, x)...)
		p.split = true
		return nil
	}
	var out []string
	if v.cells() <= maxUnrolled {
		for i := range v.n {
			out = append(out, p.walk(b, off+i*v.elem.size, v.elem, fmt.Sprintf("%s[%d]", x, i))...)
		}
		return out
	}
	p.depth++
	i, e := fmt.Sprintf("i%d", p.depth), fmt.Sprintf("e%d", p.depth)
	at := fmt.Sprintf("%s*%d", i, v.elem.size)
	if off > 0 {
		at = fmt.Sprintf("%d+%s", off, at)
	}
	body := append([]string{view(e, fmt.Sprint(v.elem.size), fmt.Sprintf("%s[%s:]", b, at))}, p.walk(e, 0, v.elem, x+"["+i+"]")...)
	p.depth--
	return []string{fmt.Sprintf("for %s := range %s {\n%s\n}", i, x, strings.Join(body, "\n"))}
}

func (p *packer) getScalar(b string, off int64, v *value, x string) string {
	number := func(off, size int64) string {
		return code("‹math›.Float%dfrombits(%s)", size*8, loadInt(b, off, size))
	}
	y, basic := "", v.basic // and its type
	switch {
	case v.kind == boolean:
		return fmt.Sprintf("%s = %s != 0", x, loadInt(b, off, 1))
	case v.kind == float:
		y = number(off, v.size)
	case v.kind == complexNumber:
		half := v.size / 2
		y = fmt.Sprintf("complex(%s, %s)", number(off, half), number(off+half, half))
	case v.basic == "uintptr" && p.owner != "":
		// An address of the device has 64 bits, a uintptr may have 32.
		return code("if a := %s; uint64(uintptr(a)) != a {\nreturn ‹fmt›.Errorf(%q, a)\n} else {\n%s = %s(a)\n}",
			loadInt(b, off, 8), p.owner+": address %#x does not fit a uintptr here", x, v.Typ)
	default:
		y, basic = loadInt(b, off, v.size), bits(v.size)
	}
	switch {
	case v.named:
		y = v.Typ + "(" + y + ")"
	case v.basic != basic:
		y = v.basic + "(" + y + ")"
	}
	return x + " = " + y
}

// Loads reports whether any part of a value is looked at when it is loaded.
func (v *value) Loads() bool {
	switch v.kind {
	case array:
		return v.n > 0 && v.elem.Loads()
	case structure:
		return slices.ContainsFunc(v.Fields, func(f field) bool { return !f.blank() && f.Val.Loads() })
	}
	return v.size > 0
}

// view is the statement that makes b the bytes of a slice.
func view(b, n, from string) string { return fmt.Sprintf("%s := (*[%s]byte)(%s)", b, n, from) }
