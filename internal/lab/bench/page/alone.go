package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// What this project's library does is timed in a process of its own, with one input
// and nothing else in memory, as the parsers of others are. How often the collector
// runs goes by how much else is kept: beside a hundred megabytes it hardly does, and
// what allocates much looks faster than it is in a program that has its modules alone.

// aloneFlag makes this program such a process: it does the work that the first
// argument names to the file of the second, and prints the time of once.
const aloneFlag = "-alone"

// works are the tasks of such a process, by the contender's name: each is a function that is
// repeated on a text. A module is a string, as the command has read it, and nothing copies it.
var works = map[string]func(in *input) func() error{
	parseName: func(in *input) func() error {
		src := string(in.text)
		return func() error {
			_, err := ptx.ParseString(in.file, src)
			return err
		}
	},
	inProcessName: func(in *input) func() error {
		src := string(in.text)
		return func() error { return lowered(in.file, src) }
	},
	goName: func(in *input) func() error {
		return func() error {
			var sc scanner.Scanner
			sc.Init(token.NewFileSet().AddFile(in.file, -1, len(in.text)), in.text, nil, 0)
			for {
				if _, tok, _ := sc.Scan(); tok == token.EOF {
					return nil
				}
			}
		}
	},
}

// lowered lowers a module from text to text, as the command does.
func lowered(file, src string) error {
	return lower.Write(io.Discard, src, lower.Options{File: file, Workers: runtime.GOMAXPROCS(0)})
}

// workAlone is the main function of such a process.
func workAlone(name, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	work := works[name]
	if work == nil {
		return fmt.Errorf("no work is called %q", name)
	}
	d, err := timed(work(&input{file, text}))
	if err != nil {
		return err
	}
	_, err = fmt.Println(d.Nanoseconds())
	return err
}

// alone does a work in a process of its own, and returns the time of once.
func alone(name, file string) (time.Duration, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(self, aloneFlag, name, file)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s%w", stderr.String(), err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return time.Duration(n), err
}
