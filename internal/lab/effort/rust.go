package effort

import (
	"fmt"
	"os/exec"
)

// Rustc returns the path of the compiler of Rust, and n of its version 1.n. It is "" where there is
// none, or none of 1.77 or later, which what is generated needs.
func Rustc() (path string, n int) {
	path, err := exec.LookPath("rustc")
	if err != nil {
		return "", 0
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", 0
	}
	if _, err := fmt.Sscanf(string(out), "rustc 1.%d", &n); err != nil || n < 77 {
		return "", 0
	}
	return path, n
}
