package packers

import (
	"go/build/constraint"
	"slices"
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
	// A uintptr has 32 bits on some.
	return v.kind == integer && v.basic != "uintptr" || v.kind == float || v.kind == half || v.kind == complexNumber
}

// A block is an array that is copied as memory.
type block struct {
	From, Size int64
	X          string
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
				out = append(out, f.Val.blocks(off+f.Off, x+"."+f.Name)...)
			}
		}
	}
	return out
}

// To is where a block ends.
func (b block) To() int64 { return b.From + b.Size }

// Blocks are those of what the methods pack.
func (m *methods) Blocks() []block { return m.Val.blocks(0, "v") }

// emitMemory writes the methods that copy memory where they can, for machines on which they can or for others.
func (m *methods) emitMemory(f *goFile, here bool) {
	f.part(m.by, "")
	f.template("memory.go.tmpl", struct {
		*methods
		Here bool
	}{m, here})
}

// memoryFiles are the two files with those methods; none where nothing is copied so.
func (u *unit) memoryFiles(o outputSet) []*goFile {
	list := slices.DeleteFunc(u.packed(), func(m *methods) bool { return len(m.Blocks()) == 0 })
	if len(list) == 0 {
		return nil
	}
	f := &goFile{path: o.companion("_memory"), built: onAny(littleEndian)}
	g := &goFile{path: o.companion("_memory_others"), built: &constraint.NotExpr{X: f.built}}
	for _, m := range list {
		m.emitMemory(f, true)
		m.emitMemory(g, false)
	}
	return []*goFile{f, g}
}
