package annotate

import (
	"encoding/json"

	"github.com/ptxabi/ptxabi/abi"
)

// A Document is what is said of the functions of a listing in the form
// ptxabi.annotate/1. It is made function by function: AppendBegin, AppendFunc for each,
// AppendEnd.
type Document struct {
	File   string // the listing's name
	Target string
	// Assumed says that the facts of Target are those of another.
	Assumed bool
	// Registers is as in [Options].
	Registers bool

	some bool // a function stands in it
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

const (
	emptyList = "[]\n}"
	indent    = "  "
)

// AppendBegin appends what stands before the functions.
func (d *Document) AppendBegin(dst []byte) []byte {
	text, err := json.MarshalIndent(jsonHead{"ptxabi.annotate/1", d.File, d.Target, d.Assumed, []string{}}, "", indent)
	if err != nil {
		panic(err) // nothing in it has no JSON
	}
	return append(dst, text[:len(text)-len(emptyList)]...)
}

// AppendFunc appends what is said of a function for a target: of its instructions those with
// notes, and with Registers all.
func (d *Document) AppendFunc(dst []byte, f Listed, t *abi.Target) []byte {
	one := jsonFunction{Name: f.Name, Kind: "func", Line: f.Line, Named: f.Named, Tangled: f.Tangled, Instructions: []jsonInstr{}}
	if f.Func.Kernel {
		one.Kind = "entry"
	}
	if f.Named {
		one.Signature = f.Func.Signature()
	}
	if t.Name != d.Target {
		one.Target, one.Assumed = t.Name, t.AssumedFrom != ""
	}
	for i := range f.Instrs {
		in := &f.Instrs[i]
		j := jsonInstr{Line: in.Line, Opcode: in.Opcode, Notes: append([]string{}, in.Notes...)}
		if in.HasAddress {
			j.Address = &in.Address
		}
		if d.Registers {
			j.Registers = in.Cells
		}
		one.Instructions = append(one.Instructions, j)
	}
	text, err := json.MarshalIndent(one, indent+indent, indent)
	if err != nil {
		panic(err) // as in AppendBegin
	}
	before := ",\n" + indent + indent
	if !d.some {
		before = "[\n" + indent + indent
	}
	d.some = true
	return append(append(dst, before...), text...)
}

// AppendEnd appends what stands after the functions.
func (d *Document) AppendEnd(dst []byte) []byte {
	if !d.some {
		return append(dst, emptyList+"\n"...)
	}
	return append(dst, "\n"+indent+"]\n}\n"...)
}
