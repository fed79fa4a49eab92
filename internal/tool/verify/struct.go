package verify

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/layout"
)

// A Struct is a record that the host fills and a kernel reads.
type Struct struct {
	File   string
	Name   string
	Line   int
	Layout *layout.Layout
	Size   int // bytes that are passed of it by value
}

// Whole is the Param of [Binary.CompareStruct] that stands for all parameters.
const Whole = -1

func (r *Report) compareStruct(f *compiled, s Struct, t *abi.Target, kernel string, param int) {
	fn := f.Func(kernel)
	k := SourceKernel{Name: kernel, Line: s.Line, host: true}
	switch {
	case fn == nil || !fn.Kernel:
	case param == Whole:
		if k.Block, k.Err = wholeBlock(s, t); k.Block != nil {
			k.Block.regroup(s, fn)
		}
	case param >= len(fn.Params):
		k.Err = fmt.Sprintf("%s is for parameter %d, and the kernel has %d", s.Name, param, len(fn.Params))
	default:
		k.Block = oneParam(s, t, block(fn), param)
	}
	out := r.kernel(k, fn, f, &Source{Name: s.File, Target: t})
	if one := s.only(fn); param == Whole && one >= 0 {
		for i := range out.Differences {
			if d := &out.Differences[i]; d.What == "size" && d.Param < 0 {
				d.Msg += fmt.Sprintf("; parameter %d has %d: -param %[1]d compares %[3]s with it alone", one, s.Size, s.Name)
			}
		}
	}
	if fn == nil {
		out.Differences[0].Msg = fmt.Sprintf("not here, so that %s of %s is compared with nothing", s.Name, lineAt(s.File, s.Line))
	}
	out.Struct = s.Name
	r.Kernels = append(r.Kernels, out)
}

// only is the one parameter of a kernel that has the size of the struct, -1 if there
// is none, or several.
func (s *Struct) only(fn *cubin.Function) int {
	if fn == nil {
		return -1
	}
	var all []int
	for i := range fn.Params {
		if fn.Params[i].Size == s.Size {
			all = append(all, i)
		}
	}
	if len(all) != 1 {
		return -1
	}
	return all[0]
}

// wholeBlock has a parameter for each field of a struct.
func wholeBlock(s Struct, t *abi.Target) (*Block, string) {
	b := &Block{Params: []Param{}}
	for i := range s.Layout.Members {
		m := &s.Layout.Members[i]
		switch {
		case m.Field.Name == "_":
			continue
		case m.Field.BitField:
			return nil, fmt.Sprintf("field %s of %s is a bit-field, which is not a parameter", m.Field.Name, s.Name)
		}
		p := ParamOf(m.Field.Name, m.Field.Type, m.Layout, int(m.Offset), int(m.Layout.Size))
		b.Params, b.Size = append(b.Params, p), max(b.Size, p.Offset+p.Size)
	}
	a, err := abi.Assign(abi.Signature{Kind: abi.Entry, Params: []abi.Value{{Size: b.Size, Align: 1}}}, t)
	if err != nil {
		return nil, fmt.Sprintf("%s as the parameters: %v", s.Name, err)
	}
	b.Bank, b.Base = int(a.Block.Bank), a.Block.Base
	return b, ""
}

// regroup gives the block the parameters of the kernel, if the fields of the struct, or the
// elements of those, tile each of them: a record of the kernel whose members stand in
// the struct one by one has the same bytes, and so has one of the struct whose members
// the kernel takes one by one.
func (b *Block) regroup(s Struct, fn *cubin.Function) {
	leaves := s.leaves()
	var params []Param
	for i := range fn.Params {
		c := &fn.Params[i]
		end := int64(c.Offset + c.Size)
		p := Param{Offset: c.Offset, Size: c.Size}
		align, last := int64(1), int64(c.Offset)
		for len(leaves) > 0 && leaves[0].Offset < end {
			f := leaves[0]
			leaves = leaves[1:]
			if f.Offset != (last+f.Align-1)/f.Align*f.Align || f.Offset+f.Size > end || f.BitWidth > 0 {
				return
			}
			align, last = max(align, f.Align), f.Offset+f.Size
			p.Fields = append(p.Fields, fieldOf(&f, 0))
		}
		if len(p.Fields) == 0 || p.Fields[0].Offset != c.Offset || int64(c.Offset)+(last-int64(c.Offset)+align-1)/align*align != end {
			return
		}
		if first := &p.Fields[0]; len(p.Fields) == 1 {
			p.Name, p.Type, p.scalar, p.kind, p.long, p.Fields = first.Path, first.Type, first.elem == first.Size, first.kind, first.long, nil
		} else {
			p.Name = first.Path + " … " + p.Fields[len(p.Fields)-1].Path
		}
		params = append(params, p)
	}
	if len(leaves) == 0 && len(params) != len(b.Params) && len(params) > 0 {
		last := params[len(params)-1]
		b.Params, b.Size = params, last.Offset+last.Size
	}
}

