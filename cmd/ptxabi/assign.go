package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/internal/tool/assign"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

func bindAssign(o *options) action {
	var sig string
	var kernel string
	var why bool
	var p proto
	o.Bind(&kernel, "kernel")
	o.Bind(&sig, "sig")
	p.addFlags(o)
	o.Bind(&why, "why")
	return func(e env, rest []string) error {
		if err := p.check(o); err != nil {
			return err
		}
		if why && o.format == "svg" {
			return o.errorf("-why is for -format text, json and jsonl; a picture has no room for rules")
		}
		w := &assign.Writer{Format: o.format, Explains: why, Signature: o.Given("sig")}
		if o.output == "" || o.output == "-" {
			w.Shown = func(text []byte) []byte { return o.shown(e, text) }
		}
		if !o.Given("sig") && !o.Given("proto") {
			if !why { // which is refused for them
				o.lines = func(e *env, file string) (bool, int, error) { return o.imageLines(e, file, kernel) }
			}
			return o.each(e, rest, func(e env, file string) error {
				switch ok, err := beginsCompiled(&e, file); {
				case ok && why:
					return o.errorf("-why is for PTX, -sig and -proto; %s is compiled, and records places without the alignments that rules use", file)
				case ok:
					return assignImages(e, o, file, kernel)
				case err != nil:
					return err
				}
				return o.assignModule(e, &assign.Writer{Format: o.format, Explains: why, Shown: w.Shown}, file, kernel)
			})
		}
		if o.format == "jsonl" {
			return o.errorf("-format jsonl is for files; use -format json with -sig and -proto")
		}
		t, err := o.withoutModule(rest)
		if err != nil {
			return err
		}
		if o.Given("sig") {
			src := &source{name: "-sig", text: sig}
			f, places, rules, wrong := assign.Signature(src.name, src.text, t)
			if wrong != nil {
				o.printer(e, src).all(wrong)
				return errFindings
			}
			return o.assignAll(e, w, t, []resolve.Assigned{{Function: *f, Places: places}}, &rules)
		}
		list, wrong := p.assign(e, o, t)
		if wrong != nil && len(list) == 0 {
			return wrong
		}
		return cmp.Or(o.assignAll(e, w, t, list, nil), wrong)
	}
}

// assignAll writes a list of functions, with the rules of the first or, for nil, those of each.
func (o *options) assignAll(e env, w *assign.Writer, t *abi.Target, list []resolve.Assigned, rules *abi.Explanation) error {
	return o.whole(e, func(to io.Writer) error {
		w.To, w.Target = to, t
		for _, f := range list {
			if err := w.Function(f, rules); err != nil {
				return err
			}
		}
		return w.End()
	})
}

