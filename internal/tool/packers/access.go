package packers

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"
)

// emit writes the two methods of an accessor.
func (a *accessor) emit(f *jen.File, typ string) {
	store := jen.Id("v")
	if a.field != "" {
		store = store.Dot(a.field)
	}
	var indices, value []jen.Code
	for _, name := range []string{"i", "j", "k", "l"}[:a.dims] {
		store = store.Index(jen.Id(name))
		indices = append(indices, jen.Id(name))
	}
	if indices != nil {
		indices = []jen.Code{jen.List(indices...).Int()}
	}
	value = append(slices.Clone(indices), jen.Id("x").Add(a.val.typ))
	recv := jen.Id("v").Op("*").Id(typ)
	var get, set []jen.Code
	switch {
	case a.width == 0:
		p := &packer{}
		all := store.Clone().Index(jen.Empty(), jen.Empty())
		get = append([]jen.Code{view("s", jen.Lit(int(a.whole)), all)}, p.get("s", 0, a.val, jen.Id("x"))...)
		set = append([]jen.Code{view("d", jen.Lit(int(a.whole)), all)}, p.put("d", 0, a.val, jen.Id("x"))...)
	case a.integer:
		get, set = a.inInteger(store)
	default:
		get, set = a.inBytes(store)
	}
	doc(f, fmt.Sprintf("%s returns %s.", a.name, a.doc))
	f.Func().Params(recv.Clone()).Id(a.name).Params(indices...).Params(jen.Id("x").Add(a.val.typ)).Block(append(get, jen.Return(jen.Id("x")))...)
	f.Line()
	what := "bytes beyond it stay"
	if a.width > 0 {
		what = "bits of x beyond it are dropped"
	}
	if a.width == 0 && a.val.size == a.whole {
		what = "it takes all bytes"
	}
	doc(f, fmt.Sprintf("Set%s sets %s; %s.", a.name, a.doc, what))
	f.Func().Params(recv.Clone()).Id("Set" + a.name).Params(value...).Block(set...)
	f.Line()
}

func hex(n uint64) *jen.Statement {
	return jen.Op(fmt.Sprintf("%#x", n))
}

// shifted is x shifted by n bits, if n is not 0.
func shifted(x *jen.Statement, op string, n int64) *jen.Statement {
	if n == 0 {
		return x
	}
	return x.Op(op).Lit(int(n))
}

func (a *accessor) mask() uint64 { return 1<<a.width - 1 }

// inInteger is about bits of an integer field.
func (a *accessor) inInteger(store *jen.Statement) (get, set []jen.Code) {
	size := a.whole * 8
	word := jen.Id(bits(a.whole))
	if a.val.basic != bits(a.whole) { // signed
		get = []jen.Code{jen.Id("x").Op("=").Id(a.val.basic).Call(word.Clone().Call(store.Clone()).Op("<<").Lit(int(size - a.width - a.bit))).
			Op(">>").Lit(int(size - a.width))}
	} else {
		get = []jen.Code{jen.Id("x").Op("=").Add(shifted(word.Clone().Call(store.Clone()), ">>", a.bit)).Op("&").Add(hex(a.mask()))}
	}
	old := store.Clone().Op("&^").Add(hex(a.mask() << a.bit))
	set = []jen.Code{store.Clone().Op("=").Add(old).Op("|").Add(jen.Add(a.storeType()).Call(jen.Id("x")).Op("&").Add(shifted(hex(a.mask()), "<<", a.bit)))}
	return get, set
}

// storeType is the type of the integer that holds the bits.
func (a *accessor) storeType() jen.Code {
	if a.fieldType != nil {
		return a.fieldType
	}
	return jen.Id(bits(a.whole))
}

// inBytes is about bits of a [N]byte.
func (a *accessor) inBytes(store *jen.Statement) (get, set []jen.Code) {
	first, last := a.bit/8, (a.bit+a.width-1)/8
	shift := a.bit % 8
	word := jen.Uint64().Call(store.Clone().Index(jen.Lit(int(first))))
	for i := first + 1; i <= last; i++ {
		word = word.Op("|").Uint64().Call(store.Clone().Index(jen.Lit(int(i)))).Op("<<").Lit(int(8 * (i - first)))
	}
	get = []jen.Code{jen.Id("u").Op(":=").Add(word)}
	field := shifted(jen.Id("u"), ">>", shift).Op("&").Add(hex(a.mask()))
	switch {
	case a.val.kind == boolean:
		get = append(get, jen.Id("x").Op("=").Add(field).Op("!=").Lit(0))
		set = append(set, jen.Var().Id("u").Uint64(), jen.If(jen.Id("x")).Block(jen.Id("u").Op("=").Lit(1).Op("<<").Lit(int(shift))))
	case a.val.basic[0] == 'i':
		get = append(get, jen.Id("x").Op("=").Id(a.val.basic).Call(
			jen.Int64().Call(jen.Id("u").Op("<<").Lit(int(64-a.width-shift))).Op(">>").Lit(int(64-a.width))))
	default:
		get = append(get, jen.Id("x").Op("=").Id(a.val.basic).Call(field))
	}
	if set == nil {
		set = append(set, jen.Id("u").Op(":=").Uint64().Call(jen.Id("x")).Op("&").Add(shifted(hex(a.mask()), "<<", shift)))
	}
	for i := first; i <= last; i++ {
		b := store.Clone().Index(jen.Lit(int(i)))
		m := byte(a.mask() << shift >> (8 * (i - first)))
		part := jen.Byte().Call(jen.Id("u"))
		if i > first {
			part = jen.Byte().Call(jen.Id("u").Op(">>").Lit(int(8 * (i - first))))
		}
		if m == 0xff {
			set = append(set, b.Op("=").Add(part))
		} else {
			set = append(set, b.Clone().Op("=").Add(b.Clone()).Op("&^").Add(hex(uint64(m))).Op("|").Add(part))
		}
	}
	return get, set
}
