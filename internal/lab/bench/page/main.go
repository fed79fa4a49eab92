// Page measures what docs/performance.md says, and writes it there: the times of
// tasks, and other programs side by side, each in one run. It runs in the root of a clone.
//
//	go run ./internal/lab/bench/page [-library FILE] [-rust DIR -zluda CHECKOUT]
//
// It runs what it finds: ptxas of each toolkit (PTXABI_ORACLE says where to look
// first), clang and llc. With -rust, and cargo, it builds the PTX parsers that
// are published Rust packages under DIR, and ZLUDA's from a checkout of
// https://github.com/vosen/ZLUDA that -zluda names; their first build takes a
// quarter of an hour. Nothing is downloaded otherwise.
//
// Tasks are measured by the clock. Programs are compared by the time of the processor, of all
// threads and with the system's share: on a busy machine it says more than the clock. All run in
// turns, round by round, and the medians count. Ours run on one core.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == aloneFlag {
		exit(workAlone(os.Args[2], os.Args[3]))
	}
	library := flag.String("library", "", "a library with device code to read")
	rust := flag.String("rust", "", "a folder to build other parsers in, with cargo")
	zluda := flag.String("zluda", "", "a checkout of ZLUDA, for -rust")
	flag.Parse()
	exit(write("docs/performance.md", *library, *rust, *zluda))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(2)
	}
	os.Exit(0)
}

// write replaces the two tables of a document.
func write(file, library, rust, zluda string) error {
	dir, err := os.MkdirTemp("", "page")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	doc, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	tasks, err := waits(dir, library)
	if err != nil {
		return err
	}
	peers, err := compared(dir, rust, zluda)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"tasks": tasks, "peers": peers} {
		if doc, err = bench.Replace(doc, name, text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return os.WriteFile(file, doc, 0o666)
}

// compared measures this project's programs and others side by side.
func compared(dir, rust, zluda string) ([]byte, error) {
	s, err := newSession(dir, filepath.Join("testdata", "real", "*.ptx"))
	if err != nil {
		return nil, err
	}
	if err := s.toolkits(); err != nil {
		return nil, err
	}
	if err := s.llc(); err != nil {
		s.notes = append(s.notes, "llc: "+firstLine(err.Error()))
	}
	if rust != "" {
		s.rust(rust, zluda)
	}
	for range 5 {
		s.round()
	}
	text := s.markdown()
	for _, n := range s.notes {
		fmt.Fprintln(os.Stderr, "not taken:", strings.ReplaceAll(n, s.dir, ""))
	}
	return text, nil
}

// build builds a program of this module in dir, as one that is to be copied to
// other machines: of Go alone.
func build(dir, pkg string) (program string, err error) {
	program = filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-o", program, "github.com/ptxabi/ptxabi/"+pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}
