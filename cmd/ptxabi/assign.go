package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/internal/tool/picture"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

var assignHelp = manual.Help{
	Usage: "ptxabi assign [flags] FILE...",
	Text: `Assign prints where every parameter and result of a PTX module's functions,
kernels and prototypes lives: R4 is a register, [R1+0x8] an offset from the
stack pointer when the callee begins, c[0x0][0x160] a byte of a constant bank,
[R4+0x0] memory at a local address that the caller passes in R4. A value without
a place is "none": a handle passed to a function, a value of a function with
several results, and a value without bytes. In place of FILE, -sig gives a
signature of sizes and alignments, and -proto gives functions of C and CUDA, as
a compiler declares them in PTX; both need -target. Of a module with errors it
prints what is right, and exits with 1.

FILE may also be compiled: a cubin, a fatbin, or an object, executable, shared
library or library of objects, ELF or PE, that contains either. For each kernel
of each image it prints the parameters that the image records, with offset and
size, and for device functions the prototypes that objects record. An image
records no names, types and alignments: these are from PTX of the same module
(ptx), from debug information of the image or of the program around it (dwarf),
or from the mangled name (symbol), if what they declare has the recorded sizes;
otherwise (record) they are not known. PTX images are answered like modules.`,
	More: `Examples:

  ptxabi assign x.ptx
  ptxabi assign -target sm_90 -func bar x.ptx
  ptxabi assign -format json - <x.ptx
  ptxabi assign -format jsonl x.ptx
  ptxabi assign -format svg -o x.svg x.ptx
  ptxabi assign -kernel step x.cubin
  ptxabi assign -format jsonl libx.so
  ptxabi assign -target sm_90 -sig 'func(4@4, 12@8) -> 4@4'
  ptxabi assign -why -target sm_90 -sig 'func(4@4, 12@8) -> 4@4'
  ptxabi assign -target sm_90 -include x.h -proto 'float f(struct Params p, int n)'`,
}

func runAssign(e env, args []string) error {
	o := newOptions("assign")
	var sig string
	var kernel string
	var why bool
	var p proto
	o.addModule()
	o.Add(&kernel, "kernel NAME", `
		only kernels of this name: the symbol, or the name in C++, such as
		step, step<float> or step(int, float*); step is also every instance
		of a template`)
	o.Add(&o.all, "all", `
		of a compiled FILE, print every kernel of every image; by default
		text has 20 kernels of each of 20 images, and counts the others`)
	o.addFormat(`
		text; json, whose form docs/schemas/assign.schema.json describes;
		jsonl, a line of that for each FILE, of a compiled one for each
		image, which docs/schemas/jsonl.schema.json describes; svg, a picture
		of the registers, the stack and the parameter blocks, for light and dark
		screens and for paper`, "text", "json", "jsonl", "svg")
	o.Add(&sig, "sig SIGNATURE", `
		the function of these values, in place of a FILE: size@alignment
		in bytes, []@8 for the array that ends a variadic function's
		parameters, [24]@8 for what a call passes there, opaque for a
		handle; entry(...) is a kernel`)
	p.addFlags(o)
	o.Add(&why, "why", `
		print for each value the numbered rules of docs/abi.md that put it
		there, and the facts of the target that they use; of PTX, -sig and
		-proto, as text or JSON`)
	o.Add(&o.output, "o FILE", "write to FILE, whole or not at all")
	o.addDiagnostics()
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if err := p.check(o); err != nil {
		return err
	}
	if why && o.format == "svg" {
		return o.errorf("-why is for -format text, json and jsonl; a picture has no room for rules")
	}
	if !o.Given("sig") && !o.Given("proto") {
		s := &series{options: o, run: runAssign, files: rest, lines: func(e *env, file string) (bool, int, error) {
			if why {
				return false, 0, nil // refused below
			}
			return o.imageLines(e, file, kernel)
		}}
		if ok, err := s.each(e); ok {
			return err
		}
		if len(rest) == 1 {
			if ok, err := compiled(&e, rest[0]); ok && why {
				return o.errorf("-why is for PTX, -sig and -proto; %s is compiled, and records places without the alignments that rules use", rest[0])
			} else if ok {
				return assignImages(e, o, rest[0], kernel)
			} else if err != nil {
				return err
			}
		}
	} else if o.format == "jsonl" {
		return o.errorf("-format jsonl is for files; use -format json with -sig and -proto")
	}
	w := &assignWriter{options: o, env: e, json: o.format == "json", explains: why}
	if !o.Given("sig") && !o.Given("proto") {
		return w.module(rest, kernel)
	}
	t, err := o.withoutModule(rest)
	if err != nil {
		return err
	}
	var a *assigned
	var wrong error // beside what could be answered
	if o.Given("sig") {
		a, wrong = assignSig(e, o, t, sig)
	} else {
		a, wrong = assignProto(e, o, t, &p)
	}
	if a == nil {
		return wrong
	}
	if err := w.all(a); err != nil {
		return err
	}
	return wrong
}

