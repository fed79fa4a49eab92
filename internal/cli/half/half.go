// Package half takes from a PTX module with errors what is without: an error in the head of a function drops that
// function, and one in a body drops that body.
package half

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Module is the parts of a module that errors leave.
type Module struct {
	// Heads has the functions whose heads are without error, with their bodies as far as they were read.
	Heads *ptx.Module
	// Sound is Heads with functions whose bodies have an error, or are named in a call of Drop, as declarations.
	Sound *ptx.Module
	// Lost and Open are the names of functions that have an error in their head, and in their body.
	Lost, Open []string
	// Outside are the errors that stand in no function.
	Outside diag.List

	open map[*ptx.Func]bool
}

// Of divides a module by the errors of a list. It does not change m.
func Of(m *ptx.Module, list diag.List) *Module {
	h := &Module{Heads: with(m), open: map[*ptx.Func]bool{}}
	h.Heads.Errors = nil
	lost := map[*ptx.Func]bool{}
	for _, e := range list {
		if e.Severity != diag.Error {
			continue
		}
		f, body := m.FuncAt(e.Pos)
		switch {
		case f == nil:
			h.Outside = append(h.Outside, e)
		case !body && !lost[f]:
			lost[f] = true
			h.Lost = append(h.Lost, f.Name)
		case body:
			h.open[f] = true
		}
	}
	h.Heads.Items = slices.DeleteFunc(slices.Clone(m.Items), func(it ptx.Item) bool {
		f, ok := it.(*ptx.Func)
		return ok && lost[f]
	})
	h.close()
	return h
}

// Drop makes declarations of the functions of Sound that have an error of the list in their bodies too. It reports
// whether there was one.
func (h *Module) Drop(list diag.List) bool {
	before := len(h.open)
	for _, e := range list {
		if f, body := h.Heads.FuncAt(e.Pos); e.Severity == diag.Error && f != nil && body {
			h.open[f] = true
		}
	}
	h.close()
	return len(h.open) > before
}

// close makes Sound.
func (h *Module) close() {
	h.Sound, h.Open = with(h.Heads), nil
	h.Sound.Items = slices.Clone(h.Heads.Items)
	for i, it := range h.Sound.Items {
		if f, ok := it.(*ptx.Func); ok && h.open[f] {
			h.Open = append(h.Open, f.Name)
			own := *f
			own.Linkage, own.HasBody, own.Body = ptx.Extern, false, nil
			h.Sound.Items[i] = &own
		}
	}
}

// Text is the text of Sound, everything in the line and column where it stood.
func (h *Module) Text() []byte {
	var text []byte
	for _, it := range h.Sound.Items {
		from, to := it.Span()
		line, col := bytes.Count(text, []byte("\n"))+1, len(text)-bytes.LastIndexByte(text, '\n')
		if down := int(from.Line) - line; down > 0 {
			text, col = append(text, strings.Repeat("\n", down)...), 1
		}
		text = append(text, strings.Repeat(" ", max(0, int(from.Col)-col))...)
		f, ok := it.(*ptx.Func)
		switch first, end, whole := h.Heads.Offsets(from, to); {
		case ok && f.HasBody && whole:
			text = append(text, h.Heads.Source()[first:end]...)
			continue
		case ok && f.Linkage == ptx.Extern:
			own := *f
			own.Head = "" // which has the linkage that it was written with
			it = &own
		}
		one := (&ptx.Module{Items: []ptx.Item{it}}).AppendText(nil)
		text = append(text, bytes.ReplaceAll(one[:len(one)-1], []byte("\n"), []byte(" "))...)
	}
	return append(text, '\n')
}

// with is a copy of a module whose fields can be changed.
func with(m *ptx.Module) *ptx.Module {
	own := *m
	return &own
}
