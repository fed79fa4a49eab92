package main

import (
	"fmt"
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
	var a *assigned
	var wrong error // of a module that has errors beside what could be answered
	switch {
	case o.Given("sig") || o.Given("proto"):
		t, err := o.withoutModule(rest)
		if err != nil {
			return err
		}
		if o.Given("sig") {
			a, wrong = assignSig(e, o, t, sig)
		} else {
			a, wrong = assignProto(e, o, t, &p)
		}
		if a == nil {
			return wrong
		}
	default:
		if a, wrong = assignModule(e, o, rest, kernel); a == nil {
			return wrong
		}
	}
	if !why {
		a.why = nil
	} else if a.why == nil {
		for _, f := range a.list {
			a.why = append(a.why, f.Explain(a.target.Target))
		}
	}
	var out []byte
	switch o.format {
	case "json":
		out = appendAssignJSON(nil, a)
	case "svg":
		out = picture.Page.Assigned(a.target.Target, a.list)
	default:
		out = []byte(diag.PrintableLines(string(appendAssignText(nil, a))))
	}
	if err := o.emit(e, out); err != nil {
		return err
	}
	return wrong
}

// assigned are functions with their places on a target.
type assigned struct {
	target target
	list   []resolve.Assigned
	why    []abi.Explanation // parallel to list; nil where -why is not given
}

// assignModule places the values of a module's functions. Of a module with errors it returns the functions
// that are right, and an error whose text has been printed; nil if there are none.
func assignModule(e env, o *options, rest []string, kernel string) (*assigned, error) {
	file, err := o.file(rest)
	if err != nil {
		return nil, err
	}
	o.partial = true
	l, err := load(e, o, file)
	if err != nil {
		return nil, err
	}
	lost := map[*ptx.Func]bool{} // with an error in the head
	for _, e := range l.module.Errors {
		if f, body := l.module.FuncAt(e.Pos); f != nil && !body {
			lost[f] = true
		}
	}
	all := slices.DeleteFunc(resolve.Functions(l.module), func(f *resolve.Function) bool { return lost[f.Decl] })
	var chosen []*resolve.Function
	var names []string
	for _, f := range all {
		if names = append(names, f.Name); o.chooses(kernel, f.Name, f.Kind() == resolve.Entry) {
			chosen = append(chosen, f)
		}
	}
	switch {
	case chosen == nil && o.fn != "":
		return nil, fmt.Errorf("%s: no function %q%s", l.name, o.fn, near.DidYouMean(o.fn, names))
	case chosen == nil && kernel != "":
		return nil, fmt.Errorf("%s: no kernel %q%s", l.name, kernel, kernelLike(kernel, names))
	}
	var list []resolve.Assigned
	diags := check.Words(l.module)
	for _, f := range chosen {
		places, wrong := f.Assign(l.target.Target)
		diags = append(diags, wrong...)
		if len(wrong) > 0 && len(places.Params) == 0 { // a block that is too large: where its bytes are
			t := *l.target.Target
			if t.Kernel.LargeParams > 0 {
				t.Kernel.LargeParams = anyBlock
			} else {
				t.Kernel.MaxParams = anyBlock
			}
			places, _ = f.Assign(&t)
		}
		// Places that depend on the release of the assembler are not shown.
		_, still := f.AssignLatest(l.target.Target)
		if len(places.Params) == len(f.Params) && len(places.Results) == len(f.Results) && len(still) == len(wrong) {
			list = append(list, resolve.Assigned{Function: f, Places: places})
		}
	}
	err = l.finish(diags)
	if err != nil && len(list) == 0 {
		return nil, err
	}
	return &assigned{target: l.target, list: list}, err
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