// assigned are functions with their places on a target.
type assigned struct {
	target target
	list   []resolve.Assigned
	why    []abi.Explanation // parallel to list; nil if the functions have them
}

// An assignWriter writes functions with their places, one after the other.
type assignWriter struct {
	*options
	env
	json, explains bool

	to     io.Writer
	target target
	table  *resolve.Table // of the module; nil if there is none
	n      int            // how many functions have been written
	facts  map[string]bool
	kept   []resolve.Assigned // of a picture
}

// all writes a list of functions.
func (w *assignWriter) all(a *assigned) error {
	return w.whole(w.env, func(to io.Writer) error {
		w.begin(to, a.target)
		for i, f := range a.list {
			why := abi.Explanation{}
			if w.explains && a.why == nil {
				why = f.Explain(a.target.Target)
			} else if w.explains {
				why = a.why[i]
			}
			if err := w.function(f, why); err != nil {
				return err
			}
		}
		return w.end()
	})
}

// begin begins a result.
func (w *assignWriter) begin(to io.Writer, t target) {
	w.to, w.target, w.facts = to, t, make(map[string]bool)
}

// function writes a function, after the head of the result.
func (w *assignWriter) function(f resolve.Assigned, why abi.Explanation) error {
	w.n++
	switch {
	case w.format == "svg":
		w.kept = append(w.kept, f)
		return nil
	case w.json:
		return w.text(w.appendJSON(w.head(), f, why))
	}
	return w.text(w.appendText(w.head(), f, why))
}

// head is what stands before the first function.
func (w *assignWriter) head() []byte {
	switch {
	case w.n > 1 && w.json:
		return []byte(",")
	case w.n > 1:
		return nil
	case w.json:
		return w.jsonHead()
	}
	return w.textHead()
}

// text writes whole lines.
func (w *assignWriter) text(dst []byte) error {
	if !w.json {
		dst = []byte(diag.PrintableLines(string(dst)))
		if w.output == "" || w.output == "-" {
			dst = w.shown(w.env, dst)
		}
	}
	_, err := w.to.Write(dst)
	return err
}

// end ends a result.
func (w *assignWriter) end() error {
	var dst []byte
	if w.n == 0 && w.format != "svg" {
		dst = w.head()
	}
	switch {
	case w.format == "svg":
		_, err := w.to.Write(picture.Page.Assigned(w.target.Target, w.kept))
		return err
	case w.json:
		return w.text(append(dst, "]}\n"...))
	}
	return w.text(append(dst, w.factLines()...))
}

