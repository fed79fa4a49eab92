// Page measures what docs/performance.md says, and writes it there: the times of
// tasks, and other programs side by side. It runs in the root of a clone.
//
//	go run ./internal/lab/bench/page [-library FILE] [-rust DIR -zluda CHECKOUT]
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	library := flag.String("library", "", "a library with device code to read")
	rust := flag.String("rust", "", "a folder to build other parsers in, with cargo")
	zluda := flag.String("zluda", "", "a checkout of ZLUDA, for -rust")
	flag.Parse()
	for _, args := range [][]string{
		{"scale", "-tasks", "-library", *library},
		{"peers", "-rust", *rust, "-zluda", *zluda},
	} {
		args = append([]string{"run", "./internal/lab/bench/" + args[0]}, append(args[1:], "-update", "docs/performance.md")...)
		cmd := exec.Command("go", args...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		err := cmd.Run()
		exit := (*exec.ExitError)(nil)
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: a goal is missed, as the table says
			fmt.Fprintln(os.Stderr, "page:", err)
			os.Exit(2)
		}
	}
}
