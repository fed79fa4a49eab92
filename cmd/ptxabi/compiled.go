package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
)

// A binary is a cubin with the name of the file it is in, and where it is there,
// or PTX that stands in its place.
type binary struct {
	*cubin.File
	name   string
	module uint64      // the same for all that are made of one module
	ptx    *verify.PTX // nil: it is a cubin
	number int         // of PTX in the file, from 1
	host   *verify.Host
}

// virtual is the architecture that the PTX is for which the binary is or was made of, without its suffix;
// "" where that is not recorded.
func (b *binary) virtual() string {
	if b.ptx != nil {
		return strings.TrimRight(b.Arch, "af")
	}
	return b.Virtual
}

// A compiledFile is a file with cubins and PTX in it, of which nothing has been opened. Its contents
// may be mapped, and are gone when it is closed, with the names of functions in them.
type compiledFile struct {
	name    string
	images  []cubin.Image
	numbers []int                  // of PTX texts, from 1; 0 of other images, and of a file that is PTX
	bodies  bool                   // of PTX the bodies are read too
	hosts   map[*byte]*verify.Host // of the files that images stand in, by their first bytes
	close   func()
}

// openCompiled lists the images of a file, or of standard input for "-". The file may be PTX if
// mayBePTX is set.
func openCompiled(e env, file string, mayBePTX bool) (*compiledFile, error) {
	f := &compiledFile{name: file, close: func() {}}
	var data []byte
	var err error
	if file == "-" {
		f.name = "<stdin>"
		data, err = readBinary(e.stdin, 0, maxInput)
	} else {
		data, f.close, err = readBinaryFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, disk.Reason(err))
	}
	if mayBePTX && len(data) > 0 && !cubin.Binary(data) && isPTX(&source{name: f.name, text: string(data[:min(len(data), beginning)])}) {
		if data, err = wholeText(e, file, data); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, disk.Reason(err))
		}
		f.images, f.numbers = []cubin.Image{ptxFile(f.name, data)}, []int{0}
		return f, nil
	}
	if f.images, err = imagesOf(f.name, data); err != nil {
		f.close()
		return nil, err
	}
	texts := 0
	for _, m := range f.images {
		n := 0
		if m.Kind == cubin.PTX {
			texts++
			n = texts
		}
		f.numbers = append(f.numbers, n)
	}
	return f, nil
}

// open reads one of the images.
func (f *compiledFile) open(i int) (binary, error) {
	if f.images[i].Kind == cubin.PTX {
		return openPTX(f.name, f.images[i], f.numbers[i], f.bodies)
	}
	b, err := openCubin(f.name, f.images[i], len(f.images))
	b.host = f.host(f.images[i].Host)
	return b, err
}

// host is what a program that images stand in has for debuggers. It is read where types of parameters
// are asked for, for all of its images once.
func (f *compiledFile) host(program []byte) *verify.Host {
	if len(program) == 0 || !f.bodies {
		return nil
	}
	first := &program[0]
	if f.hosts[first] == nil {
		if f.hosts == nil {
			f.hosts = make(map[*byte]*verify.Host)
		}
		f.hosts[first] = verify.NewHost(func() *cubin.HostData { return cubin.HostDebug(program) })
	}
	return f.hosts[first]
}

// isCompiled reports whether a file begins as one does that has images in it.
func isCompiled(name string) bool {
	f, err := disk.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, mostHead)
	n, _ := io.ReadFull(f, head)
	return cubin.Binary(head[:n])
}

// wholeText is a text of which the beginning has been read as that of a compiled file.
func wholeText(e env, file string, data []byte) ([]byte, error) {
	switch {
	case len(data) != beginning:
		return data, nil
	case file == "-":
		rest, err := readSome(e.stdin, 0, maxInput)
		return append(data, rest...), err
	}
	text, err := readFile(file)
	return []byte(text), err
}

