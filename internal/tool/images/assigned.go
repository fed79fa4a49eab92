package images

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Assigned is the function for a picture: values without a name have their number, and types stand for sizes. It
// is false where places are not known.
func (f *Function) Assigned() (resolve.Assigned, bool) {
	if f.StackBytes == nil {
		return resolve.Assigned{}, false
	}
	decl := &ptx.Func{Name: f.Name, Entry: f.Block != nil}
	a := abi.Assignment{Kind: abi.Func, StackBytes: *f.StackBytes}
	if f.Block != nil {
		a.Kind, a.Block = abi.Entry, abi.Block{Bank: uint8(f.bank), Base: f.Block.Base, Size: f.Block.Size}
	}
	values := func(role string, list []Value) (formals []ptx.Formal, places []abi.Placement) {
		for i := range list {
			v := &list[i]
			p := ptx.Formal{Spec: ptx.Spec{Space: ptx.ParamSpace, Type: ptx.B8}, Var: ptx.Var{Name: v.Name, Dims: []int64{int64(v.Size)}}}
			if p.Name == "" {
				p.Name = role + strconv.Itoa(i)
			}
			formals, places = append(formals, p), append(places, v.place)
		}
		return formals, places
	}
	decl.Params, a.Params = values("p", f.Params)
	decl.Results, a.Results = values("r", f.Returns)
	return resolve.Assigned{Function: resolve.NewFunction(nil, decl), Places: a}, true
}
