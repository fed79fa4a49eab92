// Peers measures ptxabi and other programs side by side, in one run, and writes
// a table in Markdown.
//
//	go run ./internal/lab/bench/peers
//	go run ./internal/lab/bench/peers -update FILE
//	go run ./internal/lab/bench/peers -rust DIR -zluda CHECKOUT
//
// It runs what it finds: ptxas of each toolkit (PTXABI_ORACLE says where to look
// first), clang and llc. With -rust, and cargo, it builds the PTX parsers that
// are published Rust packages under DIR, and ZLUDA's from a checkout of
// https://github.com/vosen/ZLUDA that -zluda names; their first build takes a
// quarter of an hour. Nothing is downloaded otherwise.
//
// What is compared is the time of the processor, of all threads and with the
// system's share: on a busy machine it says more than the clock. All run in
// turns, round by round, and the medians count. Ours run on one core.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == aloneFlag {
		if err := workAlone(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	rounds := flag.Int("rounds", 5, "runs of each, of which the median counts")
	real := flag.String("real", filepath.Join("testdata", "real", "*.ptx"), "the real modules")
	rust := flag.String("rust", "", "a folder to build other parsers in, with cargo")
	zluda := flag.String("zluda", "", "a checkout of ZLUDA, for -rust")
	update := flag.String("update", "", "a document whose table to replace")
	flag.Parse()
	if err := report(*rounds, *real, *rust, *zluda, *update); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(2)
	}
}

func report(rounds int, real, rust, zluda, update string) error {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := newSession(dir, real)
	if err != nil {
		return err
	}
	if err := s.toolkits(); err != nil {
		return err
	}
	s.llc()
	if rust != "" {
		s.rust(rust, zluda)
	}
	for range rounds {
		s.round()
	}
	text := s.markdown()
	for _, n := range s.notes {
		fmt.Fprintln(os.Stderr, "not taken:", strings.ReplaceAll(n, s.dir, ""))
	}
	if _, err := os.Stdout.Write(text); err != nil || update == "" {
		return err
	}
	doc, err := os.ReadFile(update)
	if err != nil {
		return err
	}
	if doc, err = bench.Replace(doc, "peers", text); err != nil {
		return fmt.Errorf("%s: %w", update, err)
	}
	return os.WriteFile(update, doc, 0o666)
}
