package main

import (
	"cmp"
	"debug/elf"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
)

// notes are the lines about the contents of a cubin.
func notes(c *cubin.File, p *measured.Probe) ([]string, error) {
	var lines []string
	if p.Shows("functions") {
		for _, f := range c.Functions {
			lines = append(lines, fmt.Sprintf("# function %s: registers %d frame %d", f.Name, f.Regs, f.FrameSize))
		}
	}
	if p.Shows("symbols") {
		lines = append(lines, symbols(c)...)
	}
	if p.Shows("kernels") {
		for _, f := range c.Functions {
			if f.Kernel {
				lines = append(lines, kernel(&f)...)
			}
		}
	}
	if p.Shows("relocs") {
		var relocs []string
		for _, r := range c.Relocs {
			if name, ok := strings.CutPrefix(r.Section, ".text."); ok {
				relocs = append(relocs, fmt.Sprintf("# reloc %s+%#04x: %s %s+%#x", name, r.Offset, r.Kind, r.Name, r.Addend))
			}
		}
		slices.Sort(relocs)
		lines = append(lines, relocs...)
	}
	if p.Shows("unwind") {
		frames, err := c.Frames()
		if err != nil {
			return nil, err
		}
		for i := range frames {
			lines = append(lines, unwind(&frames[i])...)
		}
	}
	return lines, nil
}

// symbols are the functions and kernels of a cubin, by name: their bindings, what
// .nv.prototype has of them, whether .nv.info has records of them, and the
// sections whose relocations are against them, sections for debuggers left out.
func symbols(c *cubin.File) []string {
	var lines []string
	for i := range c.Functions {
		f := &c.Functions[i]
		kind, proto, record := "function", "none", "none"
		if f.Kernel {
			kind = "kernel"
		}
		if p := c.Prototype(f.Name); p != nil {
			proto = p.Text
		}
		if s := c.Section(".nv.info." + f.Name); s != nil {
			record = "some"
		}
		by := make(map[string]bool)
		for _, r := range c.Relocs {
			if name, ok := strings.CutPrefix(r.Section, ".text."); ok && r.Name == f.Name {
				by[name] = true
			}
		}
		from := cmp.Or(strings.Join(slices.Sorted(maps.Keys(by)), " "), "nothing")
		lines = append(lines, fmt.Sprintf("# symbol %s: %s, %s, prototype %s, records %s, referred to by %s",
			f.Name, kind, bindings[f.Binding], proto, record, from))
	}
	slices.Sort(lines)
	return lines
}

// bindings are the bindings of symbols in words.
var bindings = map[elf.SymBind]string{elf.STB_LOCAL: "local", elf.STB_GLOBAL: "global", elf.STB_WEAK: "weak"}

func kernel(f *cubin.Function) []string {
	lines := []string{fmt.Sprintf("# kernel %s: bank %d base %#x size %d", f.Name, f.ParamBank, f.ParamBase, f.ParamSize)}
	for _, a := range f.Params {
		lines = append(lines, fmt.Sprintf("# param %s %d: offset %d size %d", f.Name, a.Ordinal, a.Offset, a.Size))
	}
	return lines
}

// unwind is an entry of the unwind table in few lines: the registers of each
// rule, by class.
func unwind(e *cubin.CIE) []string {
	var lines []string
	sets := make(map[string][]int)
	var order []string
	for _, op := range e.Rules {
		text := op.String()
		rule, reg, _ := strings.Cut(text, " ")
		digits := strings.TrimLeft(reg, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		n, err := strconv.Atoi(digits)
		if err != nil || rule != "same_value" && rule != "undefined" {
			lines = append(lines, "# unwind rule "+text)
			continue
		}
		key := rule + " " + strings.TrimSuffix(reg, digits)
		if sets[key] == nil {
			order = append(order, key)
		}
		sets[key] = append(sets[key], n)
	}
	slices.Sort(order)
	for _, key := range order {
		rule, class, _ := strings.Cut(key, " ")
		set := make([]bool, slices.Max(sets[key])+1)
		for _, n := range sets[key] {
			set[n] = true
		}
		lines = append(lines, "# unwind "+rule+" "+ranges(class, set))
	}
	head := fmt.Sprintf("# unwind entry version %d, return column %s", e.Version, e.Return)
	out := append([]string{head}, lines...)
	for _, f := range e.Funcs {
		out = append(out, "# unwind function "+f.Function)
	}
	return out
}

// ranges is a set of registers as "R0-R15 R32".
func ranges(class string, set []bool) string {
	var parts []string
	for i := 0; i < len(set); i++ {
		if !set[i] {
			continue
		}
		first := i
		for i+1 < len(set) && set[i+1] {
			i++
		}
		text := fmt.Sprintf("%s%d", class, first)
		if i > first {
			text += fmt.Sprintf("-%s%d", class, i)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}
