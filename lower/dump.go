package lower

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Stage is a stage of lowering.
type Stage string

// The stages, in order.
const (
	Body     Stage = "body"     // the meaning of its names
	Plan     Stage = "plan"     // the places of its variables, the values that its calls pass, its frame
	Selected Stage = "selected" // its instructions, before any pass and any order
	Code     Stage = "code"     // its instructions, before they are printed
)

// Stages returns all stages, in order.
func Stages() []Stage { return []Stage{Body, Plan, Selected, Code} }

// Dump returns the result of a stage for each function, as text for people, whose form
// may change. The arguments and the error are as for Module.
func Dump(m *ptx.Module, t *abi.Target, opts Options, stage Stage) ([]byte, error) {
	if !slices.Contains(Stages(), stage) {
		return nil, fmt.Errorf("lower: no stage %q; the stages are body, plan, selected and code", stage)
	}
	l, err := moduleLowerer(m, t, opts)
	if err != nil {
		return nil, err
	}
	l.textOnly = true
	var dst []byte
	p := newPipeline(l)
	for i, f := range l.list {
		if i > 0 {
			dst = append(dst, '\n')
		}
		body := p.body(f)
		if stage == Body {
			dst = body.AppendText(dst)
			continue
		}
		if stage == Code {
			_, code := p.code(body)
			dst = code.AppendDump(append(append(append(dst, "code of "...), f.Name...), '\n'))
			continue
		}
		plan, code := p.selected(body)
		if stage == Plan {
			dst = plan.AppendText(dst)
			continue
		}
		p.selector.Select(plan) // once more, without passes
		dst = code.AppendDump(append(append(append(dst, "selected of "...), f.Name...), '\n'))
	}
	l.diags = append(l.diags, p.Reporter.Diags...)
	if err := l.finish(); err != nil {
		return nil, err
	}
	return dst, nil
}
