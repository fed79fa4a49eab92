package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
	"github.com/ptxabi/ptxabi/internal/tool/annotate/named"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify/declared"
	"github.com/ptxabi/ptxabi/ptx"
)

func bindAnnotate(o *options) action {
	var flags listing
	var kernels, funcs names
	o.Bind(&flags.ptxFile, "ptx")
	o.Bind(&flags.sourceFile, "source")
	o.Bind(&flags.structs, "struct")
	o.Bind(&kernels, "kernel")
	o.Bind(&funcs, "func")
	o.Bind(&flags.registers, "registers")
	return func(e env, rest []string) error {
		if (flags.ptxFile == "-" || flags.sourceFile == "-") && len(rest) > 1 {
			return o.errorf("standard input is read once, and there are %d listings", len(rest))
		}
		return o.each(e, rest, func(e env, file string) (err error) {
			l := flags
			l.e, l.o = e, o
			if l.picks, err = annotate.NewPicks(kernels, funcs); err != nil {
				return o.errorf("%w", err)
			}
			return l.print(file)
		})
	}
}

// print writes the listing of a file with its comments.
func (l *listing) print(file string) error {
	if l.ptxFile == "-" && file == "-" || l.sourceFile == "-" && (file == "-" || l.ptxFile == "-") {
		return l.o.errorf("standard input is read once: it is one of LISTING, -ptx and -source")
	}
	if l.structs != "" && l.sourceFile == "" {
		return l.o.errorf("-struct names types of -source, which is not given")
	}
	if err := l.open(file); err != nil {
		return err
	}
	defer l.close()
	err := l.o.stream(l.e, func(w io.Writer) error {
		if l.o.format == "text" {
			w = printableWriter{w}
		}
		return l.annotate(w)
	})
	return findings(err, l.half)
}

// A listing is the input of annotate.
type listing struct {
	e                            env
	o                            *options
	ptxFile, sourceFile, structs string
	registers                    bool
	picks                        *annotate.Picks

	name  string // for diagnostics
	in    io.Reader
	close func()

	ptx, source *source
	half        bool     // ptx or source has errors, and the names are of what they leave
	listed      []string // its functions, where -source needs all of them
	again       bool     // names have been read for an architecture
}

// annotate writes the listing with its comments, or the comments alone.
func (l *listing) annotate(to io.Writer) error {
	head := &head{in: l.in}
	w := &named.Writer{To: to, File: l.name, JSON: l.o.format == "json", Picks: l.picks, Tell: l.e.tell, More: l.e.more}
	w.Known = func(arch string) (annotate.Options, error) { return l.known(w, arch) }
	if l.ptx != nil {
		w.Module = l.ptx.name
	}
	err := w.Write(head)
	wrong := (*named.WrongError)(nil)
	switch {
	case errors.Is(err, named.ErrNoFunction):
		return fmt.Errorf("%s: %s", l.name, notListing(&source{name: l.name, text: string(head.text)}))
	case errors.As(err, &wrong):
		l.e.list(wrong.List)
		l.e.more(l.name, wrong.More)
		if wrong.Columns {
			l.e.tell(diag.Note, l.name, 0, "it has the columns of nvdisasm -plr, which are not part of a listing: leave -plr out; -registers adds such columns")
		}
		return errFindings
	}
	return err
}

// known reads what is known of code that the listing says to be for an architecture.
func (l *listing) known(w *named.Writer, arch string) (o annotate.Options, err error) {
	o.Registers = l.registers
	if o.Target, err = l.row(arch); err != nil {
		return o, err
	}
	e := l.e
	if l.again {
		e.stderr, e.kept = io.Discard, nil // the same was reported for the first
	}
	if l.ptx != nil {
		if o.Funcs, err = l.fromPTX(e, o.Target); err != nil {
			return o, err
		}
		for _, f := range o.Funcs {
			w.InModule = append(w.InModule, f.Name)
		}
	}
	if l.source != nil {
		o.Funcs, err = l.fromSource(e, o.Target, o.Funcs)
	}
	l.again = true
	return o, err
}

// fromPTX takes names out of the PTX module.
func (l *listing) fromPTX(e env, t *abi.Target) ([]*annotate.Func, error) {
	src := l.ptx
	m, list := src.parse()
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
	funcs, list := named.FromPTX(m, list, t)
	newPrinter(e, l.o, src).all(list)
	wrong := list.Err() != nil
	if wrong && (funcs == nil || l.again && l.o.format == "json") {
		return nil, errFindings
	}
	l.half = l.half || wrong
	return funcs, nil
}

