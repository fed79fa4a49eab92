package main

import (
	"errors"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/internal/tool/stack"
)

var stackHelp = manual.Help{
	Usage: "ptxabi stack [flags] FILE...|-",
	Text: `Stack prints the stack and the registers that each kernel needs: the deepest
path of calls with its frames, which include the stack area of arguments. If the
stack has no bound, it prints the functions that recurse, and the bytes of each
level. It lists calls through pointers, and their possible callees: the
functions whose address is taken with the prototype of the call. A launch whose
stack has no bound needs cudaLimitStackSize, which is computed for n levels; for
others the driver sets the size.

FILE is a cubin, a fatbin, or an object, executable or library for the host that
contains either. Relocatable cubins are linked together, with all members of
libraries, for each architecture that all files but libraries have; cubins that
are linked already are programs by themselves. Frames, registers and calls are
those that the assembler and the linker recorded; PTX has none. A program that
was assembled as a whole has no recorded calls, and the number is the
assembler's.

FILE may also be a listing of any of them (nvdisasm -c), for what records leave
out: frames and calls are then taken from the code. If its cubin is given too,
the frames of both are compared. Code does not show the callees of calls through
pointers.

The registers of a launch are the largest number of all functions that the
kernel reaches. They are compared with the limits that the kernel was compiled
for, and with the blocks of -block. The exit status is 1 if such a block cannot
be launched.`,
	More: `Examples:

  ptxabi stack x.cubin
  ptxabi stack -block 256 main.cubin walk.cubin
  nvdisasm -c x.cubin > x.sass && ptxabi stack x.sass x.cubin
  ptxabi stack -format svg -o x.svg x.cubin`,
}

func runStack(e env, args []string) error {
	o := newOptions("stack")
	block := 0
	var st stack.Style
	o.Add(&block, "block N", `
		the size of a block in threads: print whether such a block
		launches, how many of them fit on a multiprocessor, and what
		limits the number`)
	o.addTarget("only programs for that architecture")
	o.Add(&st.All, "all", `
		print every kernel, as -v does; by default, of more than ten those that cannot be
		launched, those whose stack has no known bound, and those that need most`)
	o.Add(&st.Mangled, "no-demangle", "in text, print symbols, not demangled names")
	o.addFormat(`
		text; json, whose form docs/schemas/stack.schema.json describes;
		jsonl, that in one line, which docs/schemas/jsonl.schema.json
		describes; or svg, a picture of the calls`, "text", "json", "jsonl", "svg")
	o.Add(&o.output, "o FILE", "write to FILE, whole or not at all")
	o.addDiagnostics()
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	st.All = st.All || o.verbose
	if o.Given("block") && (block <= 0 || block > maxBlock) {
		return o.errorf("-block %d: a block has 1 to %d threads", block, maxBlock)
	}
	if ok, err := o.together(e, rest, runStack); ok {
		return err
	}
	in, err := (&input{machine: true}).readSet(e, o, rest)
	if err != nil {
		return err
	}
	newPrinter(e, o, nil).all(in.notes)
	r := stack.Of(in.set.Programs(o.target), block)
	if len(r.Programs) == 0 {
		if in.set.Partial {
			return in.after(e, nil)
		}
		return in.nothing(o)
	}
	var out []byte
	switch o.format {
	case "json":
		if out, err = r.JSON(); err != nil {
			return err
		}
	case "svg":
		out = r.SVG()
	default:
		out = []byte(diag.PrintableLines(r.Text(st)))
	}
	if err := o.emit(e, out); err != nil {
		return err
	}
	if !r.OK() {
		err = errFindings
	}
	return in.after(e, err)
}

// maxBlock is how many threads a block has at most.
const maxBlock = 1024

// nothing says why there is no program, or no kernel in it.
func (in *input) nothing(o *options) error {
	r := in.set.Report(link.Options{Target: o.target})
	for _, d := range r.Diags {
		if d.Severity == diag.Error && (d.Code == link.MixedTargets || d.Code == link.MixedReleases) {
			return d
		}
	}
	if in.listings > 0 {
		if o.target != "" {
			return o.errorf("no kernel for %s in the files", o.target)
		}
		return errors.New("no kernel in the files")
	}
	for _, f := range r.Files {
		for _, kind := range f.Kinds {
			if kind == link.Object || kind == link.Program {
				if o.target != "" {
					return o.errorf("no kernel for %s in the files", o.target)
				}
				return errors.New("no kernel in the files")
			}
		}
	}
	return errors.New("no cubin in the files; PTX has no frames and registers; compile it with ptxas -c")
}
