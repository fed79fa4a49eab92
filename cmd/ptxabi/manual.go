package main

import "github.com/ptxabi/ptxabi/internal/cli/manual"

// program is what is said of the program, its commands and their flags. The word help,
// which is none of them, is completed too.
func program() *manual.Program {
	p := &manual.Program{
		Name: "ptxabi", Short: "NVIDIA's device calling convention",
		Help: manual.Help{Text: usageHead, More: usageTail},
	}
	var names []string
	for _, c := range all {
		p.Commands = append(p.Commands, c.page())
		names = append(names, c.name)
	}
	p.Commands = append(p.Commands, manual.Command{Name: "help", Help: manual.Help{Words: names}})
	return p
}

// page is the command's page with the values of its flags that the command computes, which it does before
// anything else.
func (c command) page() manual.Command {
	return c.run(env{}, []string{"-h"}).(helpError).Command
}
