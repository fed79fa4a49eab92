package manual

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/display"
)

// Shells are those that there are scripts for.
var Shells = []string{"bash", "zsh", "fish"}

// Script returns the script with which one of the [Shells] completes a program's
// commands, their flags, and the values of those flags that have few. Another shell is
// an error.
func (p *Program) Script(shell string) (string, error) {
	switch shell {
	case "bash":
		return p.bash(), nil
	case "zsh":
		return p.zsh(), nil
	case "fish":
		return p.fish(), nil
	}
	return "", OneOf("", shell, Shells)
}

// listed are the commands that people are told of.
func (p *Program) listed() (list []Command) {
	for _, c := range p.Commands {
		if c.Short != "" {
			list = append(list, c)
		}
	}
	return list
}

// commands are all of them; of a program without the one that it is, without a name.
func (p *Program) commands() []Command {
	if p.plain() {
		return []Command{{Help: p.Help}}
	}
	return p.Commands
}

func (p *Program) plain() bool { return p.Commands == nil }

// briefly is the beginning of what a flag does: a sentence, or as many words of it as fit beside the flag.
func briefly(f *Flag) string {
	const most = 72
	text, _, _ := strings.Cut(oneLine(f.Text), ". ")
	if lines := display.Wrap(text, most); len(lines) > 1 {
		return strings.TrimRight(lines[0], ",;:") + " …"
	}
	return text
}

func (p *Program) bash() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Completion of %[1]s for bash, printed by "%[1]s completion bash".
_%[1]s() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
	if [[ $cur == = ]]; then # -flag=
		cur=
	elif [[ $prev == = ]]; then # -flag=value
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	prev=${prev/#--/-}
	COMPREPLY=()
`, p.Name)
	indent, command := "\t\t", "${COMP_WORDS[1]}"
	if p.plain() {
		indent, command = "\t", ""
	} else {
		b.WriteString("\tif ((COMP_CWORD == 1)); then\n\t\twords='")
		for _, one := range p.listed() {
			b.WriteString(one.Name + " ")
		}
		b.WriteString("help'\n\telse\n")
	}
	line := func(format string, args ...any) { fmt.Fprintf(&b, indent+format+"\n", args...) }
	line("case %s:$prev in", command)
	for _, one := range p.commands() {
		for _, f := range one.Help.Flags {
			if values := f.words(); values != nil {
				line("%s:-%s) words='%s' ;;", one.Name, f.Name, strings.Join(values, " "))
			} else if f.Arg != "" {
				line("%s:-%s) return ;;", one.Name, f.Name)
			}
		}
	}
	for _, one := range p.commands() {
		var flags []string
		for _, f := range one.Help.Flags {
			flags = append(flags, "-"+f.Name)
		}
		line("%s:*) words='%s'; [[ $cur == -* ]] && words='%s' ;;",
			one.Name, strings.Join(one.Help.Words, " "), strings.Join(append(flags, "-h"), " "))
	}
	line("esac")
	line("[[ $cur == --* ]] && words=-${words// -/ --}")
	if !p.plain() {
		b.WriteString("\tfi\n")
	}
	fmt.Fprintf(&b, `	[[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _%[1]s %[1]s
`, p.Name)
	return b.String()
}

func (p *Program) zsh() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %[1]s\n# Completion of %[1]s for zsh, printed by \"%[1]s completion zsh\".\n_%[1]s() {\n", p.Name)
	quote := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace
	if p.plain() {
		b.WriteString("\t_arguments")
		p.Help.zshArguments(&b, "\t\t", quote)
		b.WriteString("\n")
	} else {
		b.WriteString("\tif ((CURRENT == 2)); then\n\t\tlocal -a commands=(\n")
		for _, one := range p.listed() {
			fmt.Fprintf(&b, "\t\t\t'%s:%s'\n", one.Name, quote(one.Short))
		}
		b.WriteString("\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n\tshift words\n\t((CURRENT--))\n\tcase $command in\n")
		for _, one := range p.commands() {
			fmt.Fprintf(&b, "\t%s)\n\t\t_arguments", one.Name)
			one.Help.zshArguments(&b, "\t\t\t", quote)
			b.WriteString("\n\t\t;;\n")
		}
		b.WriteString("\tesac\n")
	}
	fmt.Fprintf(&b, "}\n_%s \"$@\"\n", p.Name)
	return b.String()
}

// zshArguments writes the arguments of _arguments, each on a line of its own.
func (h *Help) zshArguments(b *strings.Builder, indent string, quote func(string) string) {
	for _, f := range h.Flags {
		fmt.Fprintf(b, " \\\n%s'-%s[%s]", indent, f.Name, quote(briefly(f)))
		if values := f.words(); values != nil {
			fmt.Fprintf(b, ":%s:(%s)", quote(f.Arg), strings.Join(values, " "))
		} else if f.namesFile() {
			fmt.Fprintf(b, ":%s:_files", quote(f.Arg))
		} else if f.Arg != "" {
			fmt.Fprintf(b, ":%s: ", quote(f.Arg))
		}
		b.WriteString("'")
	}
	if h.Words != nil {
		fmt.Fprintf(b, " \\\n%s'1:argument:(%s)'", indent, strings.Join(h.Words, " "))
	} else {
		fmt.Fprintf(b, " \\\n%s'*:FILE:_files'", indent)
	}
}

func (p *Program) fish() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %[1]s for fish, printed by \"%[1]s completion fish\".\n", p.Name)
	quote := strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace
	for _, one := range p.listed() {
		fmt.Fprintf(&b, "complete -c %s -f -n __fish_use_subcommand -a %s -d '%s'\n", p.Name, one.Name, quote(one.Short))
	}
	if !p.plain() {
		fmt.Fprintf(&b, "complete -c %s -f -n __fish_use_subcommand -a help -d 'describe a command'\n", p.Name)
	}
	for _, one := range p.commands() {
		begin := "complete -c " + p.Name
		if !p.plain() {
			begin += fmt.Sprintf(" -n '__fish_seen_subcommand_from %s'", one.Name)
		}
		for _, f := range one.Help.Flags {
			b.WriteString(begin + " -o " + f.Name)
			if values := f.words(); values != nil {
				fmt.Fprintf(&b, " -x -a '%s'", strings.Join(values, " "))
			} else if f.namesFile() {
				b.WriteString(" -r")
			} else if f.Arg != "" {
				b.WriteString(" -x")
			}
			fmt.Fprintf(&b, " -d '%s'\n", quote(briefly(f)))
		}
		if one.Help.Words != nil {
			fmt.Fprintf(&b, "%s -f -a '%s'\n", begin, strings.Join(one.Help.Words, " "))
		}
	}
	return b.String()
}