// fromSource adds names of the source.
func (l *listing) fromSource(e env, t *abi.Target, funcs []*annotate.Func) ([]*annotate.Func, error) {
	src := l.source
	if strings.Contains(src.text, ".version") && isPTX(src) {
		return nil, fmt.Errorf("%s: PTX, which -ptx takes; -source takes C, CUDA and Go", src.name)
	}
	structs, err := named.ParseStructs(l.structs)
	switch {
	case err != nil:
		return nil, l.o.errorf("%w", err)
	case path.Ext(src.name) == ".go" && structs == nil:
		return nil, l.o.errorf("%s is a Go file: -struct says which parameter holds which of its structs", src.name)
	}
	opts := layoutcmd.Options{Target: t}
	for _, s := range structs {
		opts.Types = append(opts.Types, s.Type)
	}
	res, err := loadKernels(src, opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", src.name, err, typesLike(src, layoutcmd.Options{Types: opts.Types, FS: disk.System("")}))
	}
	newPrinter(e, l.o, src).all(slices.Concat(res.Warnings, res.Errors))
	if slices.ContainsFunc(res.Errors, func(d *diag.Diagnostic) bool { return !cdecl.Confined(d.Code) }) {
		return nil, errFindings
	}
	funcs, warnings, err := named.FromSource(funcs, res, src.name, l.listed, structs)
	e.notes(warnings)
	if err != nil {
		return nil, l.o.errorf("%w", err)
	}
	l.half = l.half || len(res.Errors) > 0
	return funcs, nil
}

// names are the values of a flag that may be given again, and not as nothing.
type names []string

func (n *names) String() string { return strings.Join(*n, " ") }

func (n *names) Set(s string) error {
	*n = append(*n, s)
	return nil
}

// notListing names the kind of a text in which there is no code.
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

// A head keeps what an input begins with, so that a message can name what it is if it is no listing.
type head struct {
	in   io.Reader
	text []byte
}

// maxHead is how much of it is kept, in bytes.
const maxHead = 1 << 20

func (h *head) Read(p []byte) (int, error) {
	n, err := h.in.Read(p)
	if room := maxHead - len(h.text); room > 0 {
		h.text = append(h.text, p[:min(n, room)]...)
	}
	return n, disk.Reason(err)
}

// open opens the listing, and reads the other files.
func (l *listing) open(file string) error {
	in, err := open(l.e, file)
	if err != nil {
		return err
	}
	l.name, l.close = in.name, in.close
	if head, rest := begins(in.Reader); strings.HasPrefix(strings.TrimLeft(head, " \t\r\n"), "[") {
		l.in = annotate.FromJSON(rest)
	} else {
		l.in = rest
	}
	if err = l.o.distinct(in.path); err == nil {
		err = l.readNames()
	}
	if err != nil {
		l.close()
	}
	return err
}

// begins returns what an input begins with, and the input as it was.
func begins(in io.Reader) (string, io.Reader) {
	head := make([]byte, 64)
	n, _ := io.ReadFull(in, head) // an error comes again
	if s, ok := in.(io.Seeker); ok {
		if _, err := s.Seek(int64(-n), io.SeekCurrent); err == nil {
			return string(head[:n]), in
		}
	}
	return string(head[:n]), io.MultiReader(strings.NewReader(string(head[:n])), in)
}

// readNames reads the files that names are taken from.
func (l *listing) readNames() (err error) {
	if l.ptxFile != "" {
		if l.ptx, err = read(l.e, l.ptxFile); err != nil {
			return err
		}
	}
	if l.sourceFile == "" {
		return nil
	}
	if l.source, err = read(l.e, l.sourceFile); err != nil {
		return err
	}
	return l.list()
}

// list finds the names of all functions of the listing. It is read once more for that,
// and kept in memory where it cannot be.
func (l *listing) list() error {
	text, ok := l.in.(io.ReadSeeker)
	if ok {
		_, err := text.Seek(0, io.SeekCurrent)
		ok = err == nil
	}
	if !ok {
		all, err := readSome(l.in, 0, maxInput)
		if err != nil {
			return ofFile(l.name, err)
		}
		text = strings.NewReader(all)
	}
	l.in = text
	var err error
	if l.listed, err = named.Functions(l.name, text); err == nil {
		_, err = text.Seek(0, io.SeekStart)
	}
	return ofFile(l.name, err)
}

// row is the target of code that the listing says to be for that architecture.
func (l *listing) row(listed string) (*abi.Target, error) {
	name := cmp.Or(l.o.target, listed)
	if name == "" {
		return nil, l.o.errorf("%s does not name its architecture; give it with -target", l.name)
	}
	t, err := l.o.row(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	if l.o.target != "" && listed != "" {
		if own, err := archOf(listed); err == nil && own.SM != t.SM {
			return nil, l.o.errorf("-target %s does not fit: %s is for %s", l.o.target, l.name, listed)
		}
	}
	return t, nil
}
