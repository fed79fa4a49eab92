package images

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Source says where the name, type and alignment of a value come from.
type Source string

// The sources.
const (
	Record Source = "record" // the compiled file: a size, and no name, type or alignment
	PTX    Source = "ptx"    // PTX of the same module
	DWARF  Source = "dwarf"  // what the cubin, or the program that carries it, has for debuggers
	Symbol Source = "symbol" // the mangled name
)

// A Location is where a value lives.
type Location struct {
	// Kind is that of [abi.Loc], or "unknown": of values of device functions, of which files
	// record no alignment.
	Kind     string `json:"kind"`
	Bank     *int   `json:"bank,omitempty"`
	Register *int   `json:"register,omitempty"`
	Offset   *int   `json:"offset,omitempty"`
}

// LocationOf is a place of an assignment.
func LocationOf(l abi.Loc) Location {
	out := Location{Kind: l.Kind.String()}
	switch l.Kind {
	case abi.InReg, abi.Indirect:
		out.Register = new(int(l.Reg))
	case abi.OnStack:
		out.Offset = &l.Off
	case abi.InConst:
		out.Bank, out.Offset = new(int(l.Bank)), &l.Off
	}
	return out
}

// A Value is a parameter or a result. Sizes, alignments and offsets are in bytes.
type Value struct {
	Name     string   `json:"name"` // "": not known
	Space    string   `json:"space"`
	Type     string   `json:"type"` // of PTX, or of C++ from other sources; "": not known
	Size     int      `json:"size"`
	Align    int      `json:"align"`            // 0: not known
	Offset   *int     `json:"offset,omitempty"` // of a kernel's parameter, from the beginning of its block
	Location Location `json:"location"`
	Source   Source   `json:"source,omitempty"` // of compiled files
	// Declared is the C++ declaration, such as "float* p", of a value whose type is PTX's; "": not known.
	Declared string `json:"declared,omitempty"`
	Why      []Rule `json:"why,omitempty"`
	place    abi.Placement
}

// A Rule is one that places a value.
type Rule struct {
	Name  string   `json:"rule"`
	Text  string   `json:"text"`
	Facts []string `json:"facts"`
}

// ValueOf is a formal at its place; base is where the block of a kernel begins.
func ValueOf(p *ptx.Formal, place abi.Placement, base int) Value {
	v := valueAt(place, base)
	v.Name, v.Space, v.Type, v.Align = p.Name, SpaceOf(p), p.Spec.TypeText(), place.Align
	return v
}

// valueAt is a value of which nothing is known but its place and its size.
func valueAt(place abi.Placement, base int) Value {
	v := Value{Space: "param", Size: place.Size, Location: LocationOf(place.Loc), place: place}
	if place.Loc.Kind == abi.InConst {
		v.Offset = new(place.Loc.Off - base)
	}
	return v
}

// A Block is where a kernel's parameters begin in their bank, and how many bytes they have.
type Block struct {
	Base int `json:"base"`
	Size int `json:"size"`
}

// A Function is a kernel or a device function of an image.
type Function struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"`           // "entry", "func" or "prototype"
	Line    int     `json:"line,omitempty"` // of PTX; 0: not known
	Params  []Value `json:"params"`
	Returns []Value `json:"returns"`
	// StackBytes is the size of the stack area that carries parameters; nil: not known.
	StackBytes *int   `json:"stackBytes,omitempty"`
	Block      *Block `json:"block,omitempty"` // of kernels
	Source     Source `json:"source"`          // of the places
	// PTX is the target of the PTX that values have as their source, where that is not what the cubin was made of; "": it is.
	PTX  string `json:"ptx,omitempty"`
	bank int
}

// ofPTX is a function of PTX with its places.
func ofPTX(f *resolve.Function, a *abi.Assignment) Function {
	out := Function{Name: f.Name, Kind: f.Kind().String(), Line: int(f.Pos.Line), StackBytes: &a.StackBytes, Source: PTX}
	if f.Kind() == resolve.Entry {
		out.Block, out.bank = &Block{a.Block.Base, a.Block.Size}, int(a.Block.Bank)
	}
	values := func(formals []ptx.Formal, places []abi.Placement) []Value {
		all := make([]Value, len(formals))
		for i := range formals {
			all[i] = ValueOf(&formals[i], places[i], a.Block.Base)
			all[i].Source = PTX
		}
		return all
	}
	out.Params, out.Returns = values(f.Params, a.Params), values(f.Results, a.Results)
	return out
}

// SpaceOf is the state space of a formal without its dot.
func SpaceOf(p *ptx.Formal) string {
	if s := p.Space.String(); s != "" {
		return s[1:]
	}
	return "param"
}

// A Chosen reports whether a kernel or function of that name is described.
type Chosen func(name string, kernel bool) bool

