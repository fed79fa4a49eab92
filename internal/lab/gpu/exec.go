package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// An execution is one kernel of a cubin that another program made: its first parameter is the address
// of n bytes, which are printed, its second that of in.
type execution struct {
	cubin, kernel, in string
	n                 int
}

// run prints what the kernel wrote, in hexadecimal digits. Before, each byte is another than that of in at its place,
// so that what is not written is seen.
func (e *execution) run(d *driver, out io.Writer) error {
	in, err := hex.DecodeString(e.in)
	if err != nil {
		return fmt.Errorf("-in: %w", err)
	}
	if len(in) == 0 || e.n < 1 {
		return errors.New("-exec needs bytes for -in, and a number of them for -out")
	}
	cubin, err := os.ReadFile(e.cubin)
	if err != nil {
		return err
	}
	if len(cubin) == 0 {
		return fmt.Errorf("%s is empty", e.cubin)
	}
	before := make([]byte, e.n)
	for i := range before {
		before[i] = fill
		if i < len(in) {
			before[i] = ^in[i]
		}
	}
	got, err := d.run(launch{cubin: cubin, kernel: e.kernel, in: in, outBytes: e.n, before: before})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%x\n", got)
	return nil
}
