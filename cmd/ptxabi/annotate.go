package main

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/internal/tool/verify/declared"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

func runAnnotate(e env, args []string) error {
	o := newOptions("annotate")
	l := &listing{e: e, o: o}
	var kernels, funcs names
	o.Bind(&l.ptxFile, "ptx")
	o.Bind(&l.sourceFile, "source")
	o.Bind(&l.structs, "struct")
	o.Bind(&kernels, "kernel")
	o.Bind(&funcs, "func")
	o.Bind(&l.registers, "registers")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if (l.ptxFile == "-" || l.sourceFile == "-") && len(rest) > 1 {
		return o.errorf("standard input is read once, and there are %d listings", len(rest))
	}
	if ok, err := o.several(e, rest, runAnnotate); ok {
		return err
	}
	file, err := o.file(rest)
	if err != nil {
		return err
	}
	if l.ptxFile == "-" && file == "-" || l.sourceFile == "-" && (file == "-" || l.ptxFile == "-") {
		return o.errorf("standard input is read once: it is one of LISTING, -ptx and -source")
	}
	if l.structs != "" && l.sourceFile == "" {
		return o.errorf("-struct names types of -source, which is not given")
	}
	if l.picks, err = annotate.NewPicks(kernels, funcs); err != nil {
		return o.errorf("%w", err)
	}
	if err := l.open(file); err != nil {
		return err
	}
	defer l.close()
	err = o.stream(e, func(w io.Writer) error {
		if o.format == "text" {
			w = printableWriter{w}
		}
		return l.annotate(w)
	})
	if err == nil && l.half {
		return errFindings
	}
	return err
}

// names are the values of a flag that may be given again, and not as nothing.
type names []string

func (n *names) String() string { return strings.Join(*n, " ") }

func (n *names) Set(s string) error {
	*n = append(*n, s)
	return nil
}

// maxReported is how many lines of what is no listing are reported.
const maxReported = 10

// notListing says what a text is in which there is no code.
func notListing(src *source) string {
	const listing = "nvdisasm -c and cuobjdump -sass print one"
	switch {
	case len(strings.TrimSpace(src.text)) == 0:
		return "an empty file, not a listing; " + listing
	case cubin.Is([]byte(src.text)):
		return "a cubin, not its listing; nvdisasm -c prints that"
	case strings.HasPrefix(src.text, "\x7fELF"):
		return "an ELF file, not a listing; cuobjdump -sass prints that of what is in it"
	case isPTX(src):
		return "PTX, which -ptx takes, not a listing of machine code; " + listing
	}
	return "no function in it: nvdisasm -c begins one with .text.NAME:, and cuobjdump -sass with Function : NAME"
}

// isPTX reports whether a text is a PTX module, be it with errors in it.
func isPTX(src *source) bool {
	m, _ := ptx.ParseString(src.name, src.text)
	if m.Version != (ptx.Version{}) {
		return true
	}
	return slices.ContainsFunc(m.Items, func(it ptx.Item) bool {
		_, ok := it.(*ptx.Func)
		return ok
	})
}

// ptxFuncs are the functions of a PTX module. Of one with errors they are those that these leave, beside errFindings.
func ptxFuncs(e env, o *options, src *source, t *abi.Target) ([]*annotate.Func, error) {
	m, list, err := src.parse()
	if err != nil {
		return nil, err
	}
	if list.Err() != nil && m.Version == (ptx.Version{}) {
		switch {
		case isSource(src):
			return nil, fmt.Errorf("%s: not PTX; -source takes C, CUDA and Go", src.name)
		case isListing(src):
			return nil, fmt.Errorf("%s: a listing; -ptx takes the PTX that the code was compiled from", src.name)
		}
	}
	if why := declared.Misfit(m, t); why != "" {
		e.tell(diag.Warning, src.name, 0, "the listing is %s", why)
	}
	var funcs []*annotate.Func
	if list.Err() == nil {
		var more diag.List
		funcs, more = annotate.FromPTX(m, t)
		list = append(list, more...)
	}
	newPrinter(e, o, src).all(list)
	if list.Err() == nil {
		return funcs, nil
	}
	if read := half.Of(m, list).Sound; len(resolve.Functions(read)) > 0 {
		if funcs, list = annotate.FromPTX(read, t); list.Err() == nil {
			return funcs, errFindings
		}
	}
	return nil, errFindings
}

