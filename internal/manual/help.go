// Package manual describes programs for the people who call them. A command
// defines each flag once, in a [Set], with all that is said of it; the text that
// -h prints, the page for man and what a shell completes are made of that.
package manual

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// A Program is a program with what is said of it.
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
	Short string // one line; "" for one that completion alone knows
	Help  Help
}

// A Help is what is said of a program or a command.
//
// Its texts are paragraphs with an empty line between two of them. What is
// indented by two blanks stays as it is everywhere, such as examples; the lines
// of the others are those of [Help.String] alone.
type Help struct {
	Usage string // a command line, on one line: "ptxabi check [flags] FILE"
	Text  string
	Flags []*Flag
	More  string // text after the flags
	// Words are what may stand after the flags, for a shell; nil for files.
	Words []string
}

// A Flag is what is said of one flag.
type Flag struct {
	Name   string   // without "-"
	Arg    string   // what stands for its argument: "FILE"; "" for a flag without
	Text   string   // what it does; its lines are those of [Help.String]
	Values []string // all that it may be; nil where others are taken too
	Hints  []string // some of what it may be, where there are no Values
}

// words are the values that a shell completes; nil for those that nobody lists.
func (f *Flag) words() []string {
	if f.Values != nil {
		return f.Values
	}
	return f.Hints
}

func (f *Flag) namesFile() bool { return f.Arg == "FILE" || f.Arg == "DIR" }

// line is the flag as one types it.
func (f *Flag) line() string { return strings.TrimSuffix("-"+f.Name+" "+f.Arg, " ") }

// String returns what -h prints.
func (h Help) String() string {
	const narrow = 14 // flags and their arguments, where none needs more
	width := narrow
	for _, f := range h.Flags {
		if n := len(f.line()); n > narrow {
			width = max(width, n+1)
		}
	}
	var flags strings.Builder
	for _, f := range h.Flags {
		text := strings.ReplaceAll(trimLines(f.Text), "\n", "\n"+strings.Repeat(" ", width+3))
		fmt.Fprintf(&flags, "  %-*s %s\n", width, f.line(), text)
	}
	var parts []string
	for _, text := range []string{"usage: " + h.Usage, h.Text, flags.String(), h.More} {
		if text = strings.Trim(text, "\n"); text != "" {
			parts = append(parts, text+"\n")
		}
	}
	return strings.Join(parts, "\n")
}

// trimLines is a text without the blanks around each line.
func trimLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// release is the version that the linker was told; "" for builds that are no release.
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
