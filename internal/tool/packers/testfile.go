package packers

import (
	"slices"

	"github.com/dave/jennifer/jen"
)

// A span is a range of bytes.
type span struct{ from, to int64 }

// spans lists what of a value is used, what is a bool, and what is an address
// in a uintptr.
type spans struct {
	used, bools, addresses []span
}

func (s *spans) add(v *value, off int64) {
	switch v.kind {
	case structure:
		for _, f := range v.ordered() {
			if !f.blank() {
				s.add(f.val, off+f.off)
			}
		}
	case array:
		for i := range v.n {
			s.add(v.elem, off+i*v.elem.size)
		}
	default:
		if n := len(s.used); n > 0 && s.used[n-1].to == off {
			s.used[n-1].to = off + v.size
		} else if v.size > 0 {
			s.used = append(s.used, span{off, off + v.size})
		}
		switch {
		case v.kind == boolean:
			s.bools = append(s.bools, span{off, off + 1})
		case v.basic == "uintptr":
			s.addresses = append(s.addresses, span{off + 4, off + 8})
		}
	}
}

func spanList(list []span) *jen.Statement {
	var items []jen.Code
	for _, s := range list {
		items = append(items, jen.Values(jen.Lit(int(s.from)), jen.Lit(int(s.to))))
	}
	return jen.Index().Index(jen.Lit(2)).Int().Values(items...)
}

// testFile is a test of what is generated: bytes that are loaded and stored
// come back, and padding is zero.
func (u *unit) testFile() ([]byte, error) {
	f := u.newFile()
	f.ImportName("math/rand", "rand")
	for _, r := range u.records {
		emitTest(f, &methods{typ: r.name, put: "PutParam", app: "AppendParam", get: "UnmarshalParam", size: r.name + "Size", val: r.val}, r.access)
	}
	for _, k := range u.kernels {
		if k.size > 0 {
			emitTest(f, &methods{typ: k.goName + "Args", put: "PutParams", app: "AppendParams", get: "UnmarshalParams", size: k.sizeName(), val: k.val}, nil)
		}
	}
	return u.render(f)
}

// testName is the name of the test of what a type's method stores.
func testName(typ, put string) string { return "Test" + upperFirst(typ) + put }

func emitTest(f *jen.File, m *methods, access []accessor) {
	var s spans
	s.add(m.val, 0)
	each := func(what []span, body ...jen.Code) jen.Code {
		if len(what) == 0 {
			return jen.Null()
		}
		return jen.For(jen.List(jen.Id("_"), jen.Id("s")).Op(":=").Range().Add(spanList(what))).Block(body...)
	}
	id := func(name string) *jen.Statement { return jen.Id(name) }
	doc(f, testName(m.typ, m.put)+" loads random bytes and stores them again.")
	loop := []jen.Code{
		jen.Var().List(id("src"), id("want")).Index(id(m.size)).Byte(),
		jen.For(id("i").Op(":=").Range().Id("src")).Block(id("src").Index(id("i")).Op("=").Byte().Call(id("rnd").Dot("Uint32").Call())),
		each(s.bools, id("src").Index(id("s").Index(jen.Lit(0))).Op("&=").Lit(1)),
		each(s.addresses, jen.Clear(id("src").Index(id("s").Index(jen.Lit(0)), id("s").Index(jen.Lit(1))))),
		each(s.used, jen.Copy(
			id("want").Index(id("s").Index(jen.Lit(0)), id("s").Index(jen.Lit(1))),
			id("src").Index(id("s").Index(jen.Lit(0)), id("s").Index(jen.Lit(1))))),
		jen.Var().Id("v").Id(m.typ),
		jen.If(jen.Err().Op(":=").Id("v").Dot(m.get).Call(id("src").Index(jen.Empty(), jen.Empty())), jen.Err().Op("!=").Nil()).Block(
			id("t").Dot("Fatal").Call(jen.Err())),
		id("got").Op(":=").Qual("bytes", "Repeat").Call(jen.Index().Byte().Values(hex(0xff)), id(m.size)),
		id("v").Dot(m.put).Call(id("got")),
		jen.If(jen.Op("!").Qual("bytes", "Equal").Call(id("got"), id("want").Index(jen.Empty(), jen.Empty()))).Block(
			id("t").Dot("Fatalf").Call(jen.Lit(m.put+" stored %x, want %x"), id("got"), id("want"))),
		jen.If(id("b").Op(":=").Id("v").Dot(m.app).Call(jen.Index().Byte().Values(jen.Lit(1))),
			id("b").Index(jen.Lit(0)).Op("!=").Lit(1).Op("||").Op("!").Qual("bytes", "Equal").Call(id("b").Index(jen.Lit(1), jen.Empty()), id("got"))).Block(
			id("t").Dot("Fatalf").Call(jen.Lit(m.app+" made %x of 01, want 01 and %x"), id("b"), id("got"))),
	}
	fields := slices.DeleteFunc(slices.Clone(access), func(a accessor) bool { return a.width == 0 })
	for _, a := range fields {
		first := slices.Repeat([]jen.Code{jen.Lit(0)}, a.dims)
		loop = append(loop, id("v").Dot("Set"+a.name).Call(append(first, id("v").Dot(a.name).Call(first...))...))
	}
	if len(fields) > 0 {
		loop = append(loop,
			jen.If(id("b").Op(":=").Id("v").Dot(m.app).Call(jen.Nil()), jen.Op("!").Qual("bytes", "Equal").Call(id("b"), id("got"))).Block(
				id("t").Dot("Fatalf").Call(jen.Lit("setting bit-fields to what they are made %x of %x"), id("b"), id("got"))))
	}
	f.Func().Id(testName(m.typ, m.put)).Params(id("t").Op("*").Qual("testing", "T")).Block(
		id("rnd").Op(":=").Qual("math/rand", "New").Call(jen.Qual("math/rand", "NewSource").Call(jen.Lit(1))),
		jen.For(id("i").Op(":=").Lit(0), id("i").Op("<").Lit(100), id("i").Op("++")).Block(loop...),
		jen.Var().Id("v").Id(m.typ),
		jen.If(id("v").Dot(m.get).Call(jen.Make(jen.Index().Byte(), id(m.size).Op("-").Lit(1))).Op("==").Nil()).Block(
			id("t").Dot("Error").Call(jen.Lit(m.get+" took a byte too few"))),
	)
	f.Line()
}
