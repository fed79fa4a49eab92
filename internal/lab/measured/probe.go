package measured

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Probe is PTX with the options of its recordings.
type Probe struct {
	Name    string
	Options []string // of each run
	Keep    *regexp.Regexp
	Drop    *regexp.Regexp // nil for nothing
	Show    []string
	Kept    bool // each module's .version is left as it is written
	Modules []Module
	Links   []Link // what is linked, where that is what is recorded
}

// A Link is modules that are assembled and linked.
type Link struct {
	Name    string
	Modules []string // by name, in the order in which the linker is given them
}

// Module returns the module of that name, nil where there is none.
func (p *Probe) Module(name string) *Module {
	for i := range p.Modules {
		if p.Modules[i].Name == name {
			return &p.Modules[i]
		}
	}
	return nil
}

// A Module is one that is assembled.
type Module struct {
	Name string
	PTX  string
}

var directive = regexp.MustCompile(`(?m)^// (record|keep|drop|show|version|link): (.*)$`)

// ParseProbe reads the file of a probe.
func ParseProbe(file, text string) (*Probe, error) {
	p := &Probe{Name: strings.TrimSuffix(path.Base(file), ".ptx"), Keep: regexp.MustCompile("")}
	for _, m := range directive.FindAllStringSubmatch(text, -1) {
		arg := strings.TrimSpace(m[2])
		var err error
		switch m[1] {
		case "record":
			p.Options = append(p.Options, arg)
		case "show":
			p.Show = strings.Fields(arg)
		case "version":
			if p.Kept = arg == "kept"; !p.Kept {
				err = errors.New("expected kept")
			}
		case "link":
			name, modules, ok := strings.Cut(arg, " = ")
			if !ok {
				err = errors.New("expected NAME = MODULE MODULE")
			}
			p.Links = append(p.Links, Link{name, strings.Fields(modules)})
		case "keep":
			p.Keep, err = regexp.Compile(arg)
		case "drop":
			p.Drop, err = regexp.Compile(arg)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, m[0], err)
		}
	}
	if len(p.Options) == 0 || len(p.Show) == 0 {
		return nil, fmt.Errorf("%s: no \"// record: OPTIONS\" or no \"// show: …\"", file)
	}
	parts := strings.Split(text, "\n// module ")
	if len(parts) == 1 {
		p.Modules = []Module{{p.Name, text}}
	}
	for _, part := range parts[1:] {
		name, body, _ := strings.Cut(part, "\n")
		p.Modules = append(p.Modules, Module{name, parts[0] + "\n" + body})
	}
	for _, l := range p.Links {
		for _, name := range l.Modules {
			if p.Module(name) == nil {
				return nil, fmt.Errorf("%s: the link %s has a module %s, which is not there", file, l.Name, name)
			}
		}
	}
	return p, nil
}

var versionTarget = regexp.MustCompile(`(?m)^\.(version|target) .*$`)

// For returns the module's text for a version of the PTX ISA, "" for its own,
// and a target.
func (m *Module) For(version, target string) string {
	return versionTarget.ReplaceAllStringFunc(m.PTX, func(line string) string {
		if strings.HasPrefix(line, ".version") {
			if version == "" {
				return line
			}
			return ".version " + version
		}
		return ".target " + target
	})
}

// Shows reports whether the probe is to show something.
func (p *Probe) Shows(what string) bool { return slices.Contains(p.Show, what) }

var (
	sectionLine = regexp.MustCompile(`^//-+ \.text\.(\S+) -*`)
	codeLine    = regexp.MustCompile(`^\s*/\*([0-9a-f]+)\*/\s*(.*)$`)
	generalName = regexp.MustCompile(`\bR(\d+)\b`)
)

// Listing returns the lines of a disassembly that the probe keeps, and the
// general registers named in all of it.
func (p *Probe) Listing(text string) (lines []string, names [255]bool) {
	in := false
	var held []string // labels, kept where an instruction follows
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			in, held = true, nil
			lines = append(lines, "//--------------------- .text."+m[1]+" --------------------------")
			lines = append(lines, m[1]+":")
			continue
		}
		if strings.HasPrefix(line, "//") {
			in = false
		}
		if !in {
			continue
		}
		if strings.HasPrefix(line, ".L") {
			held = append(held, line)
			continue
		}
		m := codeLine.FindStringSubmatch(line)
		if m == nil {
			if text := strings.TrimSpace(line); strings.HasSuffix(text, "}") { // without an address
				m = []string{"", "", text}
			} else {
				continue
			}
		}
		instr := plain(m[2])
		if instr == "NOP ;" {
			continue
		}
		for _, r := range generalName.FindAllStringSubmatch(instr, -1) {
			var n int
			if _, err := fmt.Sscan(r[1], &n); err == nil && n < len(names) {
				names[n] = true
			}
		}
		if !p.Keep.MatchString(instr) || p.Drop != nil && p.Drop.MatchString(instr) {
			continue
		}
		lines = append(lines, held...)
		held = nil
		if m[1] != "" {
			instr = "/*" + m[1] + "*/ " + instr
		}
		lines = append(lines, "\t"+instr)
	}
	return lines, names
}

// plain removes from an instruction the braces of dual issue, what the
// disassembler remarks on indirect calls, encodings, and superfluous blanks.
func plain(text string) string {
	if i := strings.Index(text, "/*"); i >= 0 {
		text = text[:i]
	}
	if i := strings.Index(text, "(*"); i >= 0 {
		text = text[:i]
	}
	text = strings.Trim(strings.TrimSpace(text), "{};")
	text = strings.TrimRight(strings.TrimSpace(text), ";} ")
	return strings.Join(strings.Fields(text), " ") + " ;"
}
