package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/assign"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/images"
	"github.com/ptxabi/ptxabi/internal/tool/picture"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/resolve"
)

// listedImages is how many images text has without -all.
const listedImages = 40

func bindImages(o *options) action {
	extract := ""
	o.Bind(&extract, "extract")
	return func(e env, rest []string) error {
		if o.Given("extract") && extract == "" {
			return o.errorf("-extract is empty")
		}
		if extract != "" {
			var names []string
			for _, file := range rest {
				if slices.Contains(names, filepath.Base(file)) {
					return o.errorf("-extract: two files are called %s, and their images would have the same names", filepath.Base(file))
				}
				names = append(names, filepath.Base(file))
			}
		}
		return o.each(e, rest, func(e env, file string) error { return o.images(e, file, extract) })
	}
}

// images lists the images of a file, and writes them into a folder if one is named.
func (o *options) images(e env, file, extract string) error {
	r := &imageReader{options: o, e: e, any: true}
	end, err := r.open(file)
	defer end()
	if err != nil {
		return err
	}
	if extract != "" {
		if err := os.MkdirAll(extract, 0o777); err != nil {
			return disk.Reason(err)
		}
	}
	list := []images.Entry{}
	for _, i := range r.some {
		m := &r.Images[i]
		var contents []byte
		var err error
		if m.Kind == cubin.Cubin || m.Kind == cubin.PTX { // others may be stored in ways of their own
			contents, err = m.Contents()
		}
		entry := images.EntryOf(i+1, m, contents)
		if extract != "" && contents != nil {
			entry.File = filepath.Join(extract, fmt.Sprintf("%s.%d.%s.%v", baseName(r.Name), i+1, m.Arch, m.Kind))
			if err := disk.Replace(entry.File, contents); err != nil {
				return ofFile(entry.File, err)
			}
		}
		if err != nil {
			r.wrong(i, err)
		}
		list = append(list, entry)
	}
	if err := o.emit(e, o.imageList(list, extract)); err != nil {
		return err
	}
	r.moreWrong()
	if r.failed > 0 {
		return errPrinted
	}
	return nil
}

// baseName is the name of a file that others are called after.
func baseName(name string) string {
	if name == "<stdin>" {
		return "stdin"
	}
	return filepath.Base(name)
}

// imageList is the list as it is printed.
func (o *options) imageList(list []images.Entry, folder string) []byte {
	if o.format == "json" {
		return asJSON(struct {
			Format string         `json:"format"`
			Images []images.Entry `json:"images"`
		}{"ptxabi.images/1", list})
	}
	shown := list
	if !o.all && len(list) > listedImages {
		shown = list[:listedImages]
	}
	rows, written := [][]string{images.Head}, 0
	for i := range shown {
		rows = append(rows, shown[i].Row())
	}
	out := diag.PrintableLines(display.Table(rows, "", 0, images.Right...))
	if n := len(list) - len(shown); n > 0 {
		out += fmt.Sprintf("and %s: -all shows them\n", prose.Count(n, "more image"))
	}
	out += "\n" + images.Total(list)
	for i := range list {
		if list[i].File != "" {
			written++
		}
	}
	if folder != "" {
		out += fmt.Sprintf("%s in %s\n", prose.Count(written, "file"), printable(folder))
	}
	return []byte(out)
}

// Bounds of what assign prints of a file as text without -all.
const (
	someKernels = 20 // of an image
	someImages  = 20
)

// An imageReader describes the images of a file one by one; nothing of one is kept for the next.
type imageReader struct {
	*options
	*compiled.File
	e      env
	kernel string
	any    bool     // images that are neither cubins nor PTX are selected too
	some   []int    // indices of the images that are selected
	shown  int      // images that were given
	left   int      // images of text that were not looked at
	names  []string // of kernels and functions that were not chosen, the first of them
	failed int      // images that could not be read
}

// mostNames is how many names are kept to suggest one.
const mostNames = 1 << 14

// assignImages answers for a compiled file.
func assignImages(e env, o *options, file, kernel string) error {
	if err := o.distinct(file); err != nil {
		return err
	}
	r := &imageReader{options: o, e: e, kernel: kernel}
	end, err := r.open(file)
	defer end()
	if err != nil {
		return err
	}
	switch o.format {
	case "svg":
		return r.svg()
	case "json":
		err = o.stream(e, r.json)
	default:
		err = o.stream(e, r.text)
	}
	r.moreWrong()
	if err == nil && r.failed > 0 {
		return errPrinted
	}
	return err
}

