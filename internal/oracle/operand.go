package oracle

import (
	"fmt"
	"strconv"
	"strings"
)

// operandKind tells which fields of an operand have a meaning.
type operandKind uint8

const (
	noOperand    operandKind = iota
	regOperand               // R4: reg
	uregOperand              // UR4: reg
	predOperand              // P0, UP0
	immOperand               // 0x8: val
	numOperand               // a number with a fraction or an exponent: text
	cbankOperand             // c[bank][val], c[bank][base+val]
	memOperand               // [base+ubase+val], with a descriptor or without
	symOperand               // `(text), 32@lo(text), 32@hi(text)
	otherOperand             // special registers, barriers, scoreboards: text
)

// zeroReg is the number under which RZ and URZ are kept.
const zeroReg = 255

// An operand is one operand as nvdisasm writes it.
type operand struct {
	kind operandKind
	reg  int
	// neg, abs and not are the signs -, | | and ~ or !.
	neg, abs, not bool
	// part is what follows a register after a dot: "64", "H1", "B2"; "" mostly.
	part string
	bank int
	val  int64
	// base and ubase are the registers of an address, -1 for none. wide says
	// that base is a pair.
	base, ubase int
	wide        bool
	text        string
}

// parseOperand reads one operand.
func parseOperand(field string) (operand, error) {
	o := operand{base: -1, ubase: -1, text: field}
	s := field
	for s != "" {
		if s[0] == '-' && len(s) > 1 && (s[1] < '0' || s[1] > '9') && !strings.HasPrefix(s, "-INF") && !strings.HasPrefix(s, "-QNAN") {
			o.neg = !o.neg
		} else if s[0] == '~' || s[0] == '!' {
			o.not = true
		} else {
			break
		}
		s = s[1:]
	}
	if len(s) > 2 && s[0] == '|' {
		end := strings.LastIndexByte(s, '|')
		o.abs = true
		s = s[1:end] + s[end+1:]
	}
	s = strings.TrimSuffix(s, ".reuse")

	switch {
	case s == "":
		return o, fmt.Errorf("operand %q", field)
	case s[0] == '`' || strings.HasPrefix(s, "32@"):
		o.kind = symOperand
		return o, nil
	case strings.HasPrefix(s, "c["):
		o.kind = cbankOperand
		return o, o.parseConst(s)
	case s[0] == '[' || strings.HasPrefix(s, "desc["):
		o.kind = memOperand
		return o, o.parseAddress(s[strings.LastIndexByte(s, '['):])
	}
	name, part, _ := strings.Cut(s, ".")
	if kind, n, ok := register(name); ok {
		o.kind, o.reg, o.part = kind, n, part
		return o, nil
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		o.kind, o.val = immOperand, n
		return o, nil
	}
	if n, err := strconv.ParseUint(s, 0, 64); err == nil {
		o.kind, o.val = immOperand, int64(n)
		return o, nil
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		o.kind = numOperand
		return o, nil
	}
	o.kind = otherOperand
	return o, nil
}

// register reads the name of a register without suffix.
func register(name string) (operandKind, int, bool) {
	for _, file := range []struct {
		prefix, zero string
		kind         operandKind
	}{
		{"R", "RZ", regOperand},
		{"UR", "URZ", uregOperand},
		{"P", "PT", predOperand},
		{"UP", "UPT", predOperand},
	} {
		if name == file.zero {
			return file.kind, zeroReg, true
		}
		if digits, ok := strings.CutPrefix(name, file.prefix); ok {
			if n, err := strconv.ParseUint(digits, 10, 8); err == nil {
				return file.kind, int(n), true
			}
		}
	}
	return noOperand, 0, false
}

// parseConst reads c[0x0][0x160] and c[0x0][R2+0x160].
func (o *operand) parseConst(s string) error {
	bank, rest, ok := strings.Cut(strings.TrimPrefix(s, "c["), "]")
	n, err := strconv.ParseInt(bank, 0, 32)
	if !ok || err != nil {
		return fmt.Errorf("constant bank of %q", s)
	}
	o.bank = int(n)
	if end := strings.IndexByte(rest, ']'); end >= 0 && end != len(rest)-1 {
		o.part = strings.TrimPrefix(rest[end+1:], ".")
		rest = rest[:end+1]
	}
	if err := o.parseAddress(rest); err != nil {
		return err
	}
	if o.val < 0 && o.base < 0 && o.ubase < 0 {
		o.val += 1 << 16 // offsets of 16 bits, which nvdisasm writes with a sign
	}
	return nil
}

// parseAddress reads [R2.64+UR4+0x10] and what is less.
func (o *operand) parseAddress(s string) error {
	inner, ok := strings.CutPrefix(s, "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	if !ok || !ok2 {
		return fmt.Errorf("address %q", s)
	}
	inner = strings.ReplaceAll(inner, "+-", "-")
	for inner != "" {
		end := strings.IndexAny(inner[1:], "+-") + 1
		if end == 0 {
			end = len(inner)
		}
		term := strings.TrimPrefix(inner[:end], "+")
		inner = inner[end:]
		name, part, _ := strings.Cut(strings.TrimSuffix(term, ".reuse"), ".")
		kind, n, ok := register(name)
		val, err := strconv.ParseInt(term, 0, 64)
		switch {
		case ok && kind == regOperand && o.base < 0 && (part == "" || part == "64"):
			o.base, o.wide = n, part == "64"
		case ok && kind == uregOperand && o.ubase < 0 && part == "":
			o.ubase = n
		case err == nil:
			o.val += val
		default:
			return fmt.Errorf("address %q", s)
		}
	}
	return nil
}
