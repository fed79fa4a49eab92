package annotate

import (
	"encoding/json"

	"github.com/ptxabi/ptxabi/sass"
)

// The form ptxabi.annotate/1.
type document struct {
	Format    string         `json:"format"`
	File      string         `json:"file"`
	Target    string         `json:"target"`
	Functions []jsonFunction `json:"functions"`
}

type jsonFunction struct {
	Name         string      `json:"name"`
	Kind         string      `json:"kind"` // "func" or "entry"
	Line         int         `json:"line"`
	Named        bool        `json:"named"`
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

// JSON is what is said of each function of a listing, in the form
// ptxabi.annotate/1: of its instructions those with notes, and with
// [Options.Registers] all. File is the listing's name. The others are as in
// [Functions].
func JSON(file string, src []byte, prog *sass.Program, o Options) ([]byte, error) {
	out := document{Format: "ptxabi.annotate/1", File: file, Target: o.Target.Name, Functions: []jsonFunction{}}
	for _, f := range Functions(src, prog, o) {
		one := jsonFunction{Name: f.Name, Kind: "func", Line: f.Line, Named: f.Named, Instructions: []jsonInstr{}}
		if f.Func.Kernel {
			one.Kind = "entry"
		}
		if f.Named {
			one.Signature = f.Func.Signature()
		}
		for _, in := range f.Instrs {
			if len(in.Notes) == 0 && !o.Registers {
				continue
			}
			j := jsonInstr{Line: in.Line, Opcode: in.Instr.Op, Notes: append([]string{}, in.Notes...)}
			if in.Instr.HasAddr {
				j.Address = &in.Instr.Addr
			}
			if o.Registers {
				j.Registers = in.Cells
			}
			one.Instructions = append(one.Instructions, j)
		}
		out.Functions = append(out.Functions, one)
	}
	text, err := json.MarshalIndent(out, "", "  ")
	return append(text, '\n'), err
}
