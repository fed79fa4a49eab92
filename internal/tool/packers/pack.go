package packers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"
)

const (
	binaryPkg = "encoding/binary"
	mathPkg   = "math"
)

// A packer writes the statements that store and load values. Bytes are those
// of a pointer to an array, so that constant indices need no checks.
type packer struct {
	depth int
	// split keeps apart what is copied as memory on some machines, with how it is done on others.
	split  bool
	others []jen.Code
	// owner is what errors of loading call the type. Without it nothing is
	// checked.
	owner string
}

// maxUnrolled is the number of stores up to which an array needs no loop.
const maxUnrolled = 16

func slice(b string, from, to int64) *jen.Statement {
	return jen.Id(b).Index(jen.Lit(int(from)), jen.Lit(int(to)))
}

func littleEndian_(name string) *jen.Statement {
	return jen.Qual(binaryPkg, "LittleEndian").Dot(name)
}

// store stores the integer x of size bytes.
func storeInt(b string, off, size int64, x jen.Code) jen.Code {
	if size == 1 {
		return jen.Id(b).Index(jen.Lit(int(off))).Op("=").Add(x)
	}
	return littleEndian_(fmt.Sprintf("PutUint%d", size*8)).Call(slice(b, off, off+size), x)
}

func loadInt(b string, off, size int64) *jen.Statement {
	if size == 1 {
		return jen.Id(b).Index(jen.Lit(int(off)))
	}
	return littleEndian_(fmt.Sprintf("Uint%d", size*8)).Call(slice(b, off, off+size))
}

// zero clears the bytes from one offset to another.
func zero(b string, from, to int64) []jen.Code {
	if to-from > 16 {
		return []jen.Code{jen.Clear(slice(b, from, to))}
	}
	var out []jen.Code
	for from < to {
		n := int64(8)
		for n > to-from {
			n /= 2
		}
		out = append(out, storeInt(b, from, n, jen.Lit(0)))
		from += n
	}
	return out
}

// ordered returns the fields of a structure by their offsets.
func (v *value) ordered() []field {
	out := slices.Clone(v.fields)
	slices.SortStableFunc(out, func(a, b field) int { return cmp.Compare(a.off, b.off) })
	return out
}

// put stores x at an offset of b, padding included.
func (p *packer) put(b string, off int64, v *value, x *jen.Statement) []jen.Code {
	switch v.kind {
	case raw:
		return []jen.Code{jen.Copy(slice(b, off, off+v.size), x.Clone().Index(jen.Empty(), jen.Empty()))}
	case structure:
		var out []jen.Code
		end := off
		for _, f := range v.ordered() {
			if f.blank() {
				continue
			}
			if off+f.off > end {
				out = append(out, zero(b, end, off+f.off)...)
			}
			out = append(out, p.put(b, off+f.off, f.val, x.Clone().Dot(f.name))...)
			end = max(end, off+f.off+f.val.size)
		}
		return append(out, zero(b, end, off+v.size)...)
	case array:
		return p.array(b, off, v, x, p.put)
	}
	return putScalar(b, off, v, x)
}

// bits is the unsigned type of a scalar's size.
func bits(size int64) string { return fmt.Sprintf("uint%d", size*8) }

func putScalar(b string, off int64, v *value, x *jen.Statement) []jen.Code {
	switch v.kind {
	case boolean:
		one := jen.If(x.Clone()).Block(storeInt(b, off, 1, jen.Lit(1)))
		return []jen.Code{storeInt(b, off, 1, jen.Lit(0)), one}
	case float:
		if v.named {
			x = jen.Id(v.basic).Call(x.Clone())
		}
		return []jen.Code{storeInt(b, off, v.size, jen.Qual(mathPkg, fmt.Sprintf("Float%dbits", v.size*8)).Call(x.Clone()))}
	case complexNumber:
		half := v.size / 2
		part := func(name string, off int64) jen.Code {
			arg := x.Clone()
			if v.named {
				arg = jen.Id(v.basic).Call(arg)
			}
			return storeInt(b, off, half, jen.Qual(mathPkg, fmt.Sprintf("Float%dbits", half*8)).Call(jen.Id(name).Call(arg)))
		}
		return []jen.Code{part("real", off), part("imag", off+half)}
	}
	if v.named || v.basic != bits(v.size) {
		x = jen.Id(bits(v.size)).Call(x.Clone())
	}
	return []jen.Code{storeInt(b, off, v.size, x.Clone())}
}

