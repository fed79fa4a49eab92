// Gpu checks on a GPU that arguments arrive where abi.Assign says. It needs a
// driver, a device, and a toolkit with ptxas and nvlink that assembles for it.
//
//	cd internal/lab/gpu && go run . [-n 200] [-seed 1] [-target sm_90]
//
// It prints a table that can be kept. With -dry it builds everything and launches
// nothing, with -probe it names the device, and with -exec it runs a kernel of a cubin. See README.md.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, errWrong):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "gpu:", err)
		os.Exit(2)
	}
}

var errWrong = errors.New("something did not arrive")

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("gpu", flag.ContinueOnError)
	n := flags.Int("n", 200, "cases of each experiment")
	seed := flags.Uint64("seed", 1, "another seed is other cases")
	target := flags.String("target", "", "the target to build for; that of the device if empty")
	library := flags.String("driver", "libcuda.so.1", "the driver's library")
	dry := flags.Bool("dry", false, "build, and launch nothing; needs -target")
	probe := flags.Bool("probe", false, "print the device and the driver's version, and nothing else")
	var e execution
	flags.StringVar(&e.cubin, "exec", "", "run a kernel of this cubin: k(address of -out bytes, address of the bytes of -in)")
	flags.StringVar(&e.kernel, "kernel", kernelName, "the kernel of -exec")
	flags.StringVar(&e.in, "in", "", "what the kernel of -exec reads, in hexadecimal digits")
	flags.IntVar(&e.n, "out", 0, "how many bytes the kernel of -exec writes, which are printed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *probe || e.cubin != "" {
		return single(*library, *probe, &e, out)
	}
	if *n < 1 || *dry && *target == "" {
		return errors.New("-n is 1 or more, and -dry needs -target")
	}
	var d *driver
	if !*dry {
		var err error
		if d, err = openDriver(*library); err != nil {
			return err
		}
		*target = cmp.Or(*target, fmt.Sprintf("sm_%d", d.sm))
		if err := d.describe(out); err != nil {
			return err
		}
	}
	t, err := abi.Lookup(*target)
	if err != nil {
		return err
	}
	tk, err := toolkitFor(t.Name)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s for %s, seed %d\n", tk, t.Name, *seed)
	b := &bench{driver: d, toolkit: tk, target: t, seed: *seed, n: *n, out: out}
	err = b.all()
	if d != nil {
		err = errors.Join(err, d.close())
	}
	return err
}

// single does one thing with the device: it names it, or runs a kernel.
func single(library string, probe bool, e *execution, out io.Writer) error {
	d, err := openDriver(library)
	if err != nil {
		return err
	}
	if probe {
		err = d.describe(out)
	} else {
		err = e.run(d, out)
	}
	return errors.Join(err, d.close())
}

// describe prints a line: "NVIDIA H100 PCIe, sm_90, driver for CUDA 13.0".
func (d *driver) describe(out io.Writer) error {
	version, err := d.version()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s, sm_%d, driver for CUDA %s\n", d.name, d.sm, version)
	return err
}

// toolkitFor returns the newest toolkit that assembles for a target and links.
func toolkitFor(target string) (*oracle.Toolkit, error) {
	tools, err := oracle.Find()
	if err != nil {
		return nil, err
	}
	for _, tk := range slices.Backward(tools.Toolkits) {
		if tk.Nvlink != "" && slices.Contains(tk.Targets, target) {
			return tk, nil
		}
	}
	return nil, fmt.Errorf("no ptxas with nvlink for %s was found; PTXABI_ORACLE lists folders to look in", target)
}
