package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/layout"
)

// A record experiment is a kernel that takes records by value, as nvcc declares
// them, and writes their bytes.
type records struct {
	layouts []layout.Layout
	values  [][]byte
	places  abi.Assignment // of the address that it writes to, then of the records
}

// newRecords draws the index-th kernel of a seed.
func newRecords(seed uint64, index int, t *abi.Target) (*records, error) {
	r := rand.New(rand.NewPCG(seed, uint64(index)+2<<32))
	e := &records{}
	sig := abi.Signature{Kind: abi.Entry, Params: []abi.Value{{Size: 8, Align: 8}}}
	for range 1 + r.IntN(4) {
		l, err := layout.Of(randomRecord(r, 2), layout.LP64)
		if err != nil {
			return nil, err
		}
		e.layouts = append(e.layouts, l)
		e.values = append(e.values, random(r, int(l.Size)))
		p := l.ParamOf(layout.NVCC, layout.KernelArgument, "p")
		sig.Params = append(sig.Params, abi.Value{Size: int(p.Bytes), Align: int(p.Align)})
	}
	var err error
	e.places, err = abi.Assign(sig, t)
	return e, err
}

var fieldKinds = []layout.Kind{
	layout.Bool, layout.Char, layout.Short, layout.Int, layout.LongLong, layout.Float, layout.Double, layout.UShort, layout.UChar,
}

func randomRecord(r *rand.Rand, depth int) *layout.Record {
	rec := &layout.Record{Name: "s", Packed: r.IntN(8) == 0}
	if r.IntN(6) == 0 {
		rec.Align = 1 << r.IntN(7)
	}
	for i := range 1 + r.IntN(5) {
		var typ layout.Type = layout.Scalar{Kind: fieldKinds[r.IntN(len(fieldKinds))]}
		switch n := r.IntN(8); {
		case n == 0 && depth > 0:
			typ = randomRecord(r, depth-1)
		case n == 1:
			typ = &layout.Array{Elem: typ, Len: int64(1 + r.IntN(5))}
		}
		rec.Fields = append(rec.Fields, layout.Field{Name: fmt.Sprint("f", i), Type: typ})
	}
	return rec
}

// module returns the kernel's module.
func (e *records) module(target, ptx string) string {
	w := &writer{}
	w.WriteString(head(target, ptx))
	w.WriteString(".visible .entry " + kernelName + "(.param .u64 out")
	for i := range e.layouts {
		w.WriteString(", " + e.layouts[i].ParamOf(layout.NVCC, layout.KernelArgument, names(i)).String())
	}
	w.line(")\n{")
	w.registers()
	w.line("ld.param.u64 %%out, [out];")
	at := 0
	for i, v := range e.values {
		w.copy("global", "%out", at, "param", names(i), 0, len(v))
		at += len(v)
	}
	w.line("ret;\n}")
	return w.String()
}

// block is the whole parameter block, as Assign lays it out.
func (e *records) block() (block []byte, out int) {
	base := e.places.Block.Base
	block = make([]byte, e.places.Block.Size)
	for i, v := range e.values {
		copy(block[e.places.Params[i+1].Loc.Off-base:], v)
	}
	return block, e.places.Params[0].Loc.Off - base
}

// wrong compares the output of the kernel with the values that were passed.
func (e *records) wrong(out []byte) (n int, lines []string) {
	for i, v := range e.values {
		if got := out[n : n+len(v)]; !bytes.Equal(got, v) {
			lines = append(lines, fmt.Sprintf("record %d, %s: passed %x, arrived %x", i, e.places.Params[i+1].Loc, v, got))
		}
		n += len(v)
	}
	return n, lines
}
