package packers

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
)

// minCopied is the size in bytes from which an array of numbers is copied as memory where Go keeps
// the lowest byte of a number first: below, storing one after the other takes as long.
const minCopied = 128

// asMemory reports whether a value is an array that has the same bytes in Go, on every machine that
// keeps the lowest byte first, as on the device. Any bytes are such a value.
func (v *value) asMemory() bool {
	if v.kind != array || v.size < minCopied {
		return false
	}
	for v.kind == array {
		v = v.elem
	}
	switch v.kind {
	case integer:
		return v.basic != "uintptr" // which has 32 bits on some
	case float, complexNumber:
		return true
	}
	return false
}

// A block is an array that is copied as memory.
type block struct {
	off, size int64
	x         *jen.Statement
}

// blocks are those of a value, but for those in other arrays.
func (v *value) blocks(off int64, x *jen.Statement) []block {
	if v.asMemory() {
		return []block{{off, v.size, x}}
	}
	var out []block
	if v.kind == structure {
		for _, f := range v.ordered() {
			if !f.blank() {
				out = append(out, f.val.blocks(off+f.off, x.Clone().Dot(f.name))...)
			}
		}
	}
	return out
}

// The methods that copy memory, where they can.
const (
	putMemory = "putMemory"
	getMemory = "getMemory"
)

// emitMemory writes them, for machines on which they can or for others.
func (m *methods) emitMemory(f *jen.File, here bool) {
	blocks := m.val.blocks(0, jen.Id("v"))
	bytes := jen.Op("*").Index(jen.Id(m.size)).Byte()
	for _, name := range []string{putMemory, getMemory} {
		receiver, params := jen.Op("*").Id(m.typ), jen.Add(bytes)
		result := jen.False()
		what := "no array is: the lowest byte of a number is not first here"
		var body []jen.Code
		if here {
			receiver, params, result = m.receiver(), jen.Id("b").Add(bytes), jen.True()
			what = "arrays of numbers are"
			for _, one := range blocks {
				own := jen.Qual("unsafe", "Slice").Call(
					jen.Parens(jen.Op("*").Byte()).Call(pointer().Call(jen.Op("&").Add(one.x.Clone()))), jen.Lit(int(one.size)))
				from, to := jen.Code(own), jen.Code(slice("b", one.off, one.off+one.size))
				if name == getMemory {
					from, to = to, from
				}
				body = append(body, jen.Copy(to, from))
			}
		}
		verb := "stores"
		if name == getMemory {
			verb = "loads"
		}
		doc(f, fmt.Sprintf("%s %s what is copied as memory: %s.", name, verb, what))
		f.Func().Params(receiver).Id(name).Params(params).Bool().Block(append(body, jen.Return(result))...)
		f.Line()
	}
}

// memoryFiles are the two files with those methods; nil where nothing is copied so.
func (u *unit) memoryFiles() (here, others []byte, err error) {
	var list []*methods
	for _, r := range u.records {
		list = append(list, r.methods())
	}
	for _, k := range u.kernels {
		list = append(list, k.methods())
	}
	f, g := u.newFile(), u.newFile()
	found := false
	for _, m := range list {
		if len(m.val.blocks(0, jen.Id("v"))) > 0 {
			found = true
			m.emitMemory(f, true)
			m.emitMemory(g, false)
		}
	}
	if !found {
		return nil, nil, nil
	}
	lowFirst := strings.Join(littleEndian, " || ")
	if here, err = u.render(f, lowFirst); err != nil {
		return nil, nil, err
	}
	others, err = u.render(g, "!("+lowFirst+")")
	return here, others, err
}
