package main

import (
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

var completionHelp = manual.Help{
	Usage: "ptxabi completion bash|zsh|fish",
	Text: `Completion prints a script for a shell that completes the commands of ptxabi,
their flags, and the values of those flags that have few. The folder of the
script must exist.`,
	More: `Examples:

  ptxabi completion bash >~/.local/share/bash-completion/completions/ptxabi
  ptxabi completion zsh >"${fpath[1]}/_ptxabi"
  ptxabi completion fish >~/.config/fish/completions/ptxabi.fish`,
}

// all is commands, for those that tell of every command: they are in that list,
// and must not be initialised from it.
var all []command

func init() { all = commands }

func runCompletion(e env, args []string) error {
	o := newOptions("completion")
	o.Words = manual.Shells
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return o.errorf("%s, expected one: %s", prose.Count(len(rest), "argument"), strings.Join(manual.Shells, ", "))
	}
	script, err := program().Script(rest[0])
	if err != nil {
		return o.errorf("%w", err)
	}
	return write(e.stdout, []byte(script))
}

func targetNames() []string {
	var names []string
	for _, t := range abi.Targets() {
		names = append(names, t.Name)
	}
	return names
}