// array does the same for all elements, one by one or in a loop.
func (p *packer) array(b string, off int64, v *value, x *jen.Statement,
	each func(b string, off int64, v *value, x *jen.Statement) []jen.Code,
) []jen.Code {
	if v.n == 0 {
		return nil
	}
	if p.split && p.depth == 0 && v.asMemory() {
		p.split = false
		p.others = append(p.others, p.array(b, off, v, x, each)...)
		p.split = true
		return nil
	}
	var out []jen.Code
	if v.cells() <= maxUnrolled {
		for i := range v.n {
			out = append(out, each(b, off+i*v.elem.size, v.elem, x.Clone().Index(jen.Lit(int(i))))...)
		}
		return out
	}
	p.depth++
	i, e := fmt.Sprintf("i%d", p.depth), fmt.Sprintf("e%d", p.depth)
	at := jen.Id(i).Op("*").Lit(int(v.elem.size))
	if off > 0 {
		at = jen.Lit(int(off)).Op("+").Add(at)
	}
	body := each(e, 0, v.elem, x.Clone().Index(jen.Id(i)))
	p.depth--
	from := jen.Id(b).Index(at, jen.Empty())
	return append(out, jen.For(jen.Id(i).Op(":=").Range().Add(x.Clone())).Block(append([]jen.Code{
		jen.Id(e).Op(":=").Parens(jen.Op("*").Index(jen.Lit(int(v.elem.size))).Byte()).Call(from),
	}, body...)...))
}

// get loads x from an offset of b.
func (p *packer) get(b string, off int64, v *value, x *jen.Statement) []jen.Code {
	switch v.kind {
	case raw:
		return []jen.Code{jen.Copy(x.Clone().Index(jen.Empty(), jen.Empty()), slice(b, off, off+v.size))}
	case structure:
		var out []jen.Code
		for _, f := range v.ordered() {
			if !f.blank() {
				out = append(out, p.get(b, off+f.off, f.val, x.Clone().Dot(f.name))...)
			}
		}
		return out
	case array:
		return p.array(b, off, v, x, p.get)
	case boolean:
		return []jen.Code{x.Clone().Op("=").Add(loadInt(b, off, 1)).Op("!=").Lit(0)}
	}
	set := func(y *jen.Statement) jen.Code {
		if v.named {
			y = jen.Add(v.typ).Call(y)
		}
		return x.Clone().Op("=").Add(y)
	}
	frombits := func(off, size int64) *jen.Statement {
		return jen.Qual(mathPkg, fmt.Sprintf("Float%dfrombits", size*8)).Call(loadInt(b, off, size))
	}
	switch {
	case v.kind == float:
		return []jen.Code{set(frombits(off, v.size))}
	case v.kind == complexNumber:
		half := v.size / 2
		return []jen.Code{set(jen.Id("complex").Call(frombits(off, half), frombits(off+half, half)))}
	case v.basic == "uintptr" && p.owner != "":
		// An address of the device has 64 bits, a uintptr may have 32.
		word := jen.Id("a")
		typ := jen.Add(v.typ)
		return []jen.Code{
			jen.If(
				word.Clone().Op(":=").Add(loadInt(b, off, 8)),
				jen.Uint64().Call(jen.Uintptr().Call(word.Clone())).Op("!=").Add(word.Clone()),
			).Block(
				jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit(p.owner+": address %#x does not fit a uintptr here"), word.Clone())),
			).Else().Block(x.Clone().Op("=").Add(typ.Call(word.Clone()))),
		}
	}
	y := loadInt(b, off, v.size)
	if v.named {
		return []jen.Code{set(y)}
	}
	if v.basic != bits(v.size) {
		y = jen.Id(v.basic).Call(y)
	}
	return []jen.Code{x.Clone().Op("=").Add(y)}
}

// loads reports whether any part of a value is looked at when it is loaded.
func (v *value) loads() bool {
	switch v.kind {
	case array:
		return v.n > 0 && v.elem.loads()
	case structure:
		return slices.ContainsFunc(v.fields, func(f field) bool { return !f.blank() && f.val.loads() })
	}
	return v.size > 0
}

// view is the statement that makes b the bytes of a slice.
func view(b string, n, from jen.Code) jen.Code {
	return jen.Id(b).Op(":=").Parens(jen.Op("*").Index(n).Byte()).Call(from)
}
