package lower

import (
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/lower/internal/isel"
)

// A Stage is a stage of lowering.
type Stage string

// The stages, in order.
const (
	Body     Stage = "body"     // the meaning of the names of a function
	Plan     Stage = "plan"     // the places of its variables, the values that its calls pass, its frame
	Selected Stage = "selected" // its instructions as they are selected, before all passes
	Code     Stage = "code"     // its instructions before they are printed
)

// Stages returns all stages, in order.
func Stages() []Stage { return []Stage{Body, Plan, Selected, Code} }

// dump appends the result of the stage that Options.Stage names, as text for people. Its form may change.
func (p *pipeline) dump(body *body.Body, dst []byte) []byte {
	switch p.opts.Stage {
	case Body:
		return body.AppendText(dst)
	case Code:
		code := p.code(body)
		if code == nil {
			return dst
		}
		return code.AppendDump(append(append(append(dst, "code of "...), body.Func.Name...), '\n'))
	}
	plan, code := p.selected(body)
	if p.opts.Stage == Plan {
		return plan.AppendText(dst)
	}
	if code == nil {
		return dst
	}
	code = isel.Select(plan, p.options) // without passes
	return code.AppendDump(append(append(append(dst, "selected of "...), body.Func.Name...), '\n'))
}
