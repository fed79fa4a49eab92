// Package lowered writes lowered code as JSON.
package lowered

import (
	"io"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// The form of lower -format json: functions and instructions as nvdisasm -json
// has them (12.8 to 13.5; the names with hyphens are its names), with what only
// pseudo-SASS has added to them. Fields are added to it and never taken away;
// docs/schemas/lower.schema.json describes it.
type (
	instr struct {
		Labels     []string    `json:"labels,omitempty"`
		Comments   []string    `json:"comments,omitempty"`
		Predicate  string      `json:"predicate,omitempty"`
		Opcode     string      `json:"opcode"`
		Operands   string      `json:"operands,omitempty"`
		Attributes *attributes `json:"other-attributes,omitempty"`
		Note       *note       `json:"note,omitempty"`
		Line       uint32      `json:"line,omitempty"`
		Column     uint32      `json:"column,omitempty"`
	}
	// nvdisasm has the text "True" for what is so, and leaves out what is not.
	attributes struct {
		ControlFlow string `json:"control-flow,omitempty"`
		Call        string `json:"subroutine-call,omitempty"`
		PTX         string `json:"ptx,omitempty"`
	}
	note struct {
		Text  string `json:"text"`
		Value string `json:"value,omitempty"`
		First *int   `json:"first,omitempty"`
		End   *int   `json:"end,omitempty"`
	}
	end struct {
		Labels   []string `json:"labels,omitempty"`
		Comments []string `json:"comments,omitempty"`
	}
)

// WriteJSON writes a program, an instruction a line. File is the name of the module's.
func WriteJSON(w io.Writer, o *ptx.Outline, file string, opts lower.Options) error {
	dst := append([]byte(nil), `{"format": "ptxabi.lower/1", "target": `...)
	dst = jsonline.Append(dst, opts.Target.Name)
	if opts.Target.AssumedFrom != "" {
		dst = append(dst, `, "assumed": true`...)
	}
	dst = append(dst, `, "file": `...)
	dst = jsonline.Append(dst, file)
	dst = append(dst, ",\n \"functions\": ["...)
	sep := ""
	err := lower.Functions(o, opts, func(f *sass.Func) error {
		dst = append(dst, sep...)
		sep = ","
		dst = append(dst, "\n  {\"function-name\": "...)
		dst = jsonline.Append(dst, f.Name)
		kind := "func"
		if f.Kernel {
			kind = "entry"
		}
		dst = append(dst, `, "kind": `...)
		dst = jsonline.Append(dst, kind)
		dst = append(dst, `, "line": `...)
		dst = strconv.AppendUint(dst, uint64(f.Pos.Line), 10)
		dst = append(dst, ",\n   \"sass-instructions\": ["...)
		dst = appendLowered(dst, f.Items)
		_, err := w.Write(append(dst, '}'))
		dst = dst[:0]
		return err
	})
	if err != nil {
		return err
	}
	_, err = w.Write(append(dst, "]}\n"...))
	return err
}

// appendLowered appends the instructions and their closing bracket. Labels and
// comments belong to the instruction after them.
func appendLowered(dst []byte, items []sass.Item) []byte {
	var before end
	first := true
	for i := range items {
		switch it := &items[i]; it.Kind {
		case sass.Label:
			before.Labels = append(before.Labels, it.Text)
		case sass.Comment:
			before.Comments = append(before.Comments, it.Text)
		case sass.Code:
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(dst, "\n    "...)
			dst = jsonline.Append(dst, jsonInstr(&it.Instr, before))
			before = end{}
		}
	}
	dst = append(dst, ']')
	if before.Labels != nil || before.Comments != nil {
		dst = append(dst, ",\n   \"end\": "...)
		dst = jsonline.Append(dst, before)
	}
	return dst
}

func jsonInstr(in *sass.Instr, before end) instr {
	out := instr{
		Labels: before.Labels, Comments: before.Comments,
		Predicate: in.Guard, Opcode: in.Op,
		Note: jsonNote(in.Note), Line: in.Pos.Line, Column: in.Pos.Col,
	}
	if in.Text != "" {
		text := strings.TrimSuffix(in.String(), " ;")
		if strings.HasPrefix(text, "@") {
			out.Predicate, text, _ = strings.Cut(text, " ")
		}
		out.Opcode, out.Operands, _ = strings.Cut(strings.TrimSpace(text), " ")
		out.Attributes = &attributes{PTX: "True"}
	} else {
		var args []string
		for i := range in.Args {
			text := in.Args[i].String()
			if in.Args[i].Kind == sass.Symbol {
				text = in.Args[i].Name // without the marks of the text form
			}
			args = append(args, text)
		}
		out.Operands = strings.Join(args, ",")
	}
	flow, call := transfers(out.Opcode)
	if flow && out.Attributes == nil {
		out.Attributes = &attributes{}
	}
	if flow {
		out.Attributes.ControlFlow = "True"
	}
	if call {
		out.Attributes.Call = "True"
	}
	return out
}

// transfers reports whether an operation changes where control goes, and whether
// it calls.
func transfers(op string) (flow, call bool) {
	op, _, _ = strings.Cut(op, ".")
	switch op {
	case "CALL", "JCAL", "CAL", "JMX":
		return true, true
	case "BRA", "RET", "EXIT", "PRET", "bra", "brx", "trap":
		return true, false
	}
	return false, false
}

// jsonNote takes a note apart: "x[0:4]" are bytes 0 to 4 of x.
func jsonNote(text string) *note {
	if text == "" {
		return nil
	}
	n := &note{Text: text}
	name, span, ok := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	if !ok || !strings.HasSuffix(text, "]") {
		return n
	}
	from, to, _ := strings.Cut(span, ":")
	first, err1 := strconv.Atoi(from)
	end, err2 := strconv.Atoi(to)
	if err1 == nil && err2 == nil {
		n.Value, n.First, n.End = name, &first, &end
	}
	return n
}