// OfPTX describes the functions of PTX on its target, and counts those that limit leaves out; limit 0 is none.
// Functions without places, such as those that are not right, are left out.
func OfPTX(m *ptx.Module, t *abi.Target, chosen Chosen, limit int) (list []Function, more int) {
	for f := range resolve.NewTable(m).Functions() {
		if !chosen(f.Name, f.Kind() == resolve.Entry) {
			continue
		}
		if limit > 0 && len(list) >= limit {
			more++
			continue
		}
		if a, wrong := f.AssignLatest(t); len(wrong) == 0 {
			one := ofPTX(f, &a)
			for i, known := range ofSymbol(one.Name, one.Params) {
				one.Params[i].Declared = known.String()
			}
			list = append(list, one)
		}
	}
	return list, more
}

// kernel describes a kernel by its records.
func (r *Cubin) kernel(fn *cubin.Function) Function {
	out := Function{Name: fn.Name, Kind: "entry", Params: make([]Value, len(fn.Params)), Returns: []Value{}, StackBytes: new(int), Source: Record}
	out.Block, out.bank = &Block{max(fn.ParamBase, 0), max(fn.ParamSize, 0)}, max(fn.ParamBank, 0)
	if fn.ParamBase < 0 && r.target != nil { // without parameters that have a place, nothing is recorded
		if a, err := abi.Assign(abi.Signature{Kind: abi.Entry}, r.target); err == nil {
			out.Block, out.bank = &Block{a.Block.Base, 0}, int(a.Block.Bank)
		}
	}
	for i := range fn.Params {
		p := &fn.Params[i]
		place, typ := abi.Placement{Size: p.Size}, ""
		if p.Offset >= 0 {
			place.Loc = abi.Loc{Kind: abi.InConst, Bank: uint8(out.bank), Off: out.Block.Base + p.Offset}
		} else if space := p.PointeeSpace.String(); space != "" {
			typ = "." + space
		}
		out.Params[i] = valueAt(place, out.Block.Base)
		out.Params[i].Type, out.Params[i].Source = typ, Record
	}
	r.name(fn, &out)
	return out
}

// name gives the parameters of a kernel what is known of them beside the records.
func (r *Cubin) name(fn *cubin.Function, out *Function) {
	if len(fn.Params) == 0 {
		return
	}
	declared, from := r.debug.Params(fn), DWARF
	if declared == nil {
		declared, from = ofSymbol(fn.Name, out.Params), Symbol
	}
	texts := r.declared(fn)
	if texts != nil && texts.PTX != "" && from == DWARF {
		texts = nil // what debuggers know is the cubin's own
	}
	if texts != nil {
		out.PTX = texts.PTX
	}
	for i := range out.Params {
		v := &out.Params[i]
		if texts != nil {
			p := &texts.Params[i]
			v.Name, v.Type, v.Align, v.Source = p.Name, p.Type, p.Align, PTX
			v.place.Align = p.Align
			if declared != nil {
				v.Declared = declared[i].String()
			}
		} else if declared != nil {
			p := &declared[i]
			v.Name, v.Type, v.Align, v.Source = p.Name, p.Type, p.Align, from
		}
	}
}

// function describes a device function by its prototype.
func (r *Cubin) function(p *cubin.Prototype) (Function, bool) {
	if f := r.prototyped(p); f != nil {
		return *f, true
	}
	results, params, ok := p.Values()
	if !ok {
		return Function{}, false
	}
	values := func(list []cubin.ProtoValue) []Value {
		all := make([]Value, len(list))
		for i, v := range list {
			all[i] = Value{Space: "param", Type: v.Words(), Size: v.Size(), Location: Location{Kind: "unknown"}, Source: Record}
		}
		return all
	}
	return Function{Name: p.Name, Kind: "func", Params: values(params), Returns: values(results), Source: Record}, true
}

// Functions describes the kernels of the cubin, and the device functions whose prototypes it records. It counts those that
// limit leaves out; limit 0 is none.
func (r *Cubin) Functions(chosen Chosen, limit int) (list []Function, more int) {
	for i := range r.file.Functions {
		fn := &r.file.Functions[i]
		if !fn.Kernel || !chosen(fn.Name, true) {
			continue
		}
		if limit > 0 && len(list) >= limit {
			more++
			continue
		}
		list = append(list, r.kernel(fn))
	}
	seen := make(map[string]bool)
	for i := range r.file.Prototypes {
		p := &r.file.Prototypes[i]
		if seen[p.Name] || isa.Helper(p.Name) || !chosen(p.Name, false) {
			continue
		}
		seen[p.Name] = true
		if limit > 0 && len(list) >= limit {
			more++
		} else if f, ok := r.function(p); ok {
			list = append(list, f)
		}
	}
	return list, more
}
