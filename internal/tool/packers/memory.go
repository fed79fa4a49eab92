package packers

import (
	"fmt"
	"strings"
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
	x         string
}

// blocks are those of a value, but for those in other arrays.
func (v *value) blocks(off int64, x string) []block {
	if v.asMemory() {
		return []block{{off, v.size, x}}
	}
	var out []block
	if v.kind == structure {
		for _, f := range v.ordered() {
			if !f.blank() {
				out = append(out, f.val.blocks(off+f.off, x+"."+f.name)...)
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
func (m *methods) emitMemory(f *goFile, here bool) {
	blocks := m.val.blocks(0, "v")
	for _, name := range []string{putMemory, getMemory} {
		head := fmt.Sprintf("func (*%s) %s(*[%s]byte) bool", m.typ, name, m.size)
		result := "return false"
		what := "no array is: the lowest byte of a number is not first here"
		var body []string
		if here {
			head = fmt.Sprintf("func (v *%s) %s(b *[%s]byte) bool", m.typ, name, m.size)
			result = "return true"
			what = "arrays of numbers are"
			for _, one := range blocks {
				from := code("‹unsafe›.Slice((*byte)(‹unsafe›.Pointer(&%s)), %d)", one.x, one.size)
				to := slice("b", one.off, one.off+one.size)
				if name == getMemory {
					from, to = to, from
				}
				body = append(body, fmt.Sprintf("copy(%s, %s)", to, from))
			}
		}
		verb := "stores"
		if name == getMemory {
			verb = "loads"
		}
		f.doc("%s %s what is copied as memory: %s.", name, verb, what)
		f.block(head, append(body, result))
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
	f, g := new(goFile), new(goFile)
	found := false
	for _, m := range list {
		if len(m.val.blocks(0, "v")) > 0 {
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
