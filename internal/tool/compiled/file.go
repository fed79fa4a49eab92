// Package compiled opens the cubins and the PTX texts of a compiled file, finds those that were made of one module, and compares
// them with a source.
package compiled

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Lookup returns the row of a target.
type Lookup func(name string) (*abi.Target, error)

// A Binary is a cubin, or PTX that stands in its place, whose name says where in its file it is too.
type Binary = verify.Binary

// A File is a file with cubins and PTX in it, of which nothing has been opened. Its contents
// may be mapped, and are gone when that ends, with the names of functions in them.
type File struct {
	Name   string
	Images []cubin.Image
	Bodies bool // of PTX the bodies are read too

	text   bool // the file is PTX
	lookup Lookup
	hosts  map[*byte]verify.Host // of the files that images stand in, by their first bytes
}

// Target is the row of an architecture.
func (f *File) Target(arch string) (*abi.Target, error) { return f.lookup(arch) }

// New lists the images in a file's contents.
func New(name string, data []byte, lookup Lookup) (*File, error) {
	images, err := cubin.Images(data)
	if err != nil && Listed(string(data)) {
		return nil, fmt.Errorf("%s: a listing of machine code, not the cubin that it lists; the cubin is compared", name)
	}
	if err != nil && len(data) > 0 && IsText(string(data)) {
		err = TextError{err}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &File{Name: name, Images: images, lookup: lookup}, nil
}

// number is that of a PTX text among those of the file, from 1; 0 if it is the file.
func (f *File) number(i int) (n int) {
	for k := range f.Images[:i+1] {
		if f.Images[k].Kind == cubin.PTX && !f.text {
			n++
		}
	}
	return n
}

// OfPTX is a file of PTX in the place of a compiled one.
func OfPTX(name string, data []byte, lookup Lookup) *File {
	m := cubin.Image{Kind: cubin.PTX, AddressSize: 64, Size: uint64(len(data)), Stored: data}
	if outline, err := ptx.ParseOutline(name, string(data)); err == nil {
		if t, err := lookup(outline.Module().Target); err == nil {
			m.Arch = t.Name
		}
	}
	return &File{Name: name, Images: []cubin.Image{m}, text: true, lookup: lookup}
}

// Open reads one of the images.
func (f *File) Open(i int) (Binary, error) {
	m := &f.Images[i]
	if m.Kind != cubin.PTX {
		b, err := f.Cubin(i)
		b.Host = f.Host(m.Host)
		return b, err
	}
	name := f.Where(i)
	mod, t, err := f.module(i, f.Bodies)
	if err != nil {
		return Binary{}, &PTXError{name, err}
	}
	p := mod.PTX(t, m.AddressSize)
	return Binary{File: p.File, Name: name, PTX: p, Number: f.number(i)}, nil
}

// Host is what a program that images stand in has for debuggers. It is read where types of parameters
// are asked for, for all of its images once.
func (f *File) Host(program []byte) verify.Host {
	if len(program) == 0 || !f.Bodies {
		return nil
	}
	first := &program[0]
	if f.hosts[first] == nil {
		if f.hosts == nil {
			f.hosts = make(map[*byte]verify.Host)
		}
		f.hosts[first] = verify.NewHost(func() *cubin.HostData { return cubin.HostDebug(program) })
	}
	return f.hosts[first]
}

// Where says where an image is, for people.
func (f *File) Where(i int) string {
	m := &f.Images[i]
	var at []string
	if m.Member != "" {
		at = append(at, m.Member)
	}
	switch {
	case m.Kind == cubin.PTX && !f.text:
		at = append(at, fmt.Sprintf("0x%x, ptx image %d", m.Offset, f.number(i)))
	case m.Kind != cubin.PTX && (len(f.Images) > 1 || m.Where != "" || m.Member != ""):
		at = append(at, fmt.Sprintf("0x%x", m.Offset))
	default:
		return f.Name
	}
	return fmt.Sprintf("%s(%s)", f.Name, strings.Join(at, ", "))
}

// A TextError is an error about a text in the place of a compiled file.
type TextError struct{ error }

// Cubins reads the cubins of the file, PTX beside them left out. Where there is PTX alone, one text, it is that.
func (f *File) Cubins() (all []Binary, name, text string, err error) {
	var texts []int
	var other []string
	for i, m := range f.Images {
		if m.Kind != cubin.Cubin {
			if other = append(other, m.Kind.String()); m.Kind == cubin.PTX {
				texts = append(texts, i)
			}
			continue
		}
		b, err := f.Cubin(i)
		if err != nil {
			return nil, "", "", err
		}
		all = append(all, b)
	}
	switch {
	case len(all) > 0:
		return all, "", "", nil
	case len(texts) == 1:
		name := f.Where(texts[0])
		text, err := f.Images[texts[0]].Contents()
		if err != nil {
			return nil, "", "", fmt.Errorf("%s: %w", name, err)
		}
		return nil, name, string(text), nil
	case len(other) > 0:
		return nil, "", "", fmt.Errorf("%s: no cubin in it, only %s", f.Name, strings.Join(other, ", "))
	}
	return nil, "", "", fmt.Errorf("%s: no cubin in it", f.Name)
}

// Cubin reads a cubin, which an image is.
func (f *File) Cubin(i int) (Binary, error) {
	m, name := f.Images[i], f.Where(i)
	b, err := m.Contents()
	if err != nil {
		return Binary{}, fmt.Errorf("%s: %w", f.Name, err)
	}
	c, err := cubin.Open(b)
	if err != nil {
		return Binary{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(c.Symbols) == 0 {
		return Binary{}, fmt.Errorf("%s: it is stripped: without symbols its kernels have no names", name)
	}
	return Binary{File: c, Name: name}, nil
}

// A PTXError says why PTX of a file is not compared.
type PTXError struct {
	Name string
	Err  error
}

func (e *PTXError) Error() string { return e.Name + ": " + e.Err.Error() }

// Module reads PTX, which an image is, without the bodies of its functions, and returns its target.
func (f *File) Module(i int) (*verify.Module, *abi.Target, error) { return f.module(i, false) }

func (f *File) module(i int, bodies bool) (*verify.Module, *abi.Target, error) {
	m := &f.Images[i]
	data, err := m.Contents()
	if err != nil {
		return nil, nil, err
	}
	mod, err := heads(f.Where(i), string(data), bodies)
	if err != nil {
		return nil, nil, err
	}
	if IsBlank(mod.Module) {
		return nil, nil, errors.New("no PTX in it")
	}
	if mod.Version == (ptx.Version{}) {
		mod.Version = ptx.Version{Major: m.Version.Major, Minor: m.Version.Minor}
	}
	t, err := f.lookup(cmp.Or(mod.Target, m.Arch))
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

// Listed reports whether a text is a disassembler's listing, even of one with mistakes, or without functions.
// Before sm_70 a word of scheduling comes first, and the first instruction is at 8.
func Listed(text string) bool {
	return (strings.Contains(text, "/*0000*/") || strings.Contains(text, "/*0008*/")) && (strings.Contains(text, ".text.") || strings.Contains(text, "Function : ")) ||
		strings.Contains(text, "\t.elftype\t@\"ET_") || strings.HasPrefix(strings.TrimSpace(text), "code for sm_")
}

// IsText reports whether a text begins without control characters.
func IsText(s string) bool {
	return !strings.ContainsAny(s[:min(len(s), 512)], "\x00\x01\x02\x03\x04\x05\x06\x07\x08")
}

// IsBlank reports whether a module has nothing but comments in it.
func IsBlank(m *ptx.Module) bool {
	return m.Version == (ptx.Version{}) && m.Target == "" && len(m.Items) == 0
}
