package golden

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
)

// A Program runs a command line and returns what it printed and its exit status.
type Program func(t *testing.T, args []string, stdin []byte) (stdout, stderr string, status int)

// A Maker returns the bytes of a file that a session makes of others.
type Maker func(args []string) ([]byte, error)

// Sessions runs each file of dir, a txtar archive whose comment has lines
//
//	$ ARG... [< FILE] [| TEXT]      runs the program; with "| TEXT" only lines with TEXT are kept
//	edit NEW OLD "a" "b"...         makes NEW of OLD, in which the first a is b, and so on
//	replace NEW OLD "a" "b"...      the same for each a
//	write NEW "text"                makes NEW of a text that cannot stand in an archive
//	use src/FILE [NEW]              copies a file of the repository
//	VERB NEW ARG...                 makes NEW as makers say
//
// What a command prints stands below it after a tab: standard output, standard error
// after "2> ", and after "? " an exit status that is not 0. All other lines are remarks.
// A session runs in a folder that has its files and, as "src", the root of the
// repository. Words may be quoted as in Go. With PTXABI_UPDATE=1 what is printed is written.
func Sessions(t *testing.T, dir, root string, run Program, makers map[string]Maker) {
	t.Helper()
	for _, folder := range []*string{&dir, &root} {
		var err error
		if *folder, err = filepath.Abs(*folder); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"+ext))
	if err != nil || len(files) == 0 {
		t.Fatalf("no session in %s: %v", dir, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ext), func(t *testing.T) {
			t.Chdir(t.TempDir())
			a := txtar.Parse(data)
			for _, f := range a.Files {
				if err := write(f.Name, f.Data); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(root, "src"); err != nil {
				t.Fatal(err)
			}
			comment := session(t, string(a.Comment), run, makers)
			switch {
			case bytes.Equal(comment, a.Comment):
			case Update():
				a.Comment = comment
				if err := rewrite(file, a); err != nil {
					t.Error(err)
				}
			default:
				t.Errorf("%s: (-want +got):\n%s\n%s=1 rewrites it", file, textdiff.Unified(string(a.Comment), string(comment), "want", "got"), variable)
			}
		})
	}
}

// write writes a file and the folders above it.
func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// session returns the text with the present output of its commands.
func session(t *testing.T, text string, run Program, makers map[string]Maker) []byte {
	t.Helper()
	var out bytes.Buffer
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line)
		words, err := fields(line)
		if err != nil || len(words) == 0 || words[0] == "#" {
			continue
		}
		args := words[1:]
		made := []byte(nil)
		switch maker := makers[words[0]]; {
		case words[0] == "$":
			command(t, &out, args, run)
			continue
		case words[0] == "use" && len(args) > 0:
			made, err = os.ReadFile(args[0])
			if args[0] = filepath.Base(args[0]); len(args) > 1 {
				args[0] = args[1]
			}
		case words[0] == "write" && len(args) == 2:
			made = []byte(args[1])
		case words[0] == "edit" && len(args) >= 4 && len(args)%2 == 0:
			made, err = edit(args, 1)
		case words[0] == "replace" && len(args) >= 4 && len(args)%2 == 0:
			made, err = edit(args, -1)
		case maker != nil:
			made, err = maker(args)
		default:
			continue // a remark
		}
		if err == nil {
			err = write(args[0], made)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return out.Bytes()
}

// edit is the file args[1] with the replacements of all other arguments, of which each is made n times at most.
func edit(args []string, n int) ([]byte, error) {
	data, err := os.ReadFile(args[1])
	for ; err == nil && len(args) > 2; args = args[2:] {
		if !bytes.Contains(data, []byte(args[2])) {
			return nil, fmt.Errorf("%q does not occur", args[2])
		}
		data = bytes.Replace(data, []byte(args[2]), []byte(args[3]), n)
	}
	return data, err
}

// command runs a command line and prints what it prints.
func command(t *testing.T, out *bytes.Buffer, args []string, run Program) {
	t.Helper()
	only := ""
	if n := len(args); n > 2 && args[n-2] == "|" {
		only, args = args[n-1], args[:n-2]
	}
	var stdin []byte
	if n := len(args); n > 2 && args[n-2] == "<" {
		data, err := os.ReadFile(args[n-1])
		if err != nil {
			t.Fatal(err)
		}
		stdin, args = data, args[:n-2]
	}
	stdout, stderr, status := run(t, args, stdin)
	for i, text := range []string{stdout, stderr} {
		for line := range strings.Lines(text) {
			if i == 0 && !strings.Contains(line, only) {
				continue
			}
			fmt.Fprintf(out, "\t%s%s\n", []string{"", "2> "}[i], strings.TrimSuffix(line, "\n"))
		}
	}
	if status != 0 {
		fmt.Fprintf(out, "\t? %d\n", status)
	}
}

// fields are the words of a line, of which those in quotes are Go's.
func fields(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " ") {
		word, rest, _ := strings.Cut(line, " ")
		if line[0] == '"' || line[0] == '`' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, err
			}
			rest = line[len(quoted):]
			if word, err = strconv.Unquote(quoted); err != nil {
				return nil, err
			}
		}
		words, line = append(words, word), rest
	}
	return words, nil
}
