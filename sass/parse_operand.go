package sass

import (
	"strconv"
	"strings"
)

// parseOperand reads one operand, which has no blanks outside of brackets. Unless
// machine is set, a name may be a virtual register, or if pred is set, a
// predicate.
func parseOperand(s string, machine, pred bool) Operand {
	if o, ok := bareRegister(s); ok {
		return o
	}
	if s[0] == '[' {
		if o, ok := address("", s, machine); ok {
			return o
		}
	}
	if o, ok := number(s, machine); ok {
		return o
	}
	o, ok := signed(s, machine, pred)
	if !ok {
		return Operand{Kind: KindOther, Name: s}
	}
	return o
}

// bareRegister reads R4, UR4 and R4.reuse.
func bareRegister(s string) (o Operand, ok bool) {
	switch {
	case s[0] == 'R':
		o.Kind = KindRegister
	case s[0] == 'U' && len(s) > 1 && s[1] == 'R':
		o.Kind = KindUniform
		s = s[1:]
	default:
		return o, false
	}
	s, o.Reuse = strings.CutSuffix(s, ".reuse")
	o.Reg, ok = registerNumber(s, "R")
	return o, ok
}

// number reads an immediate: hexadecimal, or decimal in machine code.
func number(s string, machine bool) (Operand, bool) {
	digits := strings.TrimPrefix(s, "-")
	if hex, ok := strings.CutPrefix(digits, "0x"); ok {
		v, err := strconv.ParseUint(hex, 16, 64)
		if s != digits {
			v = -v
		}
		return Imm(int64(v)), err == nil
	}
	if !machine {
		return Operand{}, false
	}
	if s[0] == '+' || s[0] == '-' {
		switch strings.TrimLeft(s, "+-") {
		case "INF", "QNAN", "SNAN", "NAN":
			return Operand{Kind: KindFloat, Name: s}, true
		}
	}
	if digits == "" || digits[0] < '0' || digits[0] > '9' || strings.ContainsAny(digits, "xXpP_") {
		return Operand{}, false
	}
	_, err := strconv.ParseFloat(digits, 64)
	return Operand{Kind: KindFloat, Name: s}, err == nil
}

// signed reads an operand with its signs: - ! ~ before it, | around it.
func signed(s string, machine, pred bool) (Operand, bool) {
	var neg, abs, not, reuse bool
	for ; s != ""; s = s[1:] {
		if (s[0] == '-' || s[0] == '!') && !neg {
			pred = pred || s[0] == '!'
			neg = true
		} else if s[0] == '~' && !not {
			not = true
		} else {
			break
		}
	}
	if len(s) > 2 && s[0] == '|' {
		end := strings.LastIndexByte(s, '|')
		if end == 0 {
			return Operand{}, false
		}
		abs = true
		s = s[1:end] + s[end+1:]
	}
	if head, ok := strings.CutSuffix(s, ".reuse"); ok && head != "" {
		reuse, s = true, head
	} else if strings.IndexByte(s, '.') > 0 {
		if i := strings.LastIndex(s, ".reuse"); i > 0 && !strings.Contains(s[i:], "]") {
			reuse, s = true, s[:i]+s[i+len(".reuse"):]
		}
	}
	o, ok := plain(s, machine, pred)
	if !ok || neg && pred != (o.Kind == KindPred) {
		return Operand{}, false
	}
	o.Neg, o.Abs, o.Not, o.Reuse = neg, abs, not, reuse
	return o, true
}

// plain reads an operand without signs.
func plain(s string, machine, pred bool) (Operand, bool) {
	if name, ok := enclosed(s, "`("); ok {
		return Symbol(name), true
	}
	if name, ok := enclosed(s, "32@lo("); ok {
		return relative(KindLo32, name), true
	}
	if name, ok := enclosed(s, "32@hi("); ok {
		return relative(KindHi32, name), true
	}
	if strings.HasPrefix(s, "c[") {
		return constant(s, machine)
	}
	if i := strings.LastIndexByte(s, '['); i == 0 || i > 0 && strings.HasPrefix(s, "desc[") && s[i-1] == ']' {
		return address(s[:i], s[i:], machine)
	}
	name, suffix, dotted := strings.Cut(s, ".")
	if dotted && suffix == "" {
		return Operand{}, false
	}
	if n, ok := registerNumber(name, "R"); ok {
		return Operand{Kind: KindRegister, Reg: n, Suffix: suffix}, true
	}
	if n, ok := registerNumber(name, "UR"); ok {
		return Operand{Kind: KindUniform, Reg: n, Suffix: suffix}, true
	}
	if isPredicateName(s) {
		return Pred(s), true
	}
	if machine && !strings.HasPrefix(s, "%") {
		return Operand{Kind: KindOther, Name: s}, s != ""
	}
	if _, ok := registerNumber(s, "B"); ok { // a barrier: package lower renames registers of PTX with such names
		return Operand{Kind: KindOther, Name: s}, true
	}
	name, part, ok := virtual(s)
	if ok && pred {
		return Pred(s), true
	}
	return Virtual(name, part), ok
}

// enclosed returns the text between a prefix and the parenthesis at the end.
func enclosed(s, prefix string) (string, bool) {
	s, ok := strings.CutPrefix(s, prefix)
	s, ok2 := strings.CutSuffix(s, ")")
	return s, ok && ok2 && s != ""
}

