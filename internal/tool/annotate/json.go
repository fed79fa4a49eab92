package annotate

import (
	"encoding/json"

	"github.com/ptxabi/ptxabi/abi"
)

// A Document is what is said of the functions of a listing in the form
// ptxabi.annotate/1. It is made function by function: Append for each, and End.
type Document struct {
	File string // the listing's name

	target *abi.Target // of the first function; nil before
}

type jsonHead struct {
	Format    string   `json:"format"`
	File      string   `json:"file"`
	Target    string   `json:"target"`
	Assumed   bool     `json:"assumed,omitempty"`
	Functions []string `json:"functions"`
}

type jsonFunction struct {
	Name         string      `json:"name"`
	Kind         string      `json:"kind"` // "func" or "entry"
	Line         int         `json:"line"`
	Target       string      `json:"target,omitempty"` // where it is not the document's
	Assumed      bool        `json:"assumed,omitempty"`
	Named        bool        `json:"named"`
	Tangled      bool        `json:"tangled,omitempty"`
	Signature    string      `json:"signature,omitempty"`
	Instructions []jsonInstr `json:"instructions"`
}

type jsonInstr struct {
	Line      int      `json:"line"`
	Address   *int64   `json:"address,omitempty"`
	Opcode    string   `json:"opcode"`
	Notes     []string `json:"notes"`
	Registers string   `json:"registers,omitempty"`
}

const indent = "  "

// Append appends what is said of a function: of its instructions those with notes, and with Registers all.
func (d *Document) Append(dst []byte, f Listed, o *Options) []byte {
	t, before := o.Target, ","
	if d.target == nil {
		d.target = t
		head := appendIndented(nil, jsonHead{"ptxabi.annotate/1", d.File, t.Name, t.AssumedFrom != "", []string{}}, "")
		before = string(head[:len(head)-len("]\n}")])
	}
	one := jsonFunction{Name: f.Name, Kind: "func", Line: f.Line, Named: f.Named, Tangled: f.Tangled, Instructions: []jsonInstr{}}
	if f.Func.Kernel {
		one.Kind = "entry"
	}
	if f.Named {
		one.Signature = f.Func.Signature()
	}
	if t.Name != d.target.Name {
		one.Target, one.Assumed = t.Name, t.AssumedFrom != ""
	}
	for i := range f.Instrs {
		in := &f.Instrs[i]
		j := jsonInstr{Line: in.Line, Opcode: in.Opcode, Notes: append([]string{}, in.Notes...)}
		if in.HasAddress {
			j.Address = &in.Address
		}
		if o.Registers {
			j.Registers = in.Cells
		}
		one.Instructions = append(one.Instructions, j)
	}
	return appendIndented(append(dst, before+"\n"+indent+indent...), one, indent+indent)
}

func appendIndented(dst []byte, v any, prefix string) []byte {
	text, err := json.MarshalIndent(v, prefix, indent)
	if err != nil {
		panic(err) // nothing in it has no JSON
	}
	return append(dst, text...)
}

// End is what stands after the functions, nothing if there are none.
func (d *Document) End() string {
	if d.target == nil {
		return ""
	}
	return "\n" + indent + "]\n}\n"
}