// sourceNames takes names out of a source: kernels with their parameters, and
// the fields of structs. Listed are the functions of the listing. Half says that the source has errors, and that the
// names are of what they leave.
func sourceNames(e env, o *options, a *annotate.Options, listed []string, src *source, structs string) (half bool, err error) {
	if strings.Contains(src.text, ".version") && isPTX(src) {
		return false, fmt.Errorf("%s: PTX, which -ptx takes; -source takes C, CUDA and Go", src.name)
	}
	types := make(map[string]string) // by parameter
	var names []string
	for pair := range strings.SplitSeq(structs, ",") {
		param, typ, ok := strings.Cut(pair, "=")
		switch {
		case structs == "":
		case !ok || param == "" || typ == "":
			return false, o.errorf("-struct %q is not of the form PARAM=TYPE", pair)
		default:
			types[param] = typ
			names = append(names, typ)
		}
	}
	isGo := path.Ext(src.name) == ".go"
	if isGo && structs == "" {
		return false, o.errorf("%s is a Go file: -struct says which parameter holds which of its structs", src.name)
	}
	res, err := loadKernels(src, layoutcmd.Options{Types: names, Target: a.Target})
	if err != nil {
		return false, fmt.Errorf("%s: %w%s", src.name, err, typesLike(src, layoutcmd.Options{Types: names, FS: disk.System("")}))
	}
	newPrinter(e, o, src).all(slices.Concat(res.Warnings, res.Errors))
	if slices.ContainsFunc(res.Errors, func(d *diag.Diagnostic) bool { return !cdecl.Confined(d.Code) }) {
		return false, errFindings
	}
	matches := verify.MatchAll(listed, declared.Kernels(res.Kernels))
	for i, names := range matches {
		if len(names) == 1 {
			a.Funcs = addKernel(a.Funcs, names[0], res.Kernels[i])
		}
	}
	unmatched(e, src, res.Kernels, matches, listed)
	records := make(map[string]*layoutcmd.Record)
	for _, r := range res.Records {
		records[r.Name] = r
	}
	found := make(map[string]bool)
	misfit := make(map[string]error)
	for _, f := range a.Funcs {
		for _, list := range [][]annotate.Formal{f.Params, f.Results} {
			for i := range list {
				p := &list[i]
				rec := records[types[p.Name]]
				switch {
				case rec == nil:
				case p.Size != 0 && int64(p.Size) != rec.Layout.Size && int64(p.Size) != rec.Param.Bytes:
					if misfit[p.Name] == nil {
						misfit[p.Name] = o.errorf("-struct %s=%s: %s has %d bytes, %s of %s has %d", p.Name, rec.Name, rec.Name, rec.Layout.Size, p.Name, f.Name, p.Size)
					}
				default:
					p.Fields = fieldsOf(rec.Layout)
					found[p.Name] = true
				}
			}
		}
	}
	for pair := range strings.SplitSeq(structs, ",") {
		param, _, ok := strings.Cut(pair, "=")
		switch {
		case !ok || found[param]:
		case misfit[param] != nil:
			return false, misfit[param]
		default:
			return false, o.errorf("-struct %s: no function has a parameter of that name; -ptx or -source gives them their names", pair)
		}
	}
	return len(res.Errors) > 0, nil
}

// addKernel adds a kernel of a header under the name that the listing has for
// it, or gives the parameters of the one of a PTX module its fields.
func addKernel(funcs []*annotate.Func, name string, k *layoutcmd.Kernel) []*annotate.Func {
	out := &annotate.Func{Name: name, Kernel: true, Block: k.Block}
	for _, p := range k.Params {
		size := p.Param.Bytes
		if size < 0 {
			size = p.Layout.Size
		}
		out.Params = append(out.Params, annotate.Formal{
			Name: p.Name, Placement: abi.Placement{Loc: p.Loc, Size: int(size), Align: int(p.Layout.Align)}, Fields: fieldsOf(p.Layout),
		})
	}
	for i, f := range funcs {
		if f.Name == name {
			funcs[i] = out
			return funcs
		}
	}
	return append(funcs, out)
}

func fieldsOf(l *layout.Layout) []annotate.Field {
	var all []annotate.Field
	for _, f := range verify.Fields(l, 0) {
		all = append(all, annotate.Field{Path: f.Path, Off: f.Offset, Size: f.Size})
	}
	return all
}
