package main

import "fmt"

// scalars are the types of numbers, the frequent ones more than once.
var scalars = []string{
	"int", "int", "int", "float", "float", "double", "char", "unsigned char", "short", "unsigned short",
	"unsigned", "long long", "unsigned long long",
}

// record is a struct or union type of the module.
type record struct {
	name string
	// leaves are the paths of its numbers, each with the dot before it.
	leaves []string
	// lists are the paths of its arrays of four numbers or more, with their lengths.
	lists []list
}

// list is an array of numbers within a record.
type list struct {
	path string
	len  int
}

// record writes one record type. Nested records are earlier ones, so that sizes stay finite.
func (g *generator) record() {
	r := &record{name: fmt.Sprintf("R%d", len(g.records))}
	keyword := "struct"
	if g.chance(8) {
		keyword = "union"
	}
	g.printf("typedef %s%s {\n", keyword, g.attribute())
	for i := range 1 + g.rand.IntN(6) {
		g.member(r, fmt.Sprintf("m%d", i))
	}
	g.printf("} %s;\n", r.name)
	g.records = append(g.records, r)
}

// attribute returns what may stand after the keyword: rarely packed, rarely a higher alignment.
func (g *generator) attribute() string {
	switch {
	case g.chance(12):
		return " __attribute__((packed))"
	case g.chance(10):
		return fmt.Sprintf(" __attribute__((aligned(%d)))", 8<<g.rand.IntN(3))
	}
	return ""
}

// member writes one member of r: a record, an array or a number.
func (g *generator) member(r *record, name string) {
	var inner *record
	if len(g.records) > 0 {
		inner = pick(g, g.records)
	}
	switch {
	case inner != nil && len(inner.leaves) <= 16 && g.chance(5):
		g.printf("  %s %s;\n", inner.name, name)
		for _, leaf := range inner.leaves {
			r.leaves = append(r.leaves, "."+name+leaf)
		}
		for _, l := range inner.lists {
			r.lists = append(r.lists, list{"." + name + l.path, l.len})
		}
	case g.chance(4):
		n := 2 + g.rand.IntN(8)
		g.printf("  %s %s[%d];\n", pick(g, scalars), name, n)
		for i := range n {
			r.leaves = append(r.leaves, fmt.Sprintf(".%s[%d]", name, i))
		}
		if n >= 4 {
			r.lists = append(r.lists, list{"." + name, n})
		}
	default:
		g.printf("  %s %s;\n", pick(g, scalars), name)
		r.leaves = append(r.leaves, "."+name)
	}
}

// value is a typed name: a parameter, a local variable or, without a name, a result.
type value struct {
	name string
	// typ is the type's spelling.
	typ string
	// record is nil for numbers and pointers.
	record *record
	// pointer says that the value points to record, or to int where that is nil.
	pointer bool
}

// randomValue returns a value of any type that may be passed.
func (g *generator) randomValue(name string) value {
	switch n := g.rand.IntN(10); {
	case n < 4:
		r := pick(g, g.records)
		return value{name: name, typ: r.name, record: r}
	case n == 4:
		r := pick(g, g.records)
		return value{name: name, typ: r.name + " *", record: r, pointer: true}
	case n == 5:
		return value{name: name, typ: "int *", pointer: true}
	}
	return value{name: name, typ: pick(g, scalars)}
}

// leaf returns an lvalue of a number in v.
func (g *generator) leaf(v value) string {
	switch {
	case v.pointer && v.record == nil:
		return "*" + v.name
	case v.pointer:
		return "(*" + v.name + ")" + pick(g, v.record.leaves)
	case v.record != nil && len(v.record.lists) > 0 && g.chance(6):
		l := pick(g, v.record.lists)
		return fmt.Sprintf("%s%s[(unsigned)i %% %du]", v.name, l.path, l.len)
	case v.record != nil:
		return v.name + pick(g, v.record.leaves)
	}
	return v.name
}
