package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/internal/tool/stack"
)

func bindStack(o *options) action {
	block := 0
	o.Bind(&block, "block")
	return func(e env, rest []string) error {
		if o.Given("block") && (block <= 0 || block > maxBlock) {
			return o.errorf("-block %d: a block has 1 to %d threads", block, maxBlock)
		}
		return o.together(e, rest, func(e env) error {
			in, err := (&input{machine: true}).readSet(e, o, rest)
			if err != nil {
				return err
			}
			newPrinter(e, o, nil).all(in.notes)
			r := stack.Of(in.set.Programs(o.target), stack.Options{Block: block, Assume: o.assume})
			if len(r.Programs) == 0 {
				if err := in.after(e, nil); err != nil {
					return err
				}
				return in.nothing(o)
			}
			var out []byte
			switch o.format {
			case "json":
				out = asJSON(r)
			case "svg":
				out = r.SVG()
			default:
				out = []byte(diag.PrintableLines(r.Text(stack.Style{All: o.all || o.verbose, Mangled: o.mangled})))
			}
			return in.after(e, findings(o.emit(e, out), !r.OK()))
		})
	}
}

// maxBlock is how many threads a block has at most.
const maxBlock = 1024

// nothing says why there is no program, or no kernel in it.
func (in *input) nothing(o *options) error {
	r := in.set.Report(o.target)
	for _, d := range r.Diags {
		if d.Severity == diag.Error && (d.Code == link.MixedTargets || d.Code == link.MixedReleases) {
			return d
		}
	}
	code := in.listings > 0
	for _, f := range r.Files {
		code = code || slices.Contains(f.Kinds, link.Object) || slices.Contains(f.Kinds, link.Program)
	}
	switch {
	case code && o.target != "":
		return o.errorf("no kernel for %s in the files", o.target)
	case code:
		return errors.New("no kernel in the files")
	}
	for _, d := range in.notes {
		if d.Code == link.LeftOut && in.set.Partial {
			return fmt.Errorf("no cubin in the files: %s", strings.TrimPrefix(d.Msg, "left out: "))
		}
	}
	return errors.New("no cubin in the files; PTX has no frames and registers; compile it with ptxas -c")
}
