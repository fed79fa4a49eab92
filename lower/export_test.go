package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/opt"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// PlainModule is [Module] with naive selection, and passes after it.
func PlainModule(m *ptx.Module, t *abi.Target, opts Options, passes opt.Passes) (*sass.Program, error) {
	l, err := moduleLowerer(m, t, opts)
	if err != nil {
		return nil, err
	}
	l.plainly(passes)
	return l.program(t)
}

// plainly makes a lowerer select naively.
func (l *lowerer) plainly(passes opt.Passes) {
	l.Plain, l.Off, l.plain = true, ^lir.Passes(0), passes
}
