package main

import (
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/adapt"
	"github.com/ptxabi/ptxabi/internal/export"
	"github.com/ptxabi/ptxabi/internal/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/manual"
	"github.com/ptxabi/ptxabi/layout"
)

const completionHelp = `usage: ptxabi completion bash|zsh|fish

Completion prints a script for a shell that completes the commands of ptxabi,
their flags, and the values of those flags that have few. The folder that it is
kept in has to be there: mkdir -p makes it.

Examples:

  ptxabi completion bash >~/.local/share/bash-completion/completions/ptxabi
  ptxabi completion zsh >"${fpath[1]}/_ptxabi"
  ptxabi completion fish >~/.config/fish/completions/ptxabi.fish
`

// all is commands, for those that tell of every command: they are in that list,
// and must not be initialised from it.
var all []command

func init() { all = commands }

func runCompletion(e env, args []string) error {
	o := bareOptions("completion")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return o.errorf("%s, expected one: %s", count(len(rest), "argument"), strings.Join(manual.Shells, ", "))
	}
	script, ok := completed().Script(rest[0])
	if !ok {
		return o.errorf("%q is none of %s", rest[0], strings.Join(manual.Shells, ", "))
	}
	return write(e.stdout, []byte(script))
}

// valuesOf returns the values that a flag of a command may have; nil if there
// are too many to list. A test holds them against what the commands say.
func valuesOf(command, flag string) []string {
	switch flag {
	case "target":
		return targetNames()
	case "color":
		return []string{"auto", "always", "never"}
	case "severity":
		return []string{"error", "warning", "note"}
	case "dump":
		return []string{"body", "plan", "code"}
	case "lang":
		if command == "export" {
			return export.Languages()
		}
		return []string{"c", "c++"}
	case "rules":
		return []string{"sysv", "msvc"}
	case "from", "to":
		return adapt.Conventions
	case "producer":
		return layout.ProducerNames()
	case "format":
		switch command {
		case "assign", "stack":
			return []string{"text", "json", "svg"}
		case "link":
			return []string{"text", "json", "sarif"}
		case "verify":
			return []string{"text", "json", "sarif", "github"}
		case "check":
			return []string{"text", "json", "sarif", "github", "gitlab"}
		case "layout":
			return layoutcmd.Formats
		}
		return []string{"text", "json"}
	}
	return nil
}

// argumentsOf returns what may stand behind a command; nil for files.
func argumentsOf(command string) []string {
	switch command {
	case "targets":
		return targetNames()
	case "explain":
		return append(explained(), targetNames()...)
	case "completion":
		return manual.Shells
	case "help":
		var names []string
		for _, c := range all {
			names = append(names, c.name)
		}
		return names
	}
	return nil
}

// completed is what a shell completes: all commands, and the word help, which is
// none.
func completed() *manual.Completion {
	c := &manual.Completion{Program: "ptxabi"}
	for _, one := range append(all[:len(all):len(all)], command{name: "help"}) {
		c.Commands = append(c.Commands, manual.Completed{
			Name: one.name, Short: one.short, Help: manual.Read(one.help), Words: argumentsOf(one.name),
			Values: func(flag string) []string { return valuesOf(one.name, flag) },
		})
	}
	return c
}

func targetNames() []string {
	var names []string
	for _, t := range abi.Targets() {
		names = append(names, t.Name)
	}
	return names
}
