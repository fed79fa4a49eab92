package measured

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A File is the recordings of a probe with one release of the assembler.
type File struct {
	Head     []string // lines that say what made it
	Sections []Section
}

// A Section is the recording for some architectures.
type Section struct {
	Module  string // of the probe; its name where it has one alone
	Options string // of the assembler: "-c -O1"; several, divided by ", ", that gave the same
	Targets []string
	Lines   []string
}

// Add adds the recording of a target: to the section of its module and options
// that says the same, or as a new one.
func (f *File) Add(module, options, target string, lines []string) {
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Module == module && s.Options == options && slices.Equal(s.Lines, lines) {
			s.Targets = append(s.Targets, target)
			return
		}
	}
	f.Sections = append(f.Sections, Section{module, options, []string{target}, lines})
}

// Fold makes one section of those that have the same lines for the same targets, with
// different options. Nothing can be added after that.
func (f *File) Fold() {
	var folded []Section
	for _, s := range f.Sections {
		i := slices.IndexFunc(folded, func(o Section) bool {
			return o.Module == s.Module && slices.Equal(o.Targets, s.Targets) && slices.Equal(o.Lines, s.Lines)
		})
		if i < 0 {
			folded = append(folded, s)
			continue
		}
		folded[i].Options += ", " + s.Options
	}
	f.Sections = folded
}

// Find returns the recording of a target; nil where there is none.
func (f *File) Find(module, options, target string) *Section {
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Module == module && slices.Contains(strings.Split(s.Options, ", "), options) && slices.Contains(s.Targets, target) {
			return s
		}
	}
	return nil
}

// String is the file's text.
func (f *File) String() string {
	var b strings.Builder
	for _, line := range f.Head {
		b.WriteString(line + "\n")
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		fmt.Fprintf(&b, "\n-- %s | %s | %s --\n", s.Module, s.Options, strings.Join(s.Targets, " "))
		for _, line := range s.Lines {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// Parse reads the text of a file. The error says which line is no part of one.
func Parse(text string) (*File, error) {
	f := new(File)
	var in *Section
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		title, ok := strings.CutPrefix(line, "-- ")
		switch {
		case ok:
			parts := strings.Split(strings.TrimSuffix(title, " --"), " | ")
			if len(parts) != 3 || !strings.HasSuffix(title, " --") {
				return nil, fmt.Errorf("line %d: found %q, expected \"-- MODULE | OPTIONS | TARGETS --\"", n, line)
			}
			f.Sections = append(f.Sections, Section{Module: parts[0], Options: parts[1], Targets: strings.Fields(parts[2])})
			in = &f.Sections[len(f.Sections)-1]
		case line == "":
		case in == nil:
			f.Head = append(f.Head, line)
		default:
			in.Lines = append(in.Lines, line)
		}
	}
	return f, nil
}

// Code returns the section's disassembly, as sass.Parse reads it.
func (s *Section) Code() string {
	var b strings.Builder
	for _, line := range s.Lines {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "!") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// Notes returns what the lines "# KIND …" of one kind say, without the kind.
func (s *Section) Notes(kind string) []string {
	var out []string
	for _, line := range s.Lines {
		if text, ok := strings.CutPrefix(line, "# "+kind+" "); ok {
			out = append(out, text)
		}
	}
	return out
}

// Refusal returns the assembler's diagnostic, "" where there is none.
func (s *Section) Refusal() string {
	for _, line := range s.Lines {
		if text, ok := strings.CutPrefix(line, "! "); ok {
			return text
		}
	}
	return ""
}

// Releases returns the folders of recordings, "cuda-11.8", in ascending order.
func Releases(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	var names []string
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), "cuda-") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // "cuda-9.0" would not sort; no such release is recorded
	return names, err
}

// Read reads the recordings of a probe with a release.
func Read(fsys fs.FS, release, probe string) (*File, error) {
	name := release + "/" + probe + ".txt"
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	f, err := Parse(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Targets returns the targets that a file has recordings of, in their order.
func (f *File) Targets() []string {
	var names []string
	for _, s := range f.Sections {
		for _, t := range s.Targets {
			if !slices.Contains(names, t) {
				names = append(names, t)
			}
		}
	}
	return names
}
