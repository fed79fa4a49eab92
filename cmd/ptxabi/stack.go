package main

import (
	"errors"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/link"
	"github.com/ptxabi/ptxabi/internal/manual"
	"github.com/ptxabi/ptxabi/internal/stack"
)

var stackHelp = manual.Help{
	Usage: "ptxabi stack [flags] FILE...|-",
	Text: `Stack says how much stack each kernel needs, and how many registers: the deepest
way over the calls, with the frames on it, of which the stack area of arguments is
a part; where it has no bound, which functions come to themselves again, and what
each level takes; what is called through pointers, and what may be called there:
the functions whose address is taken with that prototype. A launch whose stack
has no bound needs cudaLimitStackSize, which is computed for n levels; others
get what they need from the driver.

FILE is a cubin, a fatbin, or an object, executable or library for the host with
either in it. Relocatable cubins are joined as a link joins them, with all members of
libraries, for each architecture that all but those have something for; cubins that are
linked already are programs by themselves. Frames, registers and calls are what the assembler and the
linker recorded; PTX has none of them. Of a program that was assembled as a whole no
calls are recorded, and the number is the assembler's.

FILE may also be a listing of any of them (nvdisasm -c), for what records leave out: its
frames and calls are found in the code. Given with its cubin, the frames of both are
compared. What is called through pointers code does not say.

The number of registers with which a kernel is launched is the largest of all that
it comes to. It is held against what the kernel was compiled for, and against the
blocks that are wanted. The exit status is 1 if one of them cannot be launched.`,
	More: `Examples:

  ptxabi stack x.cubin
  ptxabi stack -block 256 main.cubin walk.cubin
  nvdisasm -c x.cubin > x.sass && ptxabi stack x.sass x.cubin
  ptxabi stack -format svg -o x.svg x.cubin`,
}

func runStack(e env, args []string) error {
	o := newOptions("stack")
	block := 0
	o.Add(&block, "block N", `
		the blocks that are wanted, in threads: whether they launch, what
		limits them, and how many fit on a multiprocessor by registers,
		threads and number`)
	o.addTarget("programs for that architecture alone")
	o.addFormat(`
		text; json, whose form docs/schemas/stack.schema.json describes; or
		svg, a picture of the calls`, "text", "json", "svg")
	o.Add(&o.output, "o FILE", "write to FILE, whole or not at all")
	o.addColor()
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if o.Given("block") && (block <= 0 || block > maxBlock) {
		return o.errorf("-block %d: a block has 1 to %d threads", block, maxBlock)
	}
	in, err := (&input{machine: true}).readSet(e, o, rest)
	if err != nil {
		return err
	}
	newPrinter(e, o.color, nil).all(in.notes.SumNotes(fewNotes, "link -format json"))
	r := stack.Of(in.set.Programs(o.target), block)
	if len(r.Programs) == 0 {
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
		out = []byte(printableLines(r.String()))
	}
	if err := o.emit(e, out); err != nil {
		return err
	}
	if !r.OK() {
		return errFindings
	}
	return nil
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
	return errors.New("no cubin in the files; PTX says nothing of frames and registers: ptxas -c makes an object of it")
}
