// Package witness runs a second interpreter of pseudo-SASS, in Python, on a program. It has
// its own reader of listings, its own memory and its own arithmetic: what both it and the simulator
// of internal/lab/sim find can hardly be an error of one of them.
package witness

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed" // the interpreter
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

//go:embed witness.py
var interpreter string

// ErrNoPython says that there is no Python to run the interpreter with.
var ErrNoPython = errors.New("witness: no python3 of 3.8 or later on PATH")

// A Case is a program, what it finds, and what it has to do.
type Case struct {
	Name     string         `json:"name"`
	Kernel   string         `json:"kernel"`          // executed
	Text     string         `json:"text"`            // the listing, as package sass prints it
	Other    string         `json:"other,omitempty"` // another listing, as nvdisasm -c prints it
	From     []string       `json:"from,omitempty"`  // the functions that are taken from it
	Last     int            `json:"last"`            // highest register
	RetAddr  int            `json:"retaddr"`
	Kept     []int          `json:"preserved"`
	Scratch  []int          `json:"scratch"`
	Results  map[string]int `json:"results"` // bytes of a function's result
	Narrow   bool           `json:"narrow"`  // pointers to functions have one word
	Pointer  int            `json:"pointer"` // bytes of an address
	Bank     [][2]any       `json:"bank"`    // offset and bytes, hexadecimal
	Seed     uint32         `json:"seed"`    // of what the arrays "in" and "cond" hold
	Classes  [][2]any       `json:"classes"` // prefixes of names of virtual registers, and their bytes
	Memory   [][3]any       `json:"memory"`  // address, bytes, and which of them have a value
	Expected []Store        `json:"-"`       // to the array "out", in order
	Left     []Store        `json:"-"`       // in Memory at the end
}

// A Store is bytes that are stored. Those without a value may be anything, and addresses are
// where either interpreter has things.
type Store struct {
	At    int64
	Bytes []sim.Byte
}

// Of returns a case without memory for what modules were lowered to. The block is what is in the
// constant bank of kernel parameters.
func Of(t *abi.Target, mods []*ptx.Module, prog *sass.Program, kernel string, stackTop uint32, base int, block []byte) *Case {
	c := &Case{Name: t.Name, Kernel: kernel, Text: prog.String(), Last: int(t.Regs.Last), RetAddr: int(t.Regs.RetAddr), Pointer: 8, Results: map[string]int{}}
	for r := range t.Regs.CalleeSaved.All() {
		if r != t.Regs.SP {
			c.Kept = append(c.Kept, int(r))
		}
	}
	for r := range t.Regs.CallerSaved.All() {
		c.Scratch = append(c.Scratch, int(r))
	}
	for _, m := range mods {
		for _, f := range resolve.Functions(m) {
			for _, r := range f.Signature().Results {
				c.Results[f.Name] = r.Size
			}
		}
	}
	top := []byte{byte(stackTop), byte(stackTop >> 8), byte(stackTop >> 16), byte(stackTop >> 24)}
	c.Bank = [][2]any{{t.Kernel.SP.Off, hex.EncodeToString(top)}, {base, hex.EncodeToString(block)}}
	return c
}

// Owns adds memory that the program may use.
func (c *Case) Owns(at uint64, content []sim.Byte) {
	var data, written []byte
	for _, b := range content {
		data, written = append(data, b.Val), append(written, byte(min(b.From.Kind, 1)))
	}
	c.Memory = append(c.Memory, [3]any{at, hex.EncodeToString(data), hex.EncodeToString(written)})
}

// An answer is the output of the interpreter for a case.
type answer struct {
	Name   string   `json:"name"`
	Error  string   `json:"error"`
	Stores []stored `json:"stores"`
	Memory []stored `json:"memory"`
	Steps  int      `json:"steps"`
}

// A stored is a place, bytes, and 255 for each of them that has a value.
type stored struct {
	at          int64
	bytes, mask []byte
}

func (s *stored) UnmarshalJSON(data []byte) error {
	var text [2]string
	if err := json.Unmarshal(data, &[]any{&s.at, &text[0], &text[1]}); err != nil {
		return err
	}
	var err error
	if s.bytes, err = hex.DecodeString(text[0]); err != nil {
		return err
	}
	s.mask, err = hex.DecodeString(text[1])
	return err
}

// Compare executes the cases, and returns for each in what the witness differs from what is
// expected, "" for nothing, and how many bytes were equal.
func Compare(cases []*Case) (differ []string, equal int, err error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, 0, ErrNoPython
	}
	if exec.Command(python, "-c", "import sys; sys.exit(sys.version_info < (3, 8))").Run() != nil {
		return nil, 0, ErrNoPython
	}
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, c := range cases {
		if err := enc.Encode(c); err != nil {
			return nil, 0, err
		}
	}
	cmd := exec.Command(python, "-c", interpreter)
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("witness: %w: %s", err, stderr.String())
	}
	lines := bufio.NewReader(&out)
	for _, c := range cases {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, 0, fmt.Errorf("witness: no answer for %s: %w", c.Name, err)
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, 0, fmt.Errorf("witness: %s: %w", line, err)
		}
		text, n := c.against(&a)
		differ, equal = append(differ, text), equal+n
	}
	return differ, equal, nil
}

func (c *Case) against(a *answer) (differ string, equal int) {
	if a.Error != "" {
		return a.Error, 0
	}
	expected := slices.Clone(c.Expected)
	slices.SortStableFunc(expected, func(x, y Store) int { return cmp.Compare(x.At, y.At) }) // as the interpreter does
	var text []string
	for _, part := range []struct {
		what string
		want []Store
		got  []stored
	}{{"out", expected, a.Stores}, {"memory", c.Left, a.Memory}} {
		if len(part.want) != len(part.got) {
			return fmt.Sprintf("%s: %d stores, expected %d", part.what, len(part.got), len(part.want)), 0
		}
		for i, want := range part.want {
			got := part.got[i]
			if want.At != got.at || len(want.Bytes) != len(got.bytes) {
				return fmt.Sprintf("%s: store %d is of %d bytes at %#x, expected %d at %#x", part.what, i, len(got.bytes), got.at, len(want.Bytes), want.At), 0
			}
			for k, b := range want.Bytes {
				switch {
				case b.From.Kind == sim.Undefined, b.From.Kind == sim.Address:
				case got.mask[k] == 0:
					text = append(text, fmt.Sprintf("%s: byte %d at %#x has no value, expected %#x", part.what, k, want.At, b.Val))
				case got.bytes[k] != b.Val:
					text = append(text, fmt.Sprintf("%s: byte %d at %#x is %#x, expected %#x", part.what, k, want.At, got.bytes[k], b.Val))
				default:
					equal++
				}
			}
		}
	}
	return strings.Join(text, "\n"), equal
}
