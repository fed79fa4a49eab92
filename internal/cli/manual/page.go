package manual

import (
	"fmt"
	"io/fs"
	"strings"
)

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
