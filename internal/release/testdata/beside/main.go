// Beside makes a file beside the one that it is told, as the commands do for -o, and panics.
package main

import (
	"fmt"
	"os"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
)

func main() {
	f, err := disk.CreateBeside(os.Args[1])
	if err == nil {
		f.Close()
		err = os.Rename(f.Name(), os.Args[1])
		disk.Settled(f.Name())
	}
	fmt.Println("made", err)
	panic("the text of a panic")
}
