package oracle

import (
	"fmt"
	"strconv"
	"strings"
)

// A listing is the code of one section of nvdisasm's output: one function or
// kernel.
type listing struct {
	name   string
	instrs []instr
	labels map[string]int // index of the instruction that follows a label
}

// An instr is one instruction as nvdisasm writes it.
type instr struct {
	addr  int64
	guard string   // "@P0", "@!PT"; "" for none
	op    string   // "IMAD"
	mods  []string // "MOV", "U32"
	args  []operand
	text  string // without address
	// second says that the instruction is issued together with the one before.
	second bool
}

// has reports whether the operation code has a modifier.
func (in *instr) has(mod string) bool {
	for _, m := range in.mods {
		if m == mod {
			return true
		}
	}
	return false
}

// parseListing reads the output of nvdisasm -c. It returns the sections in
// their order.
func parseListing(text string) ([]*listing, error) {
	var all []*listing
	var cur *listing
	pair := false
	for num, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, ".text.") && strings.HasSuffix(line, ":"):
			cur = &listing{name: strings.TrimSuffix(strings.TrimPrefix(line, ".text."), ":"), labels: make(map[string]int)}
			all = append(all, cur)
			pair = false
		case cur != nil && strings.HasSuffix(line, ":") && line == trimmed:
			cur.labels[strings.TrimSuffix(line, ":")] = len(cur.instrs)
		case strings.HasPrefix(trimmed, ".section"):
			cur = nil
		case cur != nil && strings.HasPrefix(trimmed, "/*"):
			in, opens, closes, err := parseLine(trimmed)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w: %s", num+1, err, trimmed)
			}
			in.second = pair
			pair = (pair || opens) && !closes
			cur.instrs = append(cur.instrs, in)
		}
	}
	return all, nil
}

// parseLine reads a line such as
//
//	/*0018*/  {  @!P0 IMAD.MOV.U32 R2, RZ, RZ, R4.reuse ;
//
// and reports whether it opens or closes a pair of instructions issued together.
func parseLine(line string) (in instr, opens, closes bool, err error) {
	addr, rest, ok := strings.Cut(strings.TrimPrefix(line, "/*"), "*/")
	if in.addr, err = strconv.ParseInt(addr, 16, 64); !ok || err != nil {
		return in, false, false, fmt.Errorf("no address")
	}
	if i := strings.Index(rest, "(*"); i >= 0 {
		rest = rest[:i] // what a relocation makes of the instruction
	}
	rest = strings.TrimSpace(rest)
	rest, opens = strings.CutPrefix(rest, "{")
	rest, closes = strings.CutSuffix(rest, "}")
	rest = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), ";"))
	in.text = rest
	if strings.HasPrefix(rest, "@") {
		in.guard, rest, _ = strings.Cut(rest, " ")
		rest = strings.TrimSpace(rest)
	}
	op, rest, _ := strings.Cut(rest, " ")
	if op == "" {
		return in, opens, closes, fmt.Errorf("no instruction")
	}
	mods := strings.Split(op, ".")
	in.op, in.mods = mods[0], mods[1:]
	for _, field := range splitOperands(rest) {
		o, err := parseOperand(field)
		if err != nil {
			return in, opens, closes, err
		}
		in.args = append(in.args, o)
	}
	return in, opens, closes, nil
}

// splitOperands cuts at commas and blanks outside brackets.
func splitOperands(text string) []string {
	var fields []string
	depth, start := 0, 0
	cut := func(end int) {
		if field := strings.TrimSpace(text[start:end]); field != "" {
			fields = append(fields, field)
		}
		start = end + 1
	}
	for i := range len(text) {
		switch text[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',', ' ':
			if depth == 0 {
				cut(i)
			}
		}
	}
	cut(len(text))
	return fields
}
