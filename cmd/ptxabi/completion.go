package main

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/manual"
)

const completionHelp = `usage: ptxabi completion bash|zsh|fish

Completion prints a script for a shell that completes the commands of ptxabi,
their flags, and the values of those flags that have few.

Examples:

  ptxabi completion bash >~/.local/share/bash-completion/completions/ptxabi
  ptxabi completion zsh >"${fpath[1]}/_ptxabi"
  ptxabi completion fish >~/.config/fish/completions/ptxabi.fish
`

// all is commands, for those that tell of every command: they are in that list,
// and must not be initialised from it.
var all []command

func init() { all = commands }

var shells = []string{"bash", "zsh", "fish"}

func runCompletion(e env, args []string) error {
	o := bareOptions("completion")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return o.errorf("%s, expected one: %s", count(len(rest), "argument"), strings.Join(shells, ", "))
	}
	var script string
	switch rest[0] {
	case "bash":
		script = bashCompletion()
	case "zsh":
		script = zshCompletion()
	case "fish":
		script = fishCompletion()
	default:
		return o.errorf("%q is none of %s", rest[0], strings.Join(shells, ", "))
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
	case "lang":
		return []string{"c", "c++"}
	case "rules":
		return []string{"sysv", "msvc"}
	case "producer":
		return []string{"nvcc", "clang", "gcc", "manual"}
	case "format":
		switch command {
		case "assign":
			return []string{"text", "json", "svg"}
		case "check":
			return []string{"text", "json", "sarif"}
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
		return shells
	case "help":
		var names []string
		for _, c := range all {
			names = append(names, c.name)
		}
		return names
	}
	return nil
}

// withHelp returns all commands and the word help, which is none.
func withHelp() []command { return append(all[:len(all):len(all)], command{name: "help"}) }

func targetNames() []string {
	var names []string
	for _, t := range abi.Targets() {
		names = append(names, t.Name)
	}
	return names
}

// namesFile reports whether a flag's argument is a file or a folder.
func namesFile(f manual.Flag) bool { return f.Arg == "FILE" || f.Arg == "DIR" }

// briefly is the beginning of what a flag does.
func briefly(f manual.Flag) string {
	text := f.Text
	for _, end := range []string{";", ":", ". ", ", ", " ("} {
		text, _, _ = strings.Cut(text, end)
	}
	return text
}

func bashCompletion() string {
	var b strings.Builder
	b.WriteString(`# Completion of ptxabi for bash, printed by "ptxabi completion bash".
_ptxabi() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
	if [[ $cur == = ]]; then # -flag=
		cur=
	elif [[ $prev == = ]]; then # -flag=value
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	prev=${prev/#--/-}
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
`)
	fmt.Fprintf(&b, "\t\twords='%s help'\n", strings.Join(argumentsOf("help"), " "))
	b.WriteString("\telse\n\t\tcase ${COMP_WORDS[1]}:$prev in\n")
	for _, c := range all {
		for _, f := range manual.Read(c.help).Flags() {
			if values := valuesOf(c.name, f.Name); values != nil {
				fmt.Fprintf(&b, "\t\t%s:-%s) words='%s' ;;\n", c.name, f.Name, strings.Join(values, " "))
			} else if f.Arg != "" {
				fmt.Fprintf(&b, "\t\t%s:-%s) return ;;\n", c.name, f.Name)
			}
		}
	}
	for _, c := range withHelp() {
		words := strings.Join(argumentsOf(c.name), " ")
		var flags []string
		for _, f := range manual.Read(c.help).Flags() {
			flags = append(flags, "-"+f.Name)
		}
		fmt.Fprintf(&b, "\t\t%s:*) words='%s'; [[ $cur == -* ]] && words='%s' ;;\n",
			c.name, words, strings.Join(append(flags, "-h"), " "))
	}
	b.WriteString(`		esac
		[[ $cur == --* ]] && words=-${words// -/ --}
	fi
	[[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _ptxabi ptxabi
`)
	return b.String()
}

func zshCompletion() string {
	var b strings.Builder
	b.WriteString(`#compdef ptxabi
# Completion of ptxabi for zsh, printed by "ptxabi completion zsh".
_ptxabi() {
	if ((CURRENT == 2)); then
		local -a commands=(
`)
	quote := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace
	for _, c := range all {
		fmt.Fprintf(&b, "\t\t\t'%s:%s'\n", c.name, quote(c.short))
	}
	b.WriteString("\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n\tshift words\n\t((CURRENT--))\n\tcase $command in\n")
	for _, c := range withHelp() {
		fmt.Fprintf(&b, "\t%s)\n\t\t_arguments", c.name)
		for _, f := range manual.Read(c.help).Flags() {
			fmt.Fprintf(&b, " \\\n\t\t\t'-%s[%s]", f.Name, quote(briefly(f)))
			if values := valuesOf(c.name, f.Name); values != nil {
				fmt.Fprintf(&b, ":%s:(%s)", quote(f.Arg), strings.Join(values, " "))
			} else if namesFile(f) {
				fmt.Fprintf(&b, ":%s:_files", quote(f.Arg))
			} else if f.Arg != "" {
				fmt.Fprintf(&b, ":%s: ", quote(f.Arg))
			}
			b.WriteString("'")
		}
		if words := argumentsOf(c.name); words != nil {
			fmt.Fprintf(&b, " \\\n\t\t\t'1:argument:(%s)'\n\t\t;;\n", strings.Join(words, " "))
		} else {
			b.WriteString(" \\\n\t\t\t'*:FILE:_files'\n\t\t;;\n")
		}
	}
	b.WriteString("\tesac\n}\n_ptxabi \"$@\"\n")
	return b.String()
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# Completion of ptxabi for fish, printed by \"ptxabi completion fish\".\n")
	quote := strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace
	for _, c := range all {
		fmt.Fprintf(&b, "complete -c ptxabi -f -n __fish_use_subcommand -a %s -d '%s'\n", c.name, quote(c.short))
	}
	for _, c := range withHelp() {
		begin := fmt.Sprintf("complete -c ptxabi -n '__fish_seen_subcommand_from %s'", c.name)
		for _, f := range manual.Read(c.help).Flags() {
			b.WriteString(begin + " -o " + f.Name)
			if values := valuesOf(c.name, f.Name); values != nil {
				fmt.Fprintf(&b, " -x -a '%s'", strings.Join(values, " "))
			} else if namesFile(f) {
				b.WriteString(" -r")
			} else if f.Arg != "" {
				b.WriteString(" -x")
			}
			fmt.Fprintf(&b, " -d '%s'\n", quote(briefly(f)))
		}
		if words := argumentsOf(c.name); words != nil {
			fmt.Fprintf(&b, "%s -f -a '%s'\n", begin, strings.Join(words, " "))
		}
	}
	return b.String()
}
