// Package golden runs golden cases. A case is a txtar archive with the input and a section for
// each expected output. With PTXABI_UPDATE=1 in the environment, Run rewrites the sections.
// testdata/README.md describes the form.
package golden

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
)

// variable is the variable of the environment that has to be 1 for golden files to be rewritten. A
// flag would have to be known to the tests of every package.
const variable = "PTXABI_UPDATE"

// Update reports whether tests rewrite golden files instead of comparing with them.
func Update() bool { return os.Getenv(variable) == "1" }

// A Section computes the text of one section of a case. Args are the words of
// the section's name after the first: the section "lower sm_80" is computed by
// the Section of "lower" with the argument "sm_80".
//
// What is wrong with the input is part of the text. An error is for what is
// wrong with the case or the program; the section is then neither compared nor
// rewritten.
type Section func(c *Case, args []string) ([]byte, error)

// Run runs every case under dir, each as a subtest that has the path of its
// file below dir as its name. Sections has a Section for the first word of each
// section's name.
//
// It is an error if a case is malformed, if a section of it is not in sections,
// if there is a file under dir that is not a case, if two cases have the same
// sentence, and if not every file was run, except where -run or -skip chose
// among the cases. So that no file is left out, the usual way is one test
// that runs the whole of testdata/golden.
//
// Where [Update] says so, the sections whose text has changed are rewritten, and nothing
// else in the files. Nothing below a directory testdata/measured is ever
// written: measurements are made by measuring.
func Run(t *testing.T, dir string, sections map[string]Section) {
	t.Helper()
	paths, err := cases(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatalf("no golden case under %s", dir)
	}
	ran := 0
	sentences := make(map[string]string, len(paths))
	for _, path := range paths {
		name := strings.TrimSuffix(path, ext)
		t.Run(name, func(t *testing.T) {
			ran++
			file := filepath.Join(dir, filepath.FromSlash(path))
			c := runCase(t, file, name, sections)
			if c == nil {
				return
			}
			if other, dup := sentences[c.Sentence]; dup {
				t.Errorf("%s: stands for the same sentence as %s: one of them is not needed", file, other)
			}
			sentences[c.Sentence] = file
		})
	}
	if ran != len(paths) && !filtered() {
		t.Errorf("%d golden cases ran, but there are %d files under %s", ran, len(paths), dir)
	}
}

// filtered reports whether the command line chooses among subtests.
func filtered() bool {
	return slices.ContainsFunc([]string{"test.run", "test.skip"}, func(name string) bool {
		f := flag.Lookup(name)
		return f != nil && strings.Contains(f.Value.String(), "/")
	})
}

// cases returns the slash-separated paths, below dir, of all files there, in
// order. A file that is not a case is an error.
func cases(dir string) ([]string, error) {
	var paths []string
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s: not a regular file", filepath.Join(dir, path))
		case !validPath.MatchString(path):
			return fmt.Errorf("%s: not a golden case: the name is not of small letters, digits, '-' and '_', ending in %s", filepath.Join(dir, path), ext)
		}
		paths = append(paths, path)
		return nil
	})
	slices.Sort(paths)
	return paths, err
}

const ext = ".txtar"

var validPath = regexp.MustCompile(`^([a-z0-9_-]+/)*[a-z0-9_-]+\.txtar$`)

// runCase compares or rewrites one file. It returns nil if the file is not a case.
func runCase(t *testing.T, file, name string, sections map[string]Section) *Case {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return nil
	}
	p, err := parse(data)
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return nil
	}
	c := &p.Case
	c.Name = name
	changed := false
	for _, s := range p.outputs {
		f := &p.archive.Files[s]
		verb, args := split(f.Name)
		section := sections[verb]
		if section == nil {
			t.Errorf("%s: section %q: this test computes no %q", file, f.Name, verb)
			continue
		}
		got, err := section(c, args)
		if err != nil {
			t.Errorf("%s: section %q: %v", file, f.Name, err)
			continue
		}
		got = endLine(got)
		switch {
		case bytes.Equal(f.Data, got):
		case Update():
			f.Data = got
			changed = true
		default:
			t.Errorf("%s: section %q differs (-want +got):\n%s\nif that is right: %s=1 go test -run '^%s$'",
				file, f.Name, textdiff.Unified(string(f.Data), string(got), f.Name, "got"), variable, strings.ReplaceAll(t.Name(), "/", "$/^"))
		}
	}
	if changed {
		if err := rewrite(file, p.archive); err != nil {
			t.Error(err)
		} else {
			t.Logf("rewrote %s", file)
		}
	}
	return c
}

// Hold holds a file against the text that a test makes. Where [Update] says so, a file that differs
// is rewritten.
func Hold(t testing.TB, path, got string) {
	t.Helper()
	have, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	switch {
	case err == nil && string(have) == got:
	case Update():
		if err := write(path, []byte(got)); err != nil {
			t.Fatal(err)
		}
	default:
		test, _, _ := strings.Cut(t.Name(), "/")
		t.Errorf("%s is stale; %s=1 go test -run '^%s$' rewrites it:\n%s", path, variable, test, textdiff.Unified(string(have), got, path, "got"))
	}
}
