// Package manual reads the help texts of the commands and makes of them what
// else describes a command: a page for man, and the flags that a shell completes.
// One text is written by hand; nothing can disagree with it.
package manual

import (
	"regexp"
	"strings"
	"sync"
)

// A Help is a help text in its parts. Its form is
//
//	usage: ptxabi check [flags] FILE
//
//	Paragraphs.
//
//	  -flag ARG      what the flag does, over
//	                 as many lines as it takes
//
//	Examples:
//
//	  ptxabi check x.ptx
type Help struct {
	Usage  string // without "usage: ", on one line
	Blocks []Block
}

// A Block is a part of a help text between empty lines. One of Text, Flags and
// Lines is set.
type Block struct {
	Text  string   // a paragraph, on one line
	Flags []Flag   // a list of flags
	Lines []string // indented text as it is, such as examples
}

// A Flag is one flag of a command.
type Flag struct {
	Name string // without "-"
	Arg  string // what stands for its argument: "FILE"; "" for a flag without
	Text string // on one line
}

// Read reads a help text. What it does not know is a paragraph.
func Read(text string) Help {
	var h Help
	for i, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if rest, ok := strings.CutPrefix(block, "usage: "); ok && i == 0 {
			h.Usage = oneLine(rest)
			continue
		}
		block = strings.Trim(block, "\n")
		switch {
		case flagLine().MatchString(block):
			h.Blocks = append(h.Blocks, Block{Flags: flags(block)})
		case strings.HasPrefix(block, "  "):
			var lines []string
			for line := range strings.SplitSeq(block, "\n") {
				lines = append(lines, strings.TrimPrefix(line, "  "))
			}
			h.Blocks = append(h.Blocks, Block{Lines: lines})
		default:
			h.Blocks = append(h.Blocks, Block{Text: oneLine(block)})
		}
	}
	return h
}

// Flags returns all flags of the text, in order.
func (h Help) Flags() []Flag {
	var all []Flag
	for _, b := range h.Blocks {
		all = append(all, b.Flags...)
	}
	return all
}

// An argument stands one blank behind the flag; what the flag does begins two
// blanks behind, or behind the argument.
var flagLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^  -([A-Za-z][a-z-]*)(?: ([^ ]+))?(?: +|$)(.*)`)
})

func flags(block string) []Flag {
	var all []Flag
	for line := range strings.SplitSeq(block, "\n") {
		if m := flagLine().FindStringSubmatch(line); m != nil {
			all = append(all, Flag{m[1], m[2], m[3]})
		} else if n := len(all); n > 0 {
			all[n-1].Text += " " + strings.TrimSpace(line)
		}
	}
	return all
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
