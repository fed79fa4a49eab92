package golden

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A Case is the contents of one golden file, but for the expected outputs.
type Case struct {
	Name     string // path below the directory that Run was given, without extension
	Sentence string // what the case exists for
	Inputs   []File // in the order of the file; there is one at least
}

// A File is one input of a case.
type File struct {
	Name string // "in.ptx"
	Data []byte // ends with a line end, unless it is empty
}

// Archive returns the txtar archive in a file.
func Archive(t testing.TB, file string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// parsed is a Case with what is needed to compare and rewrite it.
type parsed struct {
	Case
	archive *txtar.Archive
	outputs []int // indices of the sections in archive.Files
}

// parse reads a golden file. Files whose names have an extension are inputs,
// all others are outputs.
func parse(data []byte) (*parsed, error) {
	a := txtar.Parse(data)
	if !bytes.Equal(txtar.Format(a), data) {
		return nil, errors.New("the archive does not print back as it is: a marker line ends in CR or has spaces too many, or the last line has no end")
	}
	p := &parsed{archive: a}
	first, _, _ := strings.Cut(string(a.Comment), "\n")
	p.Sentence = strings.TrimSpace(first)
	if !strings.HasSuffix(p.Sentence, ".") || !strings.Contains(p.Sentence, " ") {
		return nil, fmt.Errorf("the first line has to be the sentence that the case exists for, with a full stop; it is %q", first)
	}
	seen := make(map[string]bool)
	for i, f := range a.Files {
		if seen[f.Name] {
			return nil, fmt.Errorf("there are two sections %q", f.Name)
		}
		seen[f.Name] = true
		if isInput(f.Name) {
			p.Inputs = append(p.Inputs, File{Name: f.Name, Data: f.Data})
			continue
		}
		if name := strings.Join(strings.Fields(f.Name), " "); name != f.Name {
			return nil, fmt.Errorf("section %q: the name has spaces too many", f.Name)
		}
		p.outputs = append(p.outputs, i)
	}
	switch {
	case len(p.Inputs) == 0:
		return nil, errors.New(`there is no input: a section like "in.ptx"`)
	case len(p.outputs) == 0:
		return nil, errors.New("there is no section with an expected output")
	}
	return p, nil
}

// isInput reports whether a section with this name is an input: its name is
// that of a file with an extension.
func isInput(name string) bool {
	return filepath.Ext(name) != "" && !strings.Contains(name, " ")
}

// split parts a section's name into its first word and the others.
func split(name string) (verb string, args []string) {
	words := strings.Fields(name)
	return words[0], words[1:]
}

// endLine is data with a line end after its last line.
func endLine(data []byte) []byte {
	if len(data) == 0 || data[len(data)-1] == '\n' {
		return data
	}
	return append(data[:len(data):len(data)], '\n')
}

// rewrite writes the archive to file, unless its text would be read as another
// archive or the file is a measurement.
func rewrite(file string, a *txtar.Archive) error {
	path, err := filepath.Abs(file)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return err
	}
	if strings.Contains(filepath.ToSlash(path), "/testdata/measured/") {
		return fmt.Errorf("%s: measurements are not rewritten, whatever %s says", file, variable)
	}
	data := txtar.Format(a)
	again := txtar.Parse(data)
	if len(again.Files) != len(a.Files) {
		return fmt.Errorf("%s: not rewritten: a section's text has a line like a txtar marker", file)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, info.Mode().Perm())
}
