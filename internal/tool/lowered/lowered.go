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

// The form of lower -format json is functions and instructions as nvdisasm -json
// has them (12.8 to 13.5; the names with hyphens are its names), with what only
// pseudo-SASS has added to them. Fields are added to it and never taken away;
// docs/schemas/lower.schema.json describes it.
type object = jsonline.Object

// WriteJSON writes a program, an instruction a line. File is the name of the module's.
func WriteJSON(w io.Writer, o *ptx.Outline, file string, opts lower.Options) error {
	open := func(head object, rest string) []byte {
		dst := jsonline.Append(nil, head)
		return append(dst[:len(dst)-len("}")], rest...)
	}
	dst := open(object{"format", "ptxabi.lower/1", "target", opts.Target.Name, "assumed", jsonline.Set(opts.Target.AssumedFrom != ""), "file", file}, ",\n \"functions\": [")
	sep := "\n  "
	err := lower.Functions(o, opts, func(f *sass.Func) error {
		kind := "func"
		if f.Kernel {
			kind = "entry"
		}
		dst = append(append(dst, sep...), open(object{"function-name", f.Name, "kind", kind, "line", f.Pos.Line}, ",\n   \"sass-instructions\": [")...)
		sep = ",\n  "
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
	var labels, comments []string
	first := true
	for i := range items {
		switch it := &items[i]; it.Kind {
		case sass.Label:
			labels = append(labels, it.Text)
		case sass.Comment:
			comments = append(comments, it.Text)
		case sass.Code:
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(dst, "\n    "...)
			dst = jsonline.Append(dst, append(object{"labels", jsonline.Some(labels), "comments", jsonline.Some(comments)}, jsonInstr(&it.Instr)...))
			labels, comments = nil, nil
		}
	}
	dst = append(dst, ']')
	if labels != nil || comments != nil {
		dst = append(dst, ",\n   \"end\": "...)
		dst = jsonline.Append(dst, object{"labels", jsonline.Some(labels), "comments", jsonline.Some(comments)})
	}
	return dst
}

func jsonInstr(in *sass.Instr) object {
	guard, op, operands := in.Guard, in.Op, ""
	var attributes object // nvdisasm has the text "True" for what is so, and leaves out what is not
	if in.Text != "" {
		text := strings.TrimSuffix(in.String(), " ;")
		if strings.HasPrefix(text, "@") {
			guard, text, _ = strings.Cut(text, " ")
		}
		op, operands, _ = strings.Cut(strings.TrimSpace(text), " ")
	} else {
		var args []string
		for i := range in.Args {
			text := in.Args[i].String()
			if in.Args[i].Kind == sass.KindSymbol {
				text = in.Args[i].Name // without the marks of the text form
			}
			args = append(args, text)
		}
		operands = strings.Join(args, ",")
	}
	flow, call := transfers(op)
	for _, is := range []struct {
		so   bool
		name string
	}{{flow, "control-flow"}, {call, "subroutine-call"}, {in.Text != "", "ptx"}} {
		if is.so {
			attributes = append(attributes, is.name, "True")
		}
	}
	return object{
		"predicate", jsonline.Set(guard), "opcode", op, "operands", jsonline.Set(operands), "other-attributes", jsonline.Some(attributes),
		"note", jsonline.Some(jsonNote(in.Note)), "line", jsonline.Set(in.Pos.Line), "column", jsonline.Set(in.Pos.Col),
	}
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
func jsonNote(text string) object {
	if text == "" {
		return nil
	}
	n := object{"text", text}
	name, span, ok := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	if !ok || !strings.HasSuffix(text, "]") {
		return n
	}
	from, to, _ := strings.Cut(span, ":")
	first, err1 := strconv.Atoi(from)
	end, err2 := strconv.Atoi(to)
	if err1 == nil && err2 == nil {
		n = append(n, "value", jsonline.Set(name), "first", first, "end", end)
	}
	return n
}