// beginsCompiled reports whether a file, or standard input, begins as a compiled one. What was read of standard
// input for that is put back.
func beginsCompiled(e *env, file string) (bool, error) {
	if file != "-" {
		return isCompiled(file), nil
	}
	in := bufio.NewReaderSize(e.stdin, mostHead)
	head, err := in.Peek(mostHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("<stdin>: %w", disk.Reason(err))
	}
	e.stdin = in
	return cubin.Binary(head), nil
}

// mostHead is how much of a file says what it is, in bytes: the header of a PE file stands after the one of DOS.
const mostHead = 4096

// imageLines is -format jsonl of a compiled file, a line for each image; ok is false if the file is none.
func (o *options) imageLines(e *env, file, kernel string) (ok bool, status int, err error) {
	if ok, err := beginsCompiled(e, file); !ok || err != nil {
		return false, 0, err
	}
	put := func(l line) error {
		l.File, status = file, max(status, l.Status)
		return write(e.stdout, append(jsonline.Append(nil, l), '\n'))
	}
	r := &imageReader{options: o, e: *e, kernel: kernel}
	end, err := r.open(file)
	defer end()
	if err == nil {
		err = r.eachOr(0, func(m *images.Image) error {
			return put(line{Image: m.Name, Result: images.AppendJSON(nil, assignForm, m), Diagnostics: []json.RawMessage{}})
		}, func(i int, err error) error {
			r.shown++
			return put(line{Image: r.Where(i), Status: 2, Diagnostics: failures(err)})
		})
	}
	if r.shown == 0 {
		err = put(line{Status: 2, Diagnostics: failures(err)})
	}
	return true, status, err
}

// open opens a file, and leaves the images that the options name.
func (r *imageReader) open(file string) (end func(), err error) {
	r.File, end, err = openCompiled(r.e, file, false, r.row)
	if err == nil {
		r.Bodies = true // which stands for types of the host
		err = r.choose()
	}
	return end, err
}

// failures are an error as diagnostics.
func failures(err error) []json.RawMessage {
	return []json.RawMessage{bytes.TrimSpace(appendLines(nil, diag.List{{Code: failure, Msg: err.Error()}}))}
}

