package verify

import (
	"debug/dwarf"
	"encoding/binary"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// debugOf is what a module has for debuggers in its .section directives, nil where it has nothing, or
// something that is not read.
func debugOf(m *ptx.Module) *dwarf.Data {
	d := debugText{sections: make(map[string][]byte), labels: make(map[string]uint64)}
	for _, it := range m.Items {
		if raw, ok := it.(*ptx.Raw); ok && !d.section(raw.Text) {
			return nil
		}
	}
	info, abbrev := d.sections[".debug_info"], d.sections[".debug_abbrev"]
	if len(info) == 0 || len(abbrev) == 0 {
		return nil
	}
	d.resolve()
	out, err := dwarf.New(abbrev, nil, nil, info, nil, nil, nil, d.sections[".debug_str"])
	if err != nil {
		return nil
	}
	return out
}

// debugText turns sections of PTX into bytes.
type debugText struct {
	sections map[string][]byte
	labels   map[string]uint64 // in their sections
	symbols  []symbolAt
}

// A symbolAt is a place that has the value of a symbol.
type symbolAt struct {
	section   string
	off, size int
	text      string
}

// section takes one, and reports whether it is of a form that is known. Raw text that is no section for
// debuggers is nothing to it.
func (d *debugText) section(text string) bool {
	rest, ok := strings.CutPrefix(text, ".section")
	if !ok {
		return true
	}
	name, body, ok := strings.Cut(rest, "{")
	name = strings.TrimSpace(name)
	switch name {
	case ".debug_info", ".debug_abbrev", ".debug_str":
	default:
		return true
	}
	if !ok {
		return false
	}
	data := d.sections[name]
	for line := range strings.Lines(strings.TrimSuffix(strings.TrimSpace(body), "}")) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		if label, rest, ok := strings.Cut(line, ":"); ok {
			d.labels[strings.TrimSpace(label)] = uint64(len(data))
			line = strings.TrimSpace(rest)
		}
		if line == "" {
			continue
		}
		width, values, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		size := map[string]int{".b8": 1, ".b16": 2, ".b32": 4, ".b64": 8}[width]
		if size == 0 {
			return false
		}
		for v := range strings.SplitSeq(strings.TrimSuffix(values, ";"), ",") {
			v = strings.TrimSpace(v)
			n, ok := integer(v)
			if !ok {
				d.symbols = append(d.symbols, symbolAt{name, len(data), size, v})
			}
			data = binary.LittleEndian.AppendUint64(data, uint64(n))[:len(data)+size]
		}
	}
	d.sections[name] = data
	return true
}

// resolve fills in symbols: sections begin at 0, and of code nothing is known.
func (d *debugText) resolve() {
	for _, s := range d.symbols {
		name, plus, _ := strings.Cut(s.text, "+")
		n, _ := integer(strings.TrimSpace(plus))
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], d.labels[strings.TrimSpace(name)]+uint64(n))
		copy(d.sections[s.section][s.off:s.off+s.size], b[:])
	}
}
