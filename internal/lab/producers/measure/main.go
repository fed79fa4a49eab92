// Measure records how compilers pass values: go run ./internal/lab/producers/measure KIND=PROGRAM … writes
// testdata/measured/producers/NAME-VERSION.txt for each. What stands for a compiler is
// what producers.Open takes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ptxabi/ptxabi/internal/lab/producers"
)

func main() {
	dir := flag.String("dir", "testdata/measured/producers", "folder of the recordings")
	flag.Parse()
	status := 0
	for _, word := range flag.Args() {
		if err := measure(*dir, word); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", word, err)
			status = 1
		}
	}
	os.Exit(status)
}

func measure(dir, word string) error {
	c, err := producers.Open(word)
	if err != nil {
		return err
	}
	r, err := producers.Measure(context.Background(), c)
	if err != nil {
		return err
	}
	if len(r.Seen) == 0 {
		return fmt.Errorf("nothing was compiled: %v", r.Refused)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, c.Name+"-"+c.Version+".txt"), []byte(r.String()), 0o666)
}
