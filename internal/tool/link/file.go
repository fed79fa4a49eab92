package link

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/ptx"
)

// relocatableSection begins the name of the section with the images that are to be linked: __nv_relfatbin, which PE
// files of programs cut to __nv_rel. The linkers read no other of a host's file: .nv_fatbin has whole programs,
// and data what a program links itself.
const relocatableSection = "section __nv_rel"

// errAlone says why a member of a library takes no part.
var errAlone = errors.New("the linkers read objects for the host alone in a library, neither cubins nor fatbins: give it as a file of its own")

// bitcodes are what files begin with that compilers for link-time optimisation write, and what these are.
var bitcodes = map[string]string{
	"BC\xc0\xde": "LLVM's bitcode: llvm-dis makes a .ll of it, which is read", "\xde\xc0\x17\x0b": "LLVM's bitcode: llvm-dis makes a .ll of it, which is read",
	"\xedCN\x7f": "LTO-IR, which the linkers of NVIDIA alone read",
}

// Bitcode reports whether a file is LLVM's bitcode or LTO-IR.
func Bitcode(data []byte) bool { return len(data) >= 4 && bitcodes[string(data[:4])] != "" }

// AddFile adds the images of a file that is not text: a cubin, a fatbin, or an object,
// executable or library for the host with them in it. Every member of a library takes
// part, as the linkers take them all, whether anything needs them or not. Notes with the
// code [LeftOut] say what takes no part; the error is about a file of which nothing
// does.
func (s *Set) AddFile(file string, data []byte) (diag.List, error) {
	if Bitcode(data) {
		s.unread++
		s.Partial = true
		return diag.List{{File: file, Severity: diag.Note, Code: LeftOut, Msg: "left out: " + bitcodes[string(data[:4])]}}, nil
	}
	images, err := cubin.Images(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(images) == 0 {
		return nil, fmt.Errorf("%s: no cubin in it, nor PTX", file)
	}
	var notes diag.List
	other := make(map[cubin.ImageKind]int)
	modules := make(map[string]int) // by member
	known := make(map[uint64]bool)  // whether there is a cubin or PTX of a module
	for _, m := range images {
		is, seen := known[m.Container]
		if !seen {
			modules[m.Member]++
		}
		known[m.Container] = is || m.Kind == cubin.Cubin || m.Kind == cubin.PTX
	}
	for _, m := range images {
		if m.Kind != cubin.Cubin && m.Kind != cubin.PTX {
			other[m.Kind]++
			s.unread++
			s.Partial = s.Partial || !known[m.Container] // it may define what others use
			continue
		}
		p := Place{Name: file, File: file, Module: m.Container, Library: m.Member != "", Packed: m.Offset != m.Container, Whole: strings.Contains(m.Where, "section ") && !strings.Contains(m.Where, relocatableSection)}
		var parts []string
		if m.Member != "" {
			parts = append(parts, m.Member)
		}
		if modules[m.Member] > 1 {
			parts = append(parts, fmt.Sprintf("0x%x", m.Container))
		}
		if parts != nil {
			p.Name = fmt.Sprintf("%s(%s)", file, strings.Join(parts, ", "))
		}
		if err := s.image(p, m); err != nil {
			notes.Add(&diag.Diagnostic{File: p.Name, Severity: diag.Note, Code: LeftOut, Msg: fmt.Sprintf("left out: %v", err)})
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(other)) {
		notes.Add(&diag.Diagnostic{File: file, Severity: diag.Note, Code: LeftOut, Msg: fmt.Sprintf("left out: %s of %v, neither a cubin nor PTX", prose.Count(other[kind], "image"), kind)})
	}
	if d := overlooked(file, data); d != nil {
		notes.Add(d)
	}
	if s.Empty() {
		return nil, fmt.Errorf("%s: nothing in it that can be read: %w", file, notes[len(notes)-1])
	}
	return notes, nil
}

// overlooked warns of an object that nvlink leaves out without a word, since its name is not one of cubins. Measured with nvlink 11.8,
// 12.4 and 13.5: the first takes .cubin alone, the others .o too.
func overlooked(file string, data []byte) *diag.Diagnostic {
	ext := strings.ToLower(path.Ext(file))
	if !cubin.Is(data) || ext == ".cubin" {
		return nil
	}
	f, err := cubin.Open(data)
	if err != nil || f.Linked || ext == ".o" && f.Toolkit.Major != 11 {
		return nil
	}
	which := "nvlink"
	if ext == ".o" {
		which = "nvlink 11.8"
	}
	return &diag.Diagnostic{File: file, Severity: diag.Warning, Code: LeftOut, Msg: which + " takes a cubin of this name for a host's object, and leaves it out without a word: name it .cubin"}
}

// image adds one image.
func (s *Set) image(p Place, m cubin.Image) error {
	data, err := m.Contents()
	if err != nil {
		return err
	}
	alone := m.Member != "" && m.Where == "member "+m.Member // no object around it
	if m.Kind == cubin.Cubin {
		f, err := cubin.Open(data)
		switch {
		case err != nil:
			return err
		case len(f.Symbols) == 0:
			return errors.New("it was stripped of its symbols")
		case alone && !f.Linked:
			return errAlone
		}
		return s.AddCubin(p, f)
	}
	switch {
	case alone:
		return errAlone
	case p.Whole: // nothing of it is asked for
		s.AddPTX(p, &ptx.Module{Target: m.Arch, AddressSize: m.AddressSize})
		return nil
	}
	name := p.Name + " (ptx)"
	mod, err := ptx.ParseString(name, string(data))
	var list diag.List
	if errors.As(err, &list) && list.Err() != nil {
		return fmt.Errorf("line %d: %s", list[0].Pos.Line, list[0].Msg)
	}
	if compiled.IsBlank(mod) {
		return errors.New("no PTX in it")
	}
	if mod.Target == "" {
		mod.Target = m.Arch
	}
	s.AddPTX(p, mod)
	return nil
}
