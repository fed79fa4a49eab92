package main

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/cmd/ptxparam/gen"
	"github.com/ptxabi/ptxabi/internal/manual"
)

// completion returns the script that completes command lines in a shell.
func completion(shell string) (string, error) {
	c := manual.Completion{Program: "ptxparam", Commands: []manual.Completed{{
		Help: manual.Read(help),
		Values: func(flag string) []string {
			switch flag {
			case "lang":
				return []string{"c", "c++", "rust", "python"}
			case "binding":
				return gen.BindingNames()
			case "rules":
				return []string{"sysv", "msvc"}
			case "target":
			default:
				return nil
			}
			var names []string
			for _, t := range abi.Targets() {
				names = append(names, t.Name)
			}
			return names
		},
	}}}
	script, ok := c.Script(shell)
	if !ok {
		return "", fmt.Errorf("completion: %q is none of %s; see \"ptxparam -h\"", shell, strings.Join(manual.Shells, ", "))
	}
	return script, nil
}