// leaves are the fields of a struct and those within them, arrays by their elements. More
// than can be parameters are of no use.
func (s *Struct) leaves() []layout.Leaf {
	var out []layout.Leaf
	for f := range s.Layout.Fields() {
		if f.Path == "_" || strings.HasSuffix(f.Path, "._") {
			continue // there for its bytes alone
		}
		n := int64(1)
		t := layout.Unalias(f.Type)
		for a, ok := t.(*layout.Array); ok; a, ok = t.(*layout.Array) {
			n *= max(a.Len, 1)
			t = layout.Unalias(a.Elem)
		}
		if n > maxFields || len(out) > 4*maxFields {
			return nil
		}
		size := f.Size / n
		for i := range n {
			one := f
			one.Offset, one.Size = f.Offset+i*size, size
			if n > 1 {
				one.Path, one.Type = fmt.Sprintf("%s[%d]", f.Path, i), t
			}
			out = append(out, one)
		}
	}
	return out
}

// oneParam is the compiled block with a struct in place of one parameter. Its
// offset follows from where the one before ends.
func oneParam(s Struct, t *abi.Target, compiled *Block, param int) *Block {
	b := *compiled
	b.Params = append([]Param(nil), compiled.Params...)
	sig := abi.Signature{Kind: abi.Entry}
	for i := range b.Params {
		b.Params[i].Name = "(as compiled)"
	}
	end := 0
	for i := range param {
		if p := &b.Params[i]; p.Handle == "" {
			end = max(end, p.Offset+p.Size)
		} else {
			end = max(end, b.Params[param].Offset) // what it leaves free is not recorded
		}
	}
	if end > 0 {
		sig.Params = append(sig.Params, abi.Value{Size: end, Align: 1})
	}
	sig.Params = append(sig.Params, abi.Value{Size: s.Size, Align: int(s.Layout.Align)})
	q := Param{Name: s.Name, Type: s.Layout.Type.String(), Offset: b.Params[param].Offset, Size: s.Size}
	if a, err := abi.Assign(sig, t); err == nil && s.Size > 0 {
		q.Offset = a.Params[len(a.Params)-1].Loc.Off - a.Block.Base
	}
	q.Fields = fields(s.Layout, q.Offset)
	b.Params[param] = q
	if param == len(b.Params)-1 {
		b.Size = q.Offset + q.Size
	}
	return &b
}

// typeName is a type as C has it, without a name for records that have none.
func typeName(t layout.Type) string {
	if rec, ok := layout.Unalias(t).(*layout.Record); ok && rec.Name == "" {
		return rec.Kind.String()
	}
	return t.String()
}

// maxFields bounds how many fields of one parameter are listed.
const maxFields = 256

// fields are those of a record at an offset of the block.
func fields(l *layout.Layout, at int) []Field {
	if _, ok := layout.Unalias(l.Type).(*layout.Record); !ok {
		return nil
	}
	return Fields(l, at)
}

// Fields lists the leaves of a type that lies at an offset of the block, the
// first 256 of them.
func Fields(l *layout.Layout, at int) []Field {
	var all []Field
	for f := range l.Fields() {
		if len(all) == maxFields {
			break
		}
		if f.Path != "" {
			all = append(all, fieldOf(&f, at))
		}
	}
	return all
}

// fieldOf is a leaf of a type that lies at an offset of the block.
func fieldOf(f *layout.Leaf, at int) Field {
	one := Field{Path: f.Path, Type: f.Type.String(), long: isLong(f.Type), Offset: at + int(f.Offset), Size: int(f.Size)}
	if f.BitWidth > 0 {
		one.kind, one.bits, one.bit = kindBits, int(f.BitWidth), int(f.BitOffset)
	} else {
		one.elem, one.kind = elementOf(f.Type, one.Size)
	}
	return one
}
