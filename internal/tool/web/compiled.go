//go:build !explorer && !nopack

package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/internal/tool/verify/declared"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A compiledFile is a file while its images are held against the text.
type compiledFile struct {
	*answer
	out     *Binary
	source  *verify.Module                    // of PTX; nil for other texts
	read    map[*abi.Target]*layoutcmd.Result // of C, as it is for each target
	partial bool                              // the text has errors, and what they leave is compared
	why     string                            // why nothing is compared, "" if it is
	list    []*verify.Report
	room    uint64 // what may be inflated yet
}

// readBinary reads the compiled file of the request, and holds its kernels against the
// text.
func (a *answer) readBinary() {
	file := a.req.Binary
	out := &Binary{Name: file.Name, Images: []Image{}, Notes: []string{}, Reports: []string{}, Findings: []Diagnostic{}}
	a.res.Binary = out
	if len(file.Data) > MaxBinary {
		out.Refused = fmt.Sprintf("the file has %d bytes; the explorer reads %d, and ptxabi verify any", len(file.Data), MaxBinary)
		return
	}
	images, err := cubin.Images(file.Data)
	if err != nil {
		out.Refused = reason(err)
		return
	}
	if len(images) == 0 {
		out.Refused = "there is neither a cubin nor PTX in it"
		return
	}
	f := &compiledFile{answer: a, out: out, read: map[*abi.Target]*layoutcmd.Result{}, room: maxInflated}
	f.subject()
	if len(images) > maxImages {
		f.tell("of %d images the first %d are read", len(images), maxImages)
		images = images[:maxImages]
	}
	texts := 0
	for _, m := range images {
		if m.Kind == cubin.PTX {
			texts++
		}
		if err := f.image(m, len(images), texts); err != nil {
			f.tell("%v", err)
		}
	}
	f.compare()
	if kernels := out.cut(); kernels > maxKernels {
		f.tell("of %d kernels the first %d are listed", kernels, maxKernels)
	}
}

func (f *compiledFile) tell(format string, args ...any) {
	f.out.Notes = append(f.out.Notes, brief(fmt.Sprintf(format, args...)))
}

// subject reads the text as a source of kernels.
func (f *compiledFile) subject() {
	switch {
	case strings.TrimSpace(f.req.Text) == "":
		f.why = "there is no text"
	case f.res.Broken || f.text == nil:
		f.why = "the text cannot be read"
	case f.res.Lang == "ptx":
		m, list := parse(f.req.Text)
		if list.Err() != nil {
			if m = half.Of(m, list).Heads; len(resolve.Functions(m)) == 0 {
				f.why = "the text cannot be read"
				return
			}
			f.halve()
		}
		f.source = verify.NewModule(m)
	case f.res.Lang == "go":
		f.why = "Go declares no kernels: ptxabi verify -type holds a struct of it against one"
	case f.res.Lang == "sass":
		f.why = "a listing declares no kernels"
	}
}

// image reads one of the images, and compares it. The number is of a PTX text among
// those of the file.
func (f *compiledFile) image(m cubin.Image, images, number int) error {
	where := fmt.Sprintf("%#x", m.Offset)
	if m.Member != "" {
		where = m.Member + ", " + where
	}
	if images == 1 && m.Where == "" && m.Member == "" {
		where = "the file"
	}
	one := Image{Where: where, Kind: m.Kind.String(), Arch: m.Arch, Kernels: []BinaryKernel{}}
	defer func() { f.out.Images = append(f.out.Images, one) }()
	if size := max(m.Size, uint64(len(m.Stored))); m.Kind != cubin.Cubin && m.Kind != cubin.PTX {
		return fmt.Errorf("%s: it is %v, neither a cubin nor PTX", where, m.Kind)
	} else if size > f.room {
		return fmt.Errorf("%s: it is said to have %d bytes when inflated; %d are read of a file", where, m.Size, maxInflated)
	} else {
		f.room -= size
	}
	data, err := m.Contents()
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	name := f.out.Name
	if where != "the file" {
		name += "(" + where + ")"
	}
	if m.Kind == cubin.PTX {
		return f.ptxImage(&one, m, name, string(data), number)
	}
	c, err := cubin.Open(data)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if len(c.Symbols) == 0 {
		return fmt.Errorf("%s: it is stripped: without symbols its kernels have no names", where)
	}
	one.Arch = c.Arch
	if c.Toolkit != (cubin.Version{}) {
		one.Toolkit = c.Toolkit.String()
	}
	one.take(c)
	t, err := abi.Lookup(c.Arch)
	if err != nil {
		return fmt.Errorf("%s: not compared: %w", where, err)
	}
	source, err := f.on(t, c, false)
	if err != nil || source == nil {
		return err
	}
	f.list = append(f.list, (&verify.Binary{File: c, Name: name}).Compare(source))
	return nil
}

