package producers

import (
	"regexp"
	"strconv"
	"strings"
)

// A head is what stands before the fields of a record.
type recordHead struct {
	kind             string // "struct" or "union"
	attribute, align string // "aligned" and its number, or "packed"
}

// A recordField is a field of a case's record.
type recordField struct {
	name, typ string // of C; "int *" for all pointers
	count     int    // elements of an array; 0 for none
}

var (
	recordPattern = regexp.MustCompile(`^(struct|union) (?:__attribute__\(\((\w+)(?:\((\d+)\))?\)\) )?(\w+) \{ (.*)\};$`)
	fieldPattern  = regexp.MustCompile(`^((?:struct |unsigned |signed |long )?\w+) (.*)$`)
	namePattern   = regexp.MustCompile(`^(\*?)(\w+)(?:\[(\d+)\])?$`)
)

// fields takes the declaration of a case's record apart; ok is false for what is none, and
// for bit-fields.
func fields(c Case) (head recordHead, list []recordField, ok bool) {
	m := recordPattern.FindStringSubmatch(c.Decl)
	if m == nil || c.CXX || strings.Contains(m[5], ":") {
		return head, nil, false
	}
	for _, f := range strings.Split(strings.TrimSuffix(strings.TrimSpace(m[5]), ";"), "; ") {
		if f == "" {
			continue
		}
		parts := fieldPattern.FindStringSubmatch(f)
		if parts == nil {
			return head, nil, false
		}
		for _, n := range strings.Split(parts[2], ", ") {
			name := namePattern.FindStringSubmatch(n)
			if name == nil {
				return head, nil, false
			}
			one := recordField{name: name[2], typ: parts[1]}
			if name[1] == "*" {
				one.typ += " *"
			}
			one.count, _ = strconv.Atoi(name[3])
			list = append(list, one)
		}
	}
	return recordHead{m[1], m[2], m[3]}, list, true
}
