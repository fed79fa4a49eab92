package ptx

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// formats has the formats of files that are not PTX text, by their first bytes.
var formats = []struct{ magic, name string }{
	{"\xff\xfe", "UTF-16 text; convert it to UTF-8"},
	{"\xfe\xff", "UTF-16 text; convert it to UTF-8"},
	{"\x7fELF", "an ELF object such as a cubin, not PTX"},
	{"MZ\x90\x00", "a Windows program or library, not PTX"},
	{"!<arch>\n", "an archive of objects, not PTX"},
	{"\x50\xed\x55\xba", "a fatbin, not PTX; it may hold some"},
	{"BC\xc0\xde", "LLVM bitcode, not PTX; llc makes PTX of it"},
	{"\xde\xc0\x17\x0b", "LLVM bitcode, not PTX; llc makes PTX of it"},
	{"PK\x03\x04", "a ZIP archive, not PTX"},
	{"\x1f\x8b", "compressed by gzip; unpack it"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd; unpack it"},
	{"\xfd7zXZ\x00", "compressed by xz; unpack it"},
	{"\x89PNG", "a picture, not PTX"},
	{"%PDF-", "a PDF document, not PTX"},
}

// otherFormat returns a message with the format of src if it is clearly no text; "" otherwise.
func otherFormat(src string) string {
	for _, f := range formats {
		if strings.HasPrefix(src, f.magic) {
			return "the file is " + f.name
		}
	}
	head := src[:min(len(src), 512)]
	if strings.Contains(head, "v\x00e\x00r\x00s\x00i\x00o\x00n") {
		return "the file is UTF-16 text; convert it to UTF-8"
	}
	if !strings.Contains(head, ".version") {
		control := 0
		for _, c := range []byte(head) {
			if c < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1a", rune(c)) {
				control++
			}
		}
		if control*20 > len(head) {
			return "the file is not text: it begins with control characters"
		}
	}
	return ""
}

// languages has languages other than PTX, by the words with which their first line may begin.
var languages = []struct {
	name   string
	begins []string
}{
	{"C or CUDA source; a compiler makes PTX of it", []string{"#include", "#pragma", "#define", "#if", "typedef ", "struct ", "template", "namespace ", "extern ", "__global__"}},
	{"LLVM IR; llc makes PTX of it", []string{"target ", "source_filename", "define ", "; ModuleID"}},
	{"Go source", []string{"package "}},
	{"Python source", []string{"import ", "from ", "def "}},
	{"Rust source", []string{"use "}},
	{"a script", []string{"#!"}},
	{"Markdown or a script", []string{"# "}},
	{"XML or HTML", []string{"<"}},
	{"JSON", []string{"{", "["}},
}

// foreign has words with which assembly of other processors begins.
var foreign = []string{".text", ".globl", ".intel_syntax", ".arch", ".cpu", ".syntax", ".file\t\""}

// otherText returns a message with the language of the text if it does not begin with an item of a module, and no line
// begins with one; "" otherwise. The current token is the first of the text.
func (p *parser) otherText() string {
	after := p.scanner
	after.errs = nil
	after.next()
	label := p.tok == tIdent && after.tok == tPunct && after.ch == ':'
	other := p.tok == tDot && slices.ContainsFunc(foreign, func(b string) bool { return strings.HasPrefix(p.src[p.start:], b) })
	if other && !strings.Contains(p.src, ".version") {
		return "the file is not PTX: it looks like assembly of another processor"
	}
	if p.cut || p.tok == tEOF && len(p.errs) == 0 || p.tok == tDot || label || p.dwarfLineHere() {
		return ""
	}
	first := ""
	for line := range strings.Lines(strings.TrimPrefix(p.src, bom)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			return "the file is not PTX: it looks like Markdown; give the PTX in it alone"
		}
		if strings.HasPrefix(line, ".") {
			word := line[:through(line, 1, lex.Ident)]
			if rest := strings.TrimLeft(line[len(word):], " \t"); word == ".version" {
				if rest != "" && digit(rest[0]) {
					return ""
				}
			} else if knownWord(word) && len(word) < len(line) {
				return ""
			}
		}
		if first == "" && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "/*") {
			first = line
		}
	}
	for _, l := range languages {
		if slices.ContainsFunc(l.begins, func(b string) bool { return strings.HasPrefix(first, b) }) {
			return "the file is not PTX: it looks like " + l.name
		}
	}
	return "the file is not PTX: no line begins with .version and a number, or with another directive"
}