// ptxFile is a file of PTX as an image.
func ptxFile(name string, data []byte) cubin.Image {
	m := cubin.Image{Kind: cubin.PTX, AddressSize: 64, Size: uint64(len(data)), Stored: data}
	if outline, err := ptx.ParseOutline(name, string(data)); err == nil {
		if t, err := measuredTarget(outline.Module().Target); err == nil {
			m.Arch = t.Name
		}
	}
	return m
}

// where says where an image is, for people.
func (f *compiledFile) where(i int) string {
	m := &f.images[i]
	if m.Kind == cubin.PTX {
		return ptxName(f.name, *m, f.numbers[i])
	}
	return cubinName(f.name, *m, len(f.images))
}

// errText is an error about a text in the place of a compiled file.
type errText struct{ error }

// imagesOf lists the images in a file's contents.
func imagesOf(file string, data []byte) ([]cubin.Image, error) {
	images, err := cubin.Images(data)
	if err != nil && listed(string(data)) {
		return nil, fmt.Errorf("%s: a listing of machine code, not the cubin that it lists; the cubin is compared", file)
	}
	if err != nil && len(data) > 0 && isText(string(data)) {
		err = errText{err}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return images, nil
}

// cubinsOf reads the cubins of a file's contents, PTX beside them left out. Where
// there is PTX alone, one text, it is that.
func cubinsOf(file string, data []byte) ([]binary, *source, error) {
	images, err := imagesOf(file, data)
	if err != nil {
		return nil, nil, err
	}
	var all []binary
	var texts []cubin.Image
	var other []string
	for _, m := range images {
		if m.Kind != cubin.Cubin {
			if other = append(other, m.Kind.String()); m.Kind == cubin.PTX {
				texts = append(texts, m)
			}
			continue
		}
		b, err := openCubin(file, m, len(images))
		if err != nil {
			return nil, nil, err
		}
		all = append(all, b)
	}
	switch {
	case len(all) > 0:
		return all, nil, nil
	case len(texts) == 1:
		name := ptxName(file, texts[0], 1)
		text, err := texts[0].Contents()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		return nil, &source{name: name, text: string(text)}, nil
	case len(other) > 0:
		return nil, nil, fmt.Errorf("%s: no cubin in it, only %s", file, strings.Join(other, ", "))
	}
	return nil, nil, fmt.Errorf("%s: no cubin in it", file)
}

// openCubin reads a cubin that is one of several images of a file.
func openCubin(file string, m cubin.Image, images int) (binary, error) {
	name := cubinName(file, m, images)
	b, err := m.Contents()
	if err != nil {
		return binary{}, fmt.Errorf("%s: %w", file, err)
	}
	f, err := cubin.OpenFunctions(b)
	if err != nil {
		return binary{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(f.Symbols) == 0 {
		return binary{}, fmt.Errorf("%s: it is stripped: without symbols its kernels have no names", name)
	}
	return binary{File: f, name: name, module: m.Container}, nil
}

// cubinName is what a cubin of a file is called that has that many images.
func cubinName(file string, m cubin.Image, images int) string {
	switch {
	case m.Member != "":
		return fmt.Sprintf("%s(%s, 0x%x)", file, m.Member, m.Offset)
	case images > 1 || m.Where != "":
		return fmt.Sprintf("%s(0x%x)", file, m.Offset)
	}
	return file
}

// ptxName is what the PTX of that number in a file is called.
func ptxName(file string, m cubin.Image, number int) string {
	if number == 0 {
		return file
	}
	where := fmt.Sprintf("0x%x, ptx image %d", m.Offset, number)
	if m.Member != "" {
		where = m.Member + ", " + where
	}
	return fmt.Sprintf("%s(%s)", file, where)
}

// A ptxError says why PTX of a file is not compared.
type ptxError struct {
	name string
	err  error
}

func (e *ptxError) Error() string { return e.name + ": " + e.err.Error() }

// openPTX reads PTX that is an image of a file, for the target that it names or,
// where it names none, its entry.
func openPTX(file string, m cubin.Image, number int, bodies bool) (binary, error) {
	out := binary{name: ptxName(file, m, number), module: m.Container, number: number}
	mod, t, err := moduleOf(out.name, &m, bodies)
	if err != nil {
		return binary{}, &ptxError{out.name, err}
	}
	out.ptx = mod.PTX(t, m.AddressSize)
	out.File = out.ptx.File
	return out, nil
}

// moduleOf reads PTX that is an image of a file, and returns its target.
func moduleOf(name string, m *cubin.Image, bodies bool) (*verify.Module, *abi.Target, error) {
	data, err := m.Contents()
	if err != nil {
		return nil, nil, err
	}
	mod, err := heads(name, string(data), bodies)
	if err != nil {
		return nil, nil, err
	}
	if isBlank(mod.Module) {
		return nil, nil, errors.New("no PTX in it")
	}
	if mod.Version == (ptx.Version{}) {
		mod.Version = ptx.Version{Major: m.Version.Major, Minor: m.Version.Minor}
	}
	t, err := measuredTarget(cmp.Or(mod.Target, m.Arch))
	return mod, t, err
}

// heads reads a module, with its bodies if they are wanted, and as a whole where it has errors,
// which are then what it really has.
func heads(name, text string, bodies bool) (*verify.Module, error) {
	outline, err := ptx.ParseOutline(name, text)
	if err == nil {
		if !bodies {
			return &verify.Module{Module: outline.Module()}, nil
		}
		if m, ok := verify.ReadModule(outline); ok {
			return m, nil
		}
	}
	m, err := ptx.ParseString(name, text)
	var list diag.List
	if !errors.As(err, &list) {
		return verify.NewModule(m), err
	}
	if i := slices.IndexFunc(list, func(e *diag.Diagnostic) bool { return e.Severity == diag.Error }); i >= 0 {
		return nil, fmt.Errorf("line %d: %s", list[i].Pos.Line, list[i].Msg)
	}
	return verify.NewModule(m), nil
}

// readBinaryFile has the contents of a file until the function that it returns is called: mapped where
// the system does that, otherwise read, at most maxInput bytes.
func readBinaryFile(name string) (data []byte, end func(), err error) {
	end = func() {}
	f, err := disk.Open(name)
	if err != nil {
		return nil, end, err
	}
	defer f.Close()
	size := int64(0)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
		if data, unmap, ok := mapFile(f, size); ok {
			return data, unmap, nil
		}
	}
	data, err = readBinary(f, size, maxInput)
	return data, end, err
}

// beginning is how much of a file is read before it is known to be one that has
// images in it, in bytes.
const beginning = 1 << 20

// readBinary reads all of r, of which the size may be known and which may hold at
// most limit bytes. Of what cannot hold images it reads the beginning alone. The
// memory taken is no more than twice what was read: nothing that grows is copied
// before its end is known.
func readBinary(r io.Reader, size, limit int64) ([]byte, error) {
	tooMuch := fmt.Errorf("more than %d bytes of input", limit)
	if size > limit {
		return nil, tooMuch
	}
	var first bytes.Buffer
	if _, err := io.CopyN(&first, r, min(beginning, limit+1)); err != nil && err != io.EOF {
		return nil, err
	}
	if int64(first.Len()) > limit {
		return nil, tooMuch
	}
	if first.Len() < beginning || !cubin.Binary(first.Bytes()) {
		return first.Bytes(), nil
	}
	chunks, n := [][]byte{first.Bytes()}, int64(first.Len())
	for {
		chunk := make([]byte, min(max(size-n, 0)+beginning, limit+1-n))
		got, err := io.ReadFull(r, chunk)
		chunks, n = append(chunks, chunk[:got]), n+int64(got)
		switch {
		case n > limit:
			return nil, tooMuch
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return slices.Concat(chunks...), nil
		case err != nil:
			return nil, err
		}
	}
}
