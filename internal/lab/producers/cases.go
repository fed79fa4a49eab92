package producers

import (
	_ "embed"
	"slices"
	"strings"
)

// A Case is a type that is passed.
type Case struct {
	Name string // a C identifier
	Decl string // its declaration; "" for a type of the language
	Type string // as it is written in a parameter list
	CXX  bool   // C does not have it
	Only string // the one language that has it; "" for all
}

//go:embed cases.txt
var caseTable string

// Cases are all types that compilers translate: those of cases.txt.
func Cases() []Case {
	var all []Case
	for line := range strings.Lines(caseTable) {
		f := append(strings.Split(strings.TrimSuffix(line, "\n"), " | "), "")
		if len(f) < 4 { // a comment
			continue
		}
		c := Case{Name: f[0], Only: f[1], Type: f[2], Decl: f[3], CXX: f[1] == "c++" || f[1] == "headers"}
		if c.Only == "all" || c.Only == "c++" {
			c.Only = ""
		}
		all = append(all, c)
	}
	return all
}

var (
	//go:embed case.txt
	caseSource string
	//go:embed variadic.txt
	variadicSource string
)

// source is C, or C++ with kernels.
func source(cases []Case, kernels bool) string {
	var b strings.Builder
	b.WriteString(Declared(cases...))
	for _, c := range cases {
		r := strings.NewReplacer("$T", c.Type, "$", c.Name)
		if c.Name == "variadic" {
			r.WriteString(&b, variadicSource)
			continue
		}
		r.WriteString(&b, caseSource)
		if kernels {
			r.WriteString(&b, "X G void k_$_Z($T *p, $T x) { *p = x; }\n")
		}
	}
	return b.String()
}

// needed reports whether the type of a name is in others.
func needed(name string, cases []Case) bool {
	return slices.ContainsFunc(cases, func(c Case) bool {
		return strings.Contains(c.Decl, "struct "+name+" ") || strings.Contains(c.Decl, "("+name+"::") || strings.Contains(c.Decl, " "+name+"::")
	})
}

// spell replaces the words of source by their spellings in a language.
func spell(src string, words map[string]string) string {
	return wordPattern.ReplaceAllStringFunc(src, func(w string) string {
		if s, ok := words[w]; ok {
			return s
		}
		return w
	})
}

// Declared is the source that declares the types of cases, and those that they are made of.
func Declared(cases ...Case) string {
	var b strings.Builder
	b.WriteString("# 1 \"k.cu\"\n")
	for _, inner := range Cases() {
		among := slices.ContainsFunc(cases, func(c Case) bool { return c.Name == inner.Name })
		if !among && needed(inner.Name, cases) {
			b.WriteString(inner.Decl + "\n")
		}
	}
	for _, c := range cases {
		if c.Decl != "" {
			b.WriteString(c.Decl + "\n")
		}
	}
	return b.String()
}
