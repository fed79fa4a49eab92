package verify

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// anyHandle is the Handle of a parameter that has no place and of which is not
// recorded what it is: an array of handles.
const anyHandle = "handle"

// block is the parameter block of a compiled kernel. Where it has no parameters
// nothing is recorded of its place, nor from sm_90 on where all are handles:
// measured with ptxas 12.4 to 13.5.
func block(fn *cubin.Function) *Block {
	b := &Block{Bank: max(fn.ParamBank, 0), Base: fn.ParamBase, Size: max(fn.ParamSize, 0), Params: []Param{}}
	for _, p := range fn.Params {
		q := Param{Offset: p.Offset, Size: p.Size}
		if p.Offset < 0 {
			q.Handle = p.PointeeSpace.String()
			if p.PointeeSpace == 0 {
				q.Handle = anyHandle
			}
		}
		b.Params = append(b.Params, q)
	}
	return b
}

// compare finds the numbers in which two blocks differ.
func compare(source, compiled *Block, name string, add adder) {
	for i := range min(len(source.Params), len(compiled.Params)) {
		a, b := &source.Params[i], &compiled.Params[i]
		if a.Handle != b.Handle && (b.Handle != anyHandle || !a.handles) {
			add("handle", i, 0, 0, "parameter %d (%s) is %s here, %s in %s", i, a.label(), kind(b), kind(a), name)
			continue
		}
		if a.Offset != b.Offset {
			add("offset", i, a.Offset, b.Offset, "parameter %d (%s) at offset %d, at %d in %s", i, a.label(), b.Offset, a.Offset, name)
		}
		if a.Size != b.Size {
			add("size", i, a.Size, b.Size, "parameter %d (%s) has %s, %d in %s", i, a.label(), bytes(b.Size), a.Size, name)
		}
	}
	if a, b := len(source.Params), len(compiled.Params); a != b {
		add("count", min(a, b), a, b, "%s, %d in %s", prose.Count(b, "parameter"), a, name)
	}
	if len(compiled.Params) == 0 || compiled.Base < 0 && compiled.Size == 0 && source.Size == 0 {
		return // its place is not recorded, and does not matter
	}
	if source.Bank != compiled.Bank {
		add("bank", -1, source.Bank, compiled.Bank, "the parameters are in constant bank %d, for %s in %d", compiled.Bank, name, source.Bank)
	}
	if len(source.Params) > 0 && source.Base != compiled.Base {
		add("base", -1, source.Base, compiled.Base, "the parameters begin at 0x%x, for %s at 0x%x", compiled.Base, name, source.Base)
	}
	if source.Size != compiled.Size {
		add("size", -1, source.Size, compiled.Size, "the parameters have %s, %d in %s", bytes(compiled.Size), source.Size, name)
	}
}

func kind(p *Param) string {
	if p.Handle == "" {
		return "a value"
	}
	return "a " + p.Handle
}

// handleBytes are the bytes that an element of an array of handles has.
var handleBytes = map[ptx.Type]int{ptx.TexRef: 52, ptx.SamplerRef: 20, ptx.SurfRef: 28}

// handlesAsBytes is the block of a kernel as releases up to 13.0 lay it out, nil
// where it is no other: an array of handles is bytes in it, aligned to 4, and what
// follows stands after them. From 13.4 on it has no place, and of its kind nothing is recorded.
//
// Measured with ptxas 11.8 to 13.5 on sm_35 to sm_120: record and code agree.
func handlesAsBytes(params []ptx.Formal, t *abi.Target) *Block {
	s := abi.Signature{Kind: abi.Entry, Params: resolve.Values(params)}
	arrays := false
	for i := range params {
		if p := &params[i]; isHandles(p) {
			n := min(p.Dims[0], 1<<16) // more fit no block
			s.Params[i], arrays = abi.Value{Size: handleBytes[p.Type] * int(n), Align: 4}, true
		}
	}
	if !arrays {
		return nil
	}
	a, err := abi.Assign(s, t)
	if err != nil {
		return nil
	}
	b := sourceBlock(params, &a)
	for i := range b.Params {
		if p := &b.Params[i]; p.handles {
			p.Handle, p.Offset, p.Size = "", a.Params[i].Loc.Off-a.Block.Base, a.Params[i].Size
		}
	}
	return b
}

// isHandles reports whether a parameter is an array of handles.
func isHandles(p *ptx.Formal) bool {
	return len(p.Dims) == 1 && p.Dims[0] > 0 && p.Type.Class() == ptx.Handle
}

// hasBytes reports whether a compiled block has bytes where b has an array of
// handles.
func (b *Block) hasBytes(compiled *Block) bool {
	for i := range min(len(b.Params), len(compiled.Params)) {
		if b.Params[i].handles && compiled.Params[i].Handle == "" {
			return true
		}
	}
	return false
}

// label is the name of a parameter without that of its kernel, which compilers put before it.
func (p *Param) label() string {
	if p.short != "" {
		return p.short
	}
	return p.Name
}