// assignModule places the values of a module's functions, one after the other. Of a module with errors it writes those that are
// right.
func (o *options) assignModule(e env, w *assign.Writer, file, kernel string) error {
	l, err := load(e, o, file)
	if err != nil {
		return err
	}
	w.Table = resolve.NewOutlineTable(l.outline)
	chosen := false
	var names []string
	var wrong error
	var unplaced, checked diag.List
	item := func(it ptx.Item) error {
		for f := range w.Table.In(it) {
			names = append(names, f.Name)
			if !o.chooses(kernel, f.Name, f.Kind() == resolve.Entry) {
				continue
			}
			chosen = true
			places, found, ok := places(f, l.target)
			if unplaced = append(unplaced, found...); !ok {
				continue
			}
			if err := w.Function(resolve.Assigned{Function: *f, Places: places}, nil); err != nil {
				return err
			}
		}
		return nil
	}
	err = o.whole(e, func(to io.Writer) error {
		w.To, w.Target = to, l.target
		items := l.module.Items
		for b := range check.Bodies(l.module, l.outline, w.Table, check.Options{Compile: true, Workers: runtime.GOMAXPROCS(0)}, &checked) {
			for read := false; !read; items = items[1:] {
				it := items[0]
				if f, ok := it.(*ptx.Func); ok && f.HasBody {
					it, read = b.Func, true
				}
				if err := item(it); err != nil {
					return err
				}
			}
			if o.format != "svg" { // which keeps all
				b.Release()
			}
		}
		for _, it := range items {
			if err := item(it); err != nil {
				return err
			}
		}
		switch {
		case !chosen && o.fn != "":
			return fmt.Errorf("%s: no function %q%s", l.name, o.fn, near.Suggest(o.fn, names))
		case !chosen && kernel != "":
			return fmt.Errorf("%s: no kernel %q%s", l.name, kernel, verify.Like(kernel, names))
		}
		checked = slices.DeleteFunc(checked, func(d *diag.Diagnostic) bool { return d.Code != ptx.BadSyntax && d.Code != check.UnknownWord })
		if wrong = l.finish(append(checked, unplaced...)); wrong != nil && w.Written == 0 {
			return wrong
		}
		return w.End()
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
func (o *options) withoutModule(rest []string) (*abi.Target, error) {
	flag := "sig"
	switch {
	case !o.Given("sig"):
		flag = "proto"
	case o.Given("proto"):
		return nil, o.errorf("-sig and -proto are both given, expected one of them")
	}
	switch {
	case len(rest) > 0:
		return nil, o.errorf("-%s replaces FILE; drop %s", flag, rest[0])
	case o.fn != "":
		return nil, o.errorf("-func chooses a function of a FILE; with -%s there is none", flag)
	case o.target == "":
		return nil, o.errorf("-%s needs -target, since there is no module that names one", flag)
	}
	return o.row(o.target)
}

// A proto is -proto with the flags that belong to it.
type proto struct {
	assign.Prototype
	include, dirs []string
	producer      string
}

func (p *proto) addFlags(o *options) {
	p.producer = "nvcc"
	o.Bind(&p.Text, "proto")
	o.Bind(&p.include, "include")
	o.Bind(&p.dirs, "I")
	o.Bind(&p.Lang, "lang")
	o.Bind(&p.producer, "producer").Hints = layout.ProducerNames()
}

// check checks the flags.
func (p *proto) check(o *options) (err error) {
	if !o.Given("proto") {
		for _, name := range []string{"include", "I", "lang", "producer"} {
			if o.Given(name) {
				return o.errorf("-%s is for -proto", name)
			}
		}
		return nil
	}
	if err = p.By.SetProducer(p.producer); err != nil {
		return o.errorf("-producer: %w", err)
	}
	return nil
}

// assign places the values of the functions that the text declares. It returns those that are right beside the
// error.
func (p *proto) assign(e env, o *options, t *abi.Target) ([]resolve.Assigned, error) {
	var err error
	if p.Head, err = p.head(o); err != nil {
		return nil, err
	}
	p.By.FS = includeFiles(p.dirs)
	list, diags, err := p.Assign(t)
	if err != nil {
		return nil, o.errorf("%w", err)
	}
	o.printer(e, &source{name: assign.ProtoName, text: p.Text}).all(diags)
	if diags.Err() != nil {
		return list, errFindings
	}
	return list, nil
}

// head returns the lines that include the headers. Each is looked for where the
// program runs, and then in the directories of -I.
func (p *proto) head(o *options) (string, error) {
	var b strings.Builder
	for _, name := range p.include {
		if name == "" || strings.ContainsAny(name, "\"\n\r") {
			return "", o.errorf("-include %q is not the name of a file that can be included", name)
		}
		found := ""
		for _, dir := range append([]string{""}, p.dirs...) {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); err == nil && !info.IsDir() {
				found = file
				break
			}
		}
		if found == "" {
			if len(p.dirs) > 0 {
				return "", fmt.Errorf("%s: no such file, here or in %s", name, strings.Join(p.dirs, ", "))
			}
			return "", fmt.Errorf("%s: no such file", name)
		}
		fmt.Fprintf(&b, "#include \"%s\"\n", filepath.ToSlash(found))
	}
	return b.String(), nil
}

// includeFiles are the files of the system by any path, those in some directories too.
type includeFiles []string

func (dirs includeFiles) Open(name string) (fs.File, error) {
	f, err := disk.System("").Open(name)
	if err == nil || path.IsAbs(name) {
		return f, err
	}
	for _, dir := range dirs {
		if f, err := disk.System("").Open(path.Join(filepath.ToSlash(dir), name)); err == nil {
			return f, nil
		}
	}
	return nil, err
}
