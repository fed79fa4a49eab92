package named

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/internal/tool/verify/declared"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// Functions are the names of all functions of a listing.
func Functions(file string, in io.Reader) (names []string, err error) {
	r := sass.NewReader(file, in)
	r.Want = func(string) bool { return false }
	for {
		s, err := r.Next()
		switch {
		case s == nil && errors.Is(err, io.EOF):
			return names, nil
		case s == nil:
			return nil, err
		case s.Func != nil:
			names = append(names, strings.Clone(s.Func.Name))
		}
	}
}

// FromPTX are the functions of a PTX module with the errors of reading it, and all diagnostics. Those of a module with errors
// are what they leave of it.
func FromPTX(m *ptx.Module, list diag.List, t *abi.Target) ([]*annotate.Func, diag.List) {
	if list.Err() == nil {
		funcs, more := annotate.FromPTX(m, t)
		if list = append(list, more...); list.Err() == nil {
			return funcs, list
		}
	}
	if read := half.Of(m, list).Sound; len(resolve.Functions(read)) > 0 {
		if funcs, more := annotate.FromPTX(read, t); more.Err() == nil {
			return funcs, list
		}
	}
	return nil, list
}

// A Struct is a parameter, by its name, with the type that it holds.
type Struct struct{ Param, Type string }

// ParseStructs reads the value of -struct.
func ParseStructs(text string) (all []Struct, err error) {
	if text == "" {
		return nil, nil
	}
	for pair := range strings.SplitSeq(text, ",") {
		param, typ, _ := strings.Cut(pair, "=")
		if param == "" || typ == "" {
			return nil, fmt.Errorf("-struct %q is not of the form PARAM=TYPE", pair)
		}
		all = append(all, Struct{param, typ})
	}
	return all, nil
}

// FromSource adds names of a source to functions: the parameters of its kernels, and the fields of structs. Listed are the
// functions of the listing.
func FromSource(funcs []*annotate.Func, src *layoutcmd.Result, file string, listed []string, structs []Struct) ([]*annotate.Func, diag.List, error) {
	matches := verify.MatchAll(listed, declared.Kernels(src.Kernels))
	for i, names := range matches {
		if len(names) == 1 {
			funcs = addKernel(funcs, names[0], src.Kernels[i])
		}
	}
	warnings := unmatched(file, src.Kernels, matches, listed)
	records := make(map[string]*layoutcmd.Record)
	for _, r := range src.Records {
		records[r.Name] = r
	}
	types := make(map[string]string) // of parameters
	for _, s := range structs {
		types[s.Param] = s.Type
	}
	found := make(map[string]bool)
	misfit := make(map[string]error)
	for _, f := range funcs {
		for _, list := range [][]annotate.Formal{f.Params, f.Results} {
			for i := range list {
				p := &list[i]
				rec := records[types[p.Name]]
				switch {
				case rec == nil:
				case p.Size == 0 || int64(p.Size) == rec.Layout.Size || int64(p.Size) == rec.Param.Bytes:
					p.Fields = fieldsOf(rec.Layout)
					found[p.Name] = true
				case misfit[p.Name] == nil:
					misfit[p.Name] = fmt.Errorf("-struct %s=%s: %s has %d bytes, %s of %s has %d", p.Name, rec.Name, rec.Name, rec.Layout.Size, p.Name, f.Name, p.Size)
				}
			}
		}
	}
	for _, s := range structs {
		switch {
		case found[s.Param]:
		case misfit[s.Param] != nil:
			return nil, warnings, misfit[s.Param]
		default:
			return nil, warnings, fmt.Errorf("-struct %s=%s: no function has a parameter of that name; -ptx or -source gives them their names", s.Param, s.Type)
		}
	}
	return funcs, warnings, nil
}

// addKernel adds a kernel of a source under the name that the listing has for
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

// unmatched warns where a listing has none of the kernels that a source declares,
// and of those that may be several of the listing's. The matches are by kernel.
func unmatched(file string, kernels []*layoutcmd.Kernel, matches [][]string, listed []string) (warnings diag.List) {
	warn := func(pos diag.Pos, format string, args ...any) {
		warnings.Add(&diag.Diagnostic{File: file, Pos: pos, Severity: diag.Warning, Msg: fmt.Sprintf(format, args...)})
	}
	some := false
	like := ""
	var names []string
	for i, k := range kernels {
		names = append(names, k.Name)
		if like == "" {
			like = verify.Like(k.Name, listed)
		}
		if some = some || len(matches[i]) > 0; len(matches[i]) > 1 {
			warn(diag.Pos{Line: k.Pos.Line}, "%s may mean any of %s, so that the parameters of none are named", k.Name, strings.Join(matches[i], ", "))
		}
	}
	if some || len(kernels) == 0 {
		return warnings
	}
	more := ""
	if len(names) > Few {
		more = fmt.Sprintf(" and %d more", len(names)-Few)
		names = names[:Few]
	}
	warn(diag.Pos{}, "the listing has none of its kernels: %s%s%s", strings.Join(names, ", "), more, like)
	return warnings
}