// relative reads the text inside of 32@lo( ) and 32@hi( ).
func relative(kind OperandKind, s string) Operand {
	if inner, ok := enclosed(s, "("); ok {
		fn, label, ok := strings.Cut(inner, " + ")
		if label, ok2 := strings.CutSuffix(label, "@srel"); ok && ok2 && fn != "" && label != "" {
			return Operand{Kind: kind, Name: fn, Label: label}
		}
	}
	return Operand{Kind: kind, Name: s}
}

// constant reads c[0x0][0x160], c[0x0][R2+0x160] and c[0x0][UR4], with a suffix
// or without.
func constant(s string, machine bool) (Operand, bool) {
	digits, rest, ok := strings.Cut(strings.TrimPrefix(s, "c["), "]")
	bank, err := strconv.ParseUint(strings.TrimPrefix(digits, "0x"), 16, 8)
	end := strings.LastIndexByte(rest, ']') + 1
	if !ok || err != nil || !strings.HasPrefix(digits, "0x") || end == 0 {
		return Operand{}, false
	}
	suffix := rest[end:]
	o, ok := address("", rest[:end], machine)
	switch {
	case !ok || suffix != "" && (suffix[0] != '.' || len(suffix) == 1):
		return Operand{}, false
	case o.Kind == KindAddress && (o.Reg != RZ || o.Suffix != ""):
		return Operand{}, false
	case o.Kind == KindAddress:
		o = Operand{Kind: KindConstUni, Uni: o.Uni, Off: o.Off}
	case o.Name != "":
		o.Kind = KindConst
	case o.Reg != RZ:
		o.Kind = KindConstReg
	default:
		o.Kind, o.Reg = KindConst, 0
	}
	o.Bank = uint8(bank)
	o.Suffix = strings.TrimPrefix(suffix, ".")
	return o, true
}

// address reads [R2.64+UR4+0x10] or parts of that. The operand is a KindMem if it has no uniform register, suffix
// or label, otherwise a KindAddress.
func address(label, s string, machine bool) (Operand, bool) {
	inner, ok := strings.CutPrefix(s, "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	if !ok || !ok2 || inner == "" {
		return Operand{}, false
	}
	o := Operand{Kind: KindMem, Reg: RZ}
	uni := RZ
	if strings.IndexByte(inner, '-') > 0 {
		inner = strings.ReplaceAll(inner, "+-", "-")
	}
	for terms := 0; inner != ""; terms++ {
		end := 1
		for end < len(inner) && inner[end] != '+' && inner[end] != '-' {
			end++
		}
		term := inner[:end]
		inner = inner[end:]
		if terms > 0 || strings.HasPrefix(term, "-") {
			if bare, ok := strings.CutPrefix(term, "+"); ok {
				term = bare
			} else if !strings.HasPrefix(term, "-0x") {
				return Operand{}, false
			}
		}
		name, suffix, _ := strings.Cut(strings.TrimSuffix(term, ".reuse"), ".")
		imm, isNumber := number(term, false)
		n, isReg := registerNumber(name, "R")
		u, isUni := registerNumber(name, "UR")
		virt, part, isVirtual := "", Whole, false
		if terms == 0 && (!machine || strings.HasPrefix(name, "%")) {
			virt, part, isVirtual = virtual(term)
		}
		switch {
		case isNumber:
			o.Off += imm.Off
		case isReg && o.Reg == RZ && o.Name == "" && o.Suffix == "":
			o.Reg, o.Suffix = n, suffix
		case isUni && uni == RZ && suffix == "" && o.Name == "":
			uni = u
		case isVirtual:
			o.Name, o.Part, o.Reg = virt, part, 0
		default:
			return Operand{}, false
		}
	}
	if label != "" || o.Suffix != "" || uni != RZ {
		if o.Name != "" || o.Suffix != "" && o.Reg == RZ {
			return Operand{}, false
		}
		o.Kind, o.Label = KindAddress, label
		if uni != RZ {
			o.Uni, o.HasUni = uni, true
		}
	}
	return o, true
}

// registerNumber reads R4, or RZ, for the prefix R.
func registerNumber(s, prefix string) (Reg, bool) {
	digits, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return 0, false
	}
	if digits == "Z" {
		return RZ, true
	}
	n := 0
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' || i == 3 {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	if digits == "" || n >= int(RZ) || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	return Reg(n), true
}

// isPredicateName reports whether s is P0, PT or one of the uniform ones.
func isPredicateName(s string) bool {
	s = strings.TrimPrefix(s, "U")
	return len(s) == 2 && s[0] == 'P' && (s[1] == 'T' || s[1] >= '0' && s[1] <= '9')
}

// virtual splits a text that may be a virtual register into its name and a part. The
// name may be that of an element or of a word of a variable: %v1.x, a.12.
func virtual(s string) (name string, part Part, ok bool) {
	name = s
	for p, suffix := range partSuffix {
		if head, ok := strings.CutSuffix(s, suffix); ok && Part(p) != Whole {
			name, part = head, Part(p)
		}
	}
	for i, piece := range strings.Split(name, ".") {
		if i == 0 && !isName(piece) || i > 0 && !isName("_"+piece) {
			return "", Whole, false
		}
	}
	return name, part, true
}

// isName reports whether s may be a name in PTX.
func isName(s string) bool {
	if s == "" || s == "%" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c != '_' && c != '$' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && (c != '%' || i > 0) {
			return false
		}
	}
	return true
}
