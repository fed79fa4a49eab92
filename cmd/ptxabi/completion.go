package main

import (
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

func bindCompletion(o *options) action {
	o.Help.Words = manual.Shells
	return func(e env, rest []string) error {
		if len(rest) != 1 {
			return o.errorf("%s, expected one: %s", prose.Count(len(rest), "argument"), strings.Join(manual.Shells, ", "))
		}
		script, err := program().Script(rest[0])
		if err != nil {
			return o.errorf("%w", err)
		}
		return write(e.stdout, []byte(script))
	}
}

func targetNames() []string {
	var names []string
	for _, t := range abi.Targets() {
		names = append(names, t.Name)
	}
	return names
}

// program describes the program, its commands and their flags. The word help,
// which is none of them, is completed too.
func program() *manual.Program {
	p := &manual.Program{
		Name: "ptxabi", Short: "NVIDIA's device calling convention",
		Help: manual.Help{Text: usageHead, More: usageTail},
	}
	var names []string
	for _, c := range commands() {
		p.Commands = append(p.Commands, c.page())
		names = append(names, c.name)
	}
	p.Commands = append(p.Commands, manual.Command{Name: "help", Help: manual.Help{Words: names}})
	return p
}

// page is the command's page with the values of its flags that the command computes.
func (c command) page() manual.Command {
	o := newOptions(c.name)
	c.bind(o)
	o.bindCommon()
	return o.Command
}