// choose leaves the images that the options name.
func (r *imageReader) choose() error {
	want, archs := "", []string(nil)
	if r.target != "" {
		arch, err := archOf(r.target)
		if err != nil {
			return err
		}
		want = arch.Name
	}
	other := make(map[cubin.ImageKind]int)
	for i := range r.Images {
		m := &r.Images[i]
		switch {
		case !r.any && m.Kind != cubin.Cubin && m.Kind != cubin.PTX:
			other[m.Kind]++
		case want == "" || m.Arch == want:
			r.some = append(r.some, i)
		case !slices.Contains(archs, m.Arch):
			archs = append(archs, m.Arch)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(other)) {
		r.e.tell(diag.Note, r.Name, 0, "left out: %s of %v, neither a cubin nor PTX", prose.Count(other[kind], "image"), kind)
	}
	switch {
	case len(r.some) > 0:
	case archs == nil:
		return fmt.Errorf("%s: no cubin in it, nor PTX", r.Name)
	default:
		return fmt.Errorf("%s: nothing in it for %s, only for %s", r.Name, want, strings.Join(archs, ", "))
	}
	return nil
}

// chosen reports whether the options name a function.
func (r *imageReader) chosen(name string, kernel bool) bool {
	ok := r.chooses(r.kernel, name, kernel)
	if !ok && (kernel || r.fn != "") && len(r.names) < mostNames {
		r.names = append(r.names, strings.Clone(name))
	}
	return ok
}

// one reports whether the options name single functions.
func (r *imageReader) one() bool { return r.fn != "" || r.kernel != "" }

// each gives f the images, as far as they have something that the options name. Limit bounds the functions of each.
func (r *imageReader) each(limit int, f func(*images.Image) error) error {
	return r.eachOr(limit, f, func(i int, err error) error { r.wrong(i, err); return nil })
}

// eachOr is each with what is done about those that cannot be read.
func (r *imageReader) eachOr(limit int, f func(*images.Image) error, unread func(i int, err error) error) error {
	for _, i := range r.some {
		m, err := images.Of(r.File, i, r.chosen, limit)
		switch {
		case err != nil:
			err = unread(i, err)
		case !r.one() || len(m.Functions) > 0:
			r.shown++
			err = f(m)
		}
		if err != nil {
			return err
		}
	}
	if r.shown > 0 || r.failed > 0 && !r.one() {
		return nil
	}
	return r.none()
}

// none says that nothing is described.
func (r *imageReader) none() error {
	if !r.one() {
		return fmt.Errorf("%s: no cubin in it, nor PTX", r.Name)
	}
	what, name := "kernel", r.kernel
	if r.fn != "" {
		what, name = "function", r.fn
	}
	return fmt.Errorf("%s: no %s %q%s", r.Name, what, name, verify.Like(name, r.names))
}

// mostWrong is how many images that cannot be read have a message.
const mostWrong = 10

// wrong says why an image cannot be read.
func (r *imageReader) wrong(i int, err error) {
	if r.failed++; r.failed <= mostWrong || r.e.json {
		r.e.tell(diag.Error, r.Where(i), 0, "%s", strings.TrimPrefix(err.Error(), r.Where(i)+": "))
	}
}

// moreWrong counts those that have no message.
func (r *imageReader) moreWrong() {
	if !r.e.json {
		r.e.more(r.Name, r.failed-mostWrong)
	}
}

const assignForm = `"format": "ptxabi.assign/1", `

// json writes all images.
func (r *imageReader) json(w io.Writer) error {
	form, before, end := "", "{"+assignForm+"\"images\": [\n ", "]}\n"
	if len(r.Images) == 1 {
		form, before, end = assignForm, "", "\n"
	}
	err := r.each(0, func(m *images.Image) error {
		_, err := w.Write(images.AppendJSON([]byte(before), form, m))
		before = ",\n "
		return err
	})
	if err == nil && r.shown > 0 {
		_, err = io.WriteString(w, end)
	}
	return err
}

// text writes the images for people.
func (r *imageReader) text(w io.Writer) error {
	limit, count := someKernels, len(r.some)
	if r.all || r.one() {
		limit = 0
	} else if count > someImages {
		r.some = r.some[:someImages]
		r.left = count - someImages
	}
	err := r.each(limit, func(m *images.Image) error {
		var out []byte
		if r.shown > 1 {
			out = append(out, '\n')
		}
		if len(r.Images) > 1 {
			out = fmt.Appendf(out, "image %s: %s\n", printable(m.Name), m.Kind)
		}
		out = assign.AppendTarget(out, m.Target, m.Assumed)
		if len(m.Functions) == 0 {
			out = append(out, "\nno kernel or function of which something is recorded\n"...)
		}
		for i := range m.Functions {
			f := &m.Functions[i]
			out = fmt.Appendf(out, "\n%s\n", printable(f.Head()))
			if rows := f.Rows(); rows != nil {
				out = append(out, diag.PrintableLines(display.Table(rows, "  ", 0, 3, 4, 5))...)
			}
		}
		if m.More > 0 {
			out = fmt.Appendf(out, "\nand %s: -all shows them, -kernel NAME one\n", prose.Count(m.More, "more function"))
		}
		_, err := w.Write(out)
		return err
	})
	if err == nil && r.left > 0 {
		_, err = fmt.Fprintf(w, "\nand %s: -all shows them, -target SM those for one architecture, -kernel NAME a kernel\n", prose.Count(r.left, "more image"))
	}
	return err
}

// svg draws the one image that the options name, or that has what they name.
func (r *imageReader) svg() error {
	if len(r.some) > 1 && !r.one() {
		return r.errorf("%s has %d images, and -format svg is for one: -target SM chooses those for one architecture, -kernel NAME those with a kernel", r.Name, len(r.some))
	}
	var drawn [][]byte // several modules of a program may have the same kernel
	if err := r.each(0, func(m *images.Image) error {
		t, err := r.row(m.Target)
		if err != nil {
			return err
		}
		var list []resolve.Assigned
		for i := range m.Functions {
			if a, ok := m.Functions[i].Assigned(); ok {
				list = append(list, a)
			}
		}
		if one := picture.Page.Assigned(t, list); !slices.ContainsFunc(drawn, func(b []byte) bool { return bytes.Equal(b, one) }) {
			drawn = append(drawn, one)
		}
		return nil
	}); err != nil || len(drawn) == 0 {
		return err
	}
	if len(drawn) > 1 {
		return r.errorf("%d images of %s have it otherwise, and -format svg is for one: -target SM chooses those for one architecture", len(drawn), r.Name)
	}
	return r.emit(r.e, drawn[0])
}
