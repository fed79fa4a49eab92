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

// A Listed is a function of a listing with what is said of its code.
type Listed struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`             // "func" or "entry"
	Line    int    `json:"line"`             // where it begins in the listing, from 1; 0: unknown
	Target  string `json:"target,omitempty"` // where it is not the document's
	Assumed bool   `json:"assumed,omitempty"`
	Named   bool   `json:"named"` // the names are those of the source, and not of places
	// Tangled says that control comes together in so many ways that no value was
	// followed further than to where it does.
	Tangled      bool    `json:"tangled,omitempty"`
	Signature    string  `json:"signature,omitempty"`
	Instructions []Noted `json:"instructions"`
}

// A Noted is an instruction of which something is said.
type Noted struct {
	Line    int      `json:"line"` // in the listing, from 1
	Address *int64   `json:"address,omitempty"`
	Opcode  string   `json:"opcode"`
	Notes   []string `json:"notes"`
	// Registers has a letter for each parameter register, as [Options.Registers]
	// shows them.
	Registers string `json:"registers,omitempty"`
}

// Func says of the function of a section, which was read without error, what its
// instructions have to do with the convention: of those with notes, and with Registers of all.
func (a *Annotator) Func(s *Section) Listed {
	own, named := a.known(s)
	out := Listed{Name: s.Func.Name, Kind: "func", Line: int(s.Func.Pos.Line), Named: named, Instructions: []Noted{}}
	if own.Kernel {
		out.Kind = "entry"
	}
	if named {
		out.Signature = own.Signature()
	}
	out.Tangled = a.follow(s, own, func(in *instr, said []saying, cells string) {
		one := Noted{Line: int(in.Pos.Line), Opcode: in.Op, Notes: []string{}, Registers: cells}
		if in.HasAddr {
			one.Address = &in.Addr
		}
		for _, s := range said {
			one.Notes = append(one.Notes, s.text)
		}
		if one.Line > 0 && (len(said) > 0 || a.o.Registers) {
			out.Instructions = append(out.Instructions, one)
		}
	})
	return out
}

const indent = "  "

// Append appends what is said of a function.
func (d *Document) Append(dst []byte, f Listed, o *Options) []byte {
	t, before := o.Target, ","
	if d.target == nil {
		d.target = t
		head := appendIndented(nil, jsonHead{"ptxabi.annotate/1", d.File, t.Name, t.AssumedFrom != "", []string{}}, "")
		before = string(head[:len(head)-len("]\n}")])
	}
	if t.Name != d.target.Name {
		f.Target, f.Assumed = t.Name, t.AssumedFrom != ""
	}
	return appendIndented(append(dst, before+"\n"+indent+indent...), f, indent+indent)
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
