package manual

import (
	"fmt"
	"strings"
)

// A Completion is what a shell completes of a program: its commands, their flags,
// and the values of those flags that have few. A program without commands has one
// without a name.
type Completion struct {
	Program  string
	Commands []Completed
}

// A Completed is a command.
type Completed struct {
	Name  string
	Short string // one line; "" for one that is not listed
	Help  Help
	// Values returns the values that a flag may have; nil if there are too many to
	// list. A nil func is one that always does.
	Values func(flag string) []string
	// Words are what may stand behind the command; nil for files.
	Words []string
}

// Shells are those that there are scripts for.
var Shells = []string{"bash", "zsh", "fish"}

// Script returns the script for one of the [Shells], and false for another.
func (c *Completion) Script(shell string) (string, bool) {
	switch shell {
	case "bash":
		return c.bash(), true
	case "zsh":
		return c.zsh(), true
	case "fish":
		return c.fish(), true
	}
	return "", false
}

func (c *Completed) values(flag string) []string {
	if c.Values == nil {
		return nil
	}
	return c.Values(flag)
}

// listed are the names of the commands that are.
func (c *Completion) listed() string {
	var names []string
	for _, one := range c.Commands {
		if one.Short != "" {
			names = append(names, one.Name)
		}
	}
	return strings.Join(names, " ")
}

// plain reports whether the program has no commands.
func (c *Completion) plain() bool { return len(c.Commands) == 1 && c.Commands[0].Name == "" }

// namesFile reports whether a flag's argument is a file or a folder.
func namesFile(f Flag) bool { return f.Arg == "FILE" || f.Arg == "DIR" }

// briefly is the beginning of what a flag does.
func briefly(f Flag) string {
	text := f.Text
	for _, end := range []string{";", ":", ". ", ", ", " ("} {
		text, _, _ = strings.Cut(text, end)
	}
	return text
}

func (c *Completion) bash() string {
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
`, c.Program)
	indent, command := "\t\t", "${COMP_WORDS[1]}"
	if c.plain() {
		indent, command = "\t", ""
	} else {
		fmt.Fprintf(&b, "\tif ((COMP_CWORD == 1)); then\n\t\twords='%s help'\n\telse\n", c.listed())
	}
	line := func(format string, args ...any) { fmt.Fprintf(&b, indent+format+"\n", args...) }
	line("case %s:$prev in", command)
	for _, one := range c.Commands {
		for _, f := range one.Help.Flags() {
			if values := one.values(f.Name); values != nil {
				line("%s:-%s) words='%s' ;;", one.Name, f.Name, strings.Join(values, " "))
			} else if f.Arg != "" {
				line("%s:-%s) return ;;", one.Name, f.Name)
			}
		}
	}
	for _, one := range c.Commands {
		var flags []string
		for _, f := range one.Help.Flags() {
			flags = append(flags, "-"+f.Name)
		}
		line("%s:*) words='%s'; [[ $cur == -* ]] && words='%s' ;;",
			one.Name, strings.Join(one.Words, " "), strings.Join(append(flags, "-h"), " "))
	}
	line("esac")
	line("[[ $cur == --* ]] && words=-${words// -/ --}")
	if !c.plain() {
		b.WriteString("\tfi\n")
	}
	fmt.Fprintf(&b, `	[[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _%[1]s %[1]s
`, c.Program)
	return b.String()
}

func (c *Completion) zsh() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %[1]s\n# Completion of %[1]s for zsh, printed by \"%[1]s completion zsh\".\n_%[1]s() {\n", c.Program)
	quote := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace
	if c.plain() {
		b.WriteString("\t_arguments")
		c.Commands[0].zshArguments(&b, "\t\t", quote)
		b.WriteString("\n")
	} else {
		b.WriteString("\tif ((CURRENT == 2)); then\n\t\tlocal -a commands=(\n")
		for _, one := range c.Commands {
			if one.Short != "" {
				fmt.Fprintf(&b, "\t\t\t'%s:%s'\n", one.Name, quote(one.Short))
			}
		}
		b.WriteString("\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n\tshift words\n\t((CURRENT--))\n\tcase $command in\n")
		for _, one := range c.Commands {
			fmt.Fprintf(&b, "\t%s)\n\t\t_arguments", one.Name)
			one.zshArguments(&b, "\t\t\t", quote)
			b.WriteString("\n\t\t;;\n")
		}
		b.WriteString("\tesac\n")
	}
	fmt.Fprintf(&b, "}\n_%s \"$@\"\n", c.Program)
	return b.String()
}

// zshArguments writes the arguments of _arguments, each on a line of its own.
func (c *Completed) zshArguments(b *strings.Builder, indent string, quote func(string) string) {
	for _, f := range c.Help.Flags() {
		fmt.Fprintf(b, " \\\n%s'-%s[%s]", indent, f.Name, quote(briefly(f)))
		if values := c.values(f.Name); values != nil {
			fmt.Fprintf(b, ":%s:(%s)", quote(f.Arg), strings.Join(values, " "))
		} else if namesFile(f) {
			fmt.Fprintf(b, ":%s:_files", quote(f.Arg))
		} else if f.Arg != "" {
			fmt.Fprintf(b, ":%s: ", quote(f.Arg))
		}
		b.WriteString("'")
	}
	if c.Words != nil {
		fmt.Fprintf(b, " \\\n%s'1:argument:(%s)'", indent, strings.Join(c.Words, " "))
	} else {
		fmt.Fprintf(b, " \\\n%s'*:FILE:_files'", indent)
	}
}

func (c *Completion) fish() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %[1]s for fish, printed by \"%[1]s completion fish\".\n", c.Program)
	quote := strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace
	for _, one := range c.Commands {
		if one.Name != "" && one.Short != "" {
			fmt.Fprintf(&b, "complete -c %s -f -n __fish_use_subcommand -a %s -d '%s'\n", c.Program, one.Name, quote(one.Short))
		}
	}
	for _, one := range c.Commands {
		begin := "complete -c " + c.Program
		if !c.plain() {
			begin += fmt.Sprintf(" -n '__fish_seen_subcommand_from %s'", one.Name)
		}
		for _, f := range one.Help.Flags() {
			b.WriteString(begin + " -o " + f.Name)
			if values := one.values(f.Name); values != nil {
				fmt.Fprintf(&b, " -x -a '%s'", strings.Join(values, " "))
			} else if namesFile(f) {
				b.WriteString(" -r")
			} else if f.Arg != "" {
				b.WriteString(" -x")
			}
			fmt.Fprintf(&b, " -d '%s'\n", quote(briefly(f)))
		}
		if one.Words != nil {
			fmt.Fprintf(&b, "%s -f -a '%s'\n", begin, strings.Join(one.Words, " "))
		}
	}
	return b.String()
}
