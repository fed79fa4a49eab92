package main

import (
	"bytes"
	encoding "encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

// TestSessions runs testdata/session. Each command that can print JSON is also run for that: the exit
// status is the same, and what it prints fits its schema. So does what -errors json makes of messages.
func TestSessions(t *testing.T) {
	schemas := make(map[string]*schema)
	for _, c := range append(commands(), command{name: "jsonl"}, command{name: "failure"}) {
		if _, err := os.Stat("../../docs/schemas/" + c.name + ".schema.json"); err == nil {
			schemas[c.name] = readSchema(t, c.name)
		}
	}
	holds := func(t *testing.T, name, text string) {
		t.Helper()
		texts := []string{text}
		if name == "check" || name == "jsonl" || name == "batch" { // an object a line
			texts = slices.Collect(strings.Lines(text))
		}
		for _, text := range texts {
			if strings.HasPrefix(text, `{"diagnostics"`) {
				name = "failure"
			}
			if text != "" {
				schemas[name].check(t, text)
			}
		}
	}
	golden.Sessions(t, "testdata/session", "../..", func(t *testing.T, args []string, stdin []byte) (string, string, int) {
		r := ptxabi(stdin, args...)
		form := formOf(args)
		if r.stderr != "" && !strings.Contains(args[0], "-errors") {
			twin := ptxabi(stdin, append([]string{"-errors", "json"}, args...)...)
			assert.Equal(t, []any{r.status, r.stdout}, []any{twin.status, twin.stdout}, "%q with -errors json", args)
			holds(t, "check", twin.stderr)
		}
		switch {
		case args[0] == "batch":
			holds(t, "batch", r.stdout)
			if strings.HasPrefix(string(stdin), "{") && !strings.Contains(r.stdout, "a request") {
				holds(t, "batch", string(stdin)) // requests, too
			}
		case form == "json":
			holds(t, args[0], r.stdout)
		case form == "jsonl":
			holds(t, "jsonl", r.stdout)
		case form == "" && !strings.HasPrefix(r.stdout, "==> ") && schemas[args[0]] != nil && !slices.ContainsFunc(args, func(a string) bool { return slices.Contains([]string{"-o", "-lines", "-dump", "-fix"}, a) }):
			twin := ptxabi(stdin, slices.Insert(slices.Clone(args), 1, "-format=json")...)
			assert.Equal(t, r.status, twin.status, "%q with -format=json", args)
			holds(t, args[0], twin.stdout)
		}
		return r.stdout, r.stderr, r.status
	}, map[string]golden.Maker{"fatbin": makeFatbin, "library": library, "half": func(args []string) ([]byte, error) {
		data, err := os.ReadFile(args[1])
		return data[:len(data)/2], err
	}})
}

// makeFatbin makes a container of entries [N*]KIND:ARCH[:FLAGS:PACKED]:FILE, where kind 1 is PTX, 2 a cubin and 8 NVVM, and
// packed is how many bytes the header gives as compressed. After "+" another container begins.
func makeFatbin(args []string) (all []byte, err error) {
	le := encoding.LittleEndian
	var body []byte
	end := func() {
		all = le.AppendUint64(le.AppendUint16(le.AppendUint16(le.AppendUint32(all, 0xba55ed50), 1), 16), uint64(len(body)))
		all, body = append(all, body...), nil
	}
	for _, arg := range args[1:] {
		if arg == "+" {
			end()
			continue
		}
		times := 1
		if n, rest, ok := strings.Cut(arg, "*"); ok {
			if times, err = strconv.Atoi(n); err != nil {
				return nil, err
			}
			arg = rest
		}
		parts := strings.Split(arg, ":")
		numbers := []uint64{0, 0, 1, 0}
		for i, text := range parts[:len(parts)-1] {
			if numbers[i], err = strconv.ParseUint(text, 0, 64); err != nil {
				return nil, err
			}
		}
		data, err := os.ReadFile(parts[len(parts)-1])
		if err != nil {
			return nil, err
		}
		data = append(data, make([]byte, -len(data)&7)...)
		head := make([]byte, 64)
		le.PutUint16(head, uint16(numbers[0]))
		le.PutUint16(head[2:], 0x0101)
		le.PutUint32(head[4:], 64)
		le.PutUint64(head[8:], uint64(len(data)))
		le.PutUint32(head[16:], uint32(numbers[3]))
		le.PutUint16(head[24:], 1)
		le.PutUint16(head[26:], 8)
		le.PutUint32(head[28:], uint32(numbers[1]))
		le.PutUint64(head[40:], numbers[2])
		le.PutUint64(head[56:], uint64(len(data)))
		body = append(body, bytes.Repeat(append(head, data...), times)...)
	}
	end()
	return all, nil
}

// library makes a library of cubins, whose members have the first four letters of their names.
func library(args []string) ([]byte, error) {
	all := []byte("!<arch>\n")
	for _, file := range args[1:] {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = fmt.Appendf(all, "%-16s%-12d%-6d%-6d%-8d%-10d`\n%s", filepath.Base(file)[:4]+".o/", 0, 0, 0, 644, len(data), data)
		if len(data)%2 == 1 {
			all = append(all, '\n')
		}
	}
	return all, nil
}
