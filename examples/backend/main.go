// Backend is the toy backend of docs/tutorial.md. It prints a PTX module with a
// function that takes and returns a struct, and with -self it checks itself.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

func main() {
	self := flag.Bool("self", false, "check the backend instead")
	flag.IntVar(&regAlign, "align", regAlign, "plant a bug: the largest alignment that counts in registers")
	producer := flag.String("caller", "nvcc", "plant a bug: by whose convention calls declare their arguments")
	flag.Parse()
	var err error
	if caller, err = layout.ParseProducer(*producer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !*self {
		fmt.Print(module(scale))
		return
	}
	if err := selfCheck(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// selfCheck holds the backend's module against the rules, prints what it becomes,
// and holds the backend's own places against the convention.
func selfCheck() error {
	m, diags := check.Source("scale.ptx", []byte(module(scale)), check.Options{Compile: true})
	if err := diags.Err(); err != nil {
		return err
	}
	target, err := abi.Lookup(m.Target)
	if err != nil {
		return err
	}
	if err := show(m, target); err != nil {
		return err
	}
	return abitest.CheckPlaces(target, 1, 1000, places)
}

// show prints the function as pseudo-SASS.
func show(m *ptx.Module, target *abi.Target) error {
	prog, err := lower.Module(m, target, lower.Options{})
	if err != nil {
		return err
	}
	for _, f := range prog.Funcs {
		if f.Name == scale.Name {
			fmt.Print(f)
		}
	}
	return nil
}
