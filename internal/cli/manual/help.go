// Package manual describes programs for the people who call them. A command
// defines each flag once, in a [Set], with all that describes it; the text that
// -h prints, the page for man and what a shell completes are made of that.
package manual

import (
	"fmt"
	"io/fs"
	"iter"
	"runtime/debug"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/display"
)

// A Program is a program with its description.
type Program struct {
	Name  string
	Short string // one line
	Help  Help   // of the program; of one with commands, what their list stands in
	// Commands are its subcommands; nil for a program without.
	Commands []Command
}

// A Command is a subcommand.
type Command struct {
	Name  string
	Short string // one line; "" for one that completion alone has
	Help  Help
}

// A Help describes a program or a command.
//
// Its texts are paragraphs with an empty line between two of them. Their line
// ends mean nothing. A paragraph that is indented by two blanks keeps its lines
// everywhere, such as examples.
type Help struct {
	Usage string // a command line, on one line: "ptxabi check [flags] FILE"
	Text  string
	Flags []*Flag
	More  string // text after the flags
	// Words are what may stand after the flags, for a shell; nil for files.
	Words []string
}

// A Flag describes one flag.
type Flag struct {
	Name   string   // without "-"
	Arg    string   // what stands for its argument: "FILE"; "" for a flag without
	Text   string   // what it does, a paragraph
	Values []string // all that it may be; nil where others are taken too
	Hints  []string // some of what it may be, where there are no Values
}

// Line is the flag as one types it.
func (f *Flag) Line() string { return strings.TrimSuffix("-"+f.Name+" "+f.Arg, " ") }

// columns is the width of the output of -h.
const columns = 80

// String returns what -h prints.
func (h Help) String() string {
	const narrow = 14 // flags and their arguments, where none needs more
	width := narrow
	for _, f := range h.Flags {
		if n := len(f.Line()); n > narrow {
			width = max(width, n+1)
		}
	}
	var flags strings.Builder
	for _, f := range h.Flags {
		text := strings.Join(display.Wrap(f.Text, columns-width-3), "\n"+strings.Repeat(" ", width+3))
		fmt.Fprintf(&flags, "  %-*s %s\n", width, f.Line(), text)
	}
	var parts []string
	for _, text := range []string{"usage: " + h.Usage, wrap(h.Text), flags.String(), wrap(h.More)} {
		if text = strings.Trim(text, "\n"); text != "" {
			parts = append(parts, text+"\n")
		}
	}
	return strings.Join(parts, "\n")
}

// wrap is a text whose paragraphs have lines of at most columns bytes, where their words allow.
func wrap(text string) string {
	var parts []string
	for part := range split(text) {
		if !verbatim(part) {
			part = strings.Join(display.Wrap(part, columns), "\n")
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n\n")
}

// split yields the paragraphs of a text.
func split(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range strings.SplitSeq(text, "\n\n") {
			if part = strings.Trim(part, "\n"); part != "" && !yield(part) {
				return
			}
		}
	}
}

// verbatim reports whether a paragraph keeps its lines.
func verbatim(part string) bool { return strings.HasPrefix(part, "  ") }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// release is the version that the linker sets; "" for builds that are no release.
var release string

// Version is that of the build: a release's, one made of the commit, or "(devel)".
func Version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Page reads the page of a command, the file help/name.txt. Its form is
//
//	usage: tool read [flags] FILE
//	short: reads a file
//
//	Paragraphs about the command.
//
//	-o FILE
//	  what the flag does
//
//	-format FORM: text, json
//	  what a flag does that takes these values alone
//
//	%
//
//	Paragraphs after the flags.
//
// A flag whose paragraph is one line is described in the file help/common.txt.
func Page(files fs.FS, name string) Command {
	c := Command{Name: name}
	text, more, _ := strings.Cut(read(files, name), "\n%\n")
	for line := range strings.SplitSeq(text, "\n") {
		if usage, ok := strings.CutPrefix(line, "usage: "); ok {
			c.Help.Usage = usage
		} else if short, ok := strings.CutPrefix(line, "short: "); ok {
			c.Short = short
		}
	}
	_, text, _ = strings.Cut(text, "\n\n")
	c.Help.Text, c.Help.Flags = paragraphsAndFlags(text)
	c.Help.More = strings.Trim(more, "\n")
	for i, f := range c.Help.Flags {
		if f.Text == "" {
			c.Help.Flags[i] = common(files, f.Name)
		}
	}
	return c
}

// common returns a flag that several commands have.
func common(files fs.FS, name string) *Flag {
	_, flags := paragraphsAndFlags(read(files, "common"))
	for _, f := range flags {
		if f.Name == name {
			return f
		}
	}
	panic(fmt.Sprintf("manual: -%s is not described", name))
}

// read reads a file of the program's own.
func read(files fs.FS, name string) string {
	data, err := fs.ReadFile(files, "help/"+name+".txt")
	if err != nil {
		panic(fmt.Sprintf("manual: %v", err))
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

// paragraphsAndFlags takes the flags from a text.
func paragraphsAndFlags(text string) (rest string, flags []*Flag) {
	var others []string
	for part := range split(text) {
		if !strings.HasPrefix(part, "-") {
			others = append(others, part)
			continue
		}
		head, about, _ := strings.Cut(part, "\n")
		head, values, _ := strings.Cut(head, ": ")
		f := &Flag{Text: about}
		f.Name, f.Arg, _ = strings.Cut(head[1:], " ")
		if values != "" {
			f.Values = strings.Split(values, ", ")
		}
		flags = append(flags, f)
	}
	return strings.Join(others, "\n\n"), flags
}