// module places the values of a module's functions, one after the other. Of a module with errors it writes those that are
// right.
func (w *assignWriter) module(rest []string, kernel string) error {
	file, err := w.file(rest)
	if err != nil {
		return err
	}
	l, err := load(w.env, w.options, file)
	if err != nil {
		return err
	}
	w.table = resolve.NewOutlineTable(l.outline)
	r, chosen := new(ptx.Reader), false
	var names []string
	var wrong error
	diags := slices.DeleteFunc(check.Outline(l.outline, check.Options{Compile: true}), func(d *diag.Diagnostic) bool {
		return d.Code != ptx.BadSyntax && d.Code != check.UnknownWord
	})
	l.diags = l.diags[len(l.module.Errors):] // which are among those
	err = w.whole(w.env, func(to io.Writer) error {
		w.begin(to, l.target)
		for _, it := range l.module.Items {
			if head, ok := it.(*ptx.Func); ok {
				it, _ = r.Func(l.outline, head)
			}
			for f := range w.table.In(it) {
				names = append(names, f.Name)
				if !w.chooses(kernel, f.Name, f.Kind() == resolve.Entry) {
					continue
				}
				chosen = true
				places, found, ok := places(f, l.target.Target)
				if diags = append(diags, found...); !ok {
					continue
				}
				why := abi.Explanation{}
				if w.explains {
					why = f.Explain(l.target.Target)
				}
				if err := w.function(resolve.Assigned{Function: f, Places: places}, why); err != nil {
					return err
				}
			}
			if w.format == "svg" {
				r = new(ptx.Reader) // all are kept
			}
		}
		switch {
		case !chosen && w.fn != "":
			return fmt.Errorf("%s: no function %q%s", l.name, w.fn, near.DidYouMean(w.fn, names))
		case !chosen && kernel != "":
			return fmt.Errorf("%s: no kernel %q%s", l.name, kernel, kernelLike(kernel, names))
		}
		if wrong = l.finish(diags); wrong != nil && w.n == 0 {
			return wrong
		}
		return w.end()
	})
	return cmp.Or(err, wrong)
}

// places returns where the values of a function are on a target, and what is wrong. It reports false where that is not
// known.
func places(f *resolve.Function, t *abi.Target) (places abi.Assignment, wrong diag.List, ok bool) {
	places, wrong = f.Assign(t)
	if len(wrong) > 0 && len(places.Params) == 0 { // a block that is too large: where its bytes are
		t := *t
		if t.Kernel.LargeParams > 0 {
			t.Kernel.LargeParams = anyBlock
		} else {
			t.Kernel.MaxParams = anyBlock
		}
		places, _ = f.Assign(&t)
	}
	// Places that depend on the release of the assembler are not shown.
	_, still := f.AssignLatest(t)
	return places, wrong, len(places.Params) == len(f.Params) && len(places.Results) == len(f.Results) && len(still) == len(wrong)
}

// chooses reports whether a function is one that -func and -kernel, the pattern, leave.
func (o *options) chooses(pattern, name string, kernel bool) bool {
	return (o.fn == "" || name == o.fn) && (pattern == "" || kernel && (verify.Named(name, pattern) || cxxname.Plain(name) == pattern))
}

// anyBlock is how many bytes a constant bank has.
const anyBlock = 64 << 10

// withoutModule returns the target of -sig and -proto, which stand in place of a FILE.
func (o *options) withoutModule(rest []string) (target, error) {
	flag := "sig"
	switch {
	case !o.Given("sig"):
		flag = "proto"
	case o.Given("proto"):
		return target{}, o.errorf("-sig and -proto are both given, expected one of them")
	}
	switch {
	case len(rest) > 0:
		return target{}, o.errorf("-%s replaces FILE; drop %s", flag, rest[0])
	case o.fn != "":
		return target{}, o.errorf("-func chooses a function of a FILE; with -%s there is none", flag)
	case o.target == "":
		return target{}, o.errorf("-%s needs -target, since there is no module that names one", flag)
	}
	t, err := lookup(o.target, o.assume)
	return target{Target: t}, err
}