// ptxImage compares PTX that is in the file for a driver to compile.
func (f *compiledFile) ptxImage(one *Image, m cubin.Image, name, text string, number int) error {
	if len(text) > MaxText {
		return fmt.Errorf("%s: PTX of %d bytes; %d are read", one.Where, len(text), MaxText)
	}
	mod, err := ptx.ParseString(name, text)
	if err != nil {
		return fmt.Errorf("%s: PTX that cannot be read: %s", one.Where, firstLine(err))
	}
	t, err := abi.Lookup(cmp.Or(mod.Target, m.Arch))
	if err != nil {
		return fmt.Errorf("%s: not compared: %w", one.Where, err)
	}
	p := verify.NewModule(mod).PTX(t, m.AddressSize)
	one.Arch = p.Arch
	one.take(p.File)
	source, err := f.on(t, p.File, true)
	if err != nil || source == nil {
		return err
	}
	f.list = append(f.list, (&verify.Binary{File: p.File, Name: name, PTX: p, Number: number}).Compare(source))
	return nil
}

// firstLine is the first line of an error, which may have one for each diagnostic.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// take lists the kernels of a cubin.
func (one *Image) take(c *cubin.File) {
	for i := range c.Functions {
		fn := &c.Functions[i]
		if !fn.Kernel {
			one.Functions++
			continue
		}
		k := BinaryKernel{Name: fn.Name, Shown: verify.NameOf(fn.Name), Registers: fn.Regs, Frame: fn.FrameSize, Bank: fn.ParamBank, Base: fn.ParamBase, Size: fn.ParamSize, Params: []BinaryParam{}}
		for _, p := range fn.Params[:min(len(fn.Params), maxStructure)] {
			k.Params = append(k.Params, BinaryParam{p.Offset, p.Size})
		}
		one.Kernels = append(one.Kernels, k)
	}
}

// cut leaves no more kernels than are listed, and returns how many there were.
func (b *Binary) cut() int {
	n := 0
	for i := range b.Images {
		one := &b.Images[i]
		room := max(0, maxKernels-n)
		n += len(one.Kernels)
		one.Kernels = one.Kernels[:min(len(one.Kernels), room)]
	}
	return n
}

// on is what the text declares on a target; nil where it declares nothing that can be
// compared.
func (f *compiledFile) on(t *abi.Target, c *cubin.File, isPTX bool) (*verify.Source, error) {
	switch {
	case f.why != "":
		return nil, nil
	case f.source != nil:
		return declared.Module(f.source, t, isPTX, f.partial), nil
	}
	r := f.read[t]
	if r == nil {
		var err error
		if r, err = f.kernels(t); err != nil {
			return nil, err
		}
		f.read[t] = r
	}
	if len(r.Kernels) == 0 && len(r.Unit.Unread) == 0 {
		f.why = "the text declares no kernels: no __global__ functions"
		return nil, nil
	}
	out := declared.Source(fileNames[f.res.Lang], r, c, t)
	out.Templates, out.Partial = r.Skipped > 0, f.partial
	return out, nil
}

// kernels reads C as what CUDA compiles, which is C++; what is C alone as that.
func (f *compiledFile) kernels(t *abi.Target) (*layoutcmd.Result, error) {
	opts := layoutcmd.Options{Target: t, Producer: layout.NVCC, SkipTemplates: true}
	r, err := layoutcmd.LoadEither(fileNames[f.res.Lang], []byte(f.req.Text), opts)
	if err != nil || len(r.Errors) == 0 {
		return r, err
	}
	why := firstLine(r.Errors)
	opts.Lang, opts.Partial = "c++", true
	if r, err := layoutcmd.Load(fileNames[f.res.Lang], []byte(f.req.Text), opts); err == nil && len(r.Kernels) > 0 {
		f.halve()
		return r, nil
	}
	return nil, fmt.Errorf("for %s: %s", t.Name, why)
}

// halve says once that a part of the text is compared.
func (f *compiledFile) halve() {
	if !f.partial {
		f.tell("the text has errors: what they leave of it is compared")
	}
	f.partial = true
}

// compare reports what was compared. Images that have nothing of the text are left out.
func (f *compiledFile) compare() {
	n := len(f.list)
	f.list = slices.DeleteFunc(f.list, func(r *verify.Report) bool { return !r.Shared() })
	switch n -= len(f.list); {
	case n > 0 && len(f.list) == 0:
		f.why = "no kernel and no function of the text is in the file"
	case n > 0:
		f.tell("left out: %s that %s nothing of the text", prose.Count(n, "image"), map[bool]string{true: "has", false: "have"}[n == 1])
	}
	if len(f.list) == 0 {
		if f.why != "" {
			f.tell("nothing is compared: %s", f.why)
		}
		return
	}
	verify.Settle(f.list, false)
	f.out.Compared = "same"
	if slices.ContainsFunc(f.list, func(r *verify.Report) bool { return !r.OK() }) {
		f.out.Compared = "differs"
	}
	size := 0
	texts := verify.Texts(f.list, verify.Style{})
	for i, text := range texts {
		if size += len(text); size > maxReported {
			f.tell("of %s the first %d are shown", prose.Count(len(texts), "report"), i)
			break
		}
		f.out.Reports = append(f.out.Reports, text)
	}
	for _, e := range verify.Diagnostics(f.list, verify.NameOf) {
		if len(f.out.Findings) == maxDiags {
			f.tell("the first %d differences are listed", maxDiags)
			break
		}
		f.out.Findings = append(f.out.Findings, f.diagnostic(e))
	}
}
