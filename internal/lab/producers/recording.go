package producers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Recording has the declarations that a compiler was seen to write.
type Recording struct {
	Name, Version string
	Head          []string // lines that say what made it
	Levels        []string
	// Seen has, by case, role and level, what was declared, as a Head prints.
	Seen map[Key]string
	// Refused has, by case and level, what the compiler says.
	Refused map[Key]string
}

// A Key is one question. Of Refused it has no role.
type Key struct {
	Case  string
	Role  string // "argument define"
	Level string
}

// Measure records a compiler for all cases of its language.
func Measure(ctx context.Context, c *Compiler) (*Recording, error) {
	r := &Recording{Name: c.Name, Version: c.Version, Levels: slices.Clone(c.Levels), Seen: map[Key]string{}, Refused: map[Key]string{}}
	r.Head = []string{
		fmt.Sprintf("# Producer %s %s, recorded by internal/lab/producers/measure.", c.Name, c.Version),
		"# Command: " + c.Shown(),
		"# Levels: " + strings.Join(c.Levels, ", "),
		"# Lines: case | roles | levels | (results) (parameters); or case | refused | levels | what it said.",
	}
	cases := slices.DeleteFunc(Cases(), func(one Case) bool { return !c.has(one) })
	for _, level := range c.Levels {
		if err := r.measure(ctx, c, cases, level); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// measure compiles cases together, and halves of them where the compiler refuses them.
func (r *Recording) measure(ctx context.Context, c *Compiler, cases []Case, level string) error {
	text, err := c.Compile(ctx, c.source(cases), level)
	if errors.Is(err, ErrRefused) {
		if len(cases) > 1 {
			half := len(cases) / 2
			if err := r.measure(ctx, c, cases[:half], level); err != nil {
				return err
			}
			return r.measure(ctx, c, cases[half:], level)
		}
		_, message, _ := strings.Cut(err.Error(), ": ")
		r.Refused[Key{Case: cases[0].Name, Level: level}] = message
		return nil
	}
	if err != nil {
		return err
	}
	h, err := ReadHeads(text)
	if err != nil {
		return fmt.Errorf("what %s %s writes: %w", c.Name, c.Version, err)
	}
	for _, one := range cases {
		for role, head := range h.roles(one) {
			r.Seen[Key{one.Name, role, level}] = head.String()
		}
	}
	return nil
}

// Roles are what a signature is read for, in the order of recordings. A caller declares what it calls, and what it passes; the
// two were the same wherever both were seen, but each is recorded. Of kernels there is the head, and that of the one
// that Warp writes for the derivatives.
var Roles = []string{
	"argument define",        // the head of a function with external linkage
	"argument declare",       // its declaration in a caller
	"argument call",          // what a caller declares around the call
	"argument internal",      // the head of a function that only its module sees
	"argument internal call", // what is declared around a call of one
	"result define", "result declare", "result call", "result internal", "result internal call",
	"kernel argument", "adjoint kernel",
}

// String is the text of a file.
func (r *Recording) String() string {
	var b strings.Builder
	b.WriteString(strings.Join(r.Head, "\n") + "\n")
	for _, c := range Cases() {
		// Roles that say the same at the same levels are one line.
		var lines [][2]string
		roles := map[[2]string][]string{}
		for _, role := range Roles {
			for _, head := range r.heads(c.Name, role) {
				kind, _, _ := strings.Cut(role, " ")
				key := [2]string{kind, head}
				if roles[key] == nil {
					lines = append(lines, key)
				}
				roles[key] = append(roles[key], role)
			}
		}
		for _, line := range lines {
			fmt.Fprintf(&b, "%s | %s | %s\n", c.Name, short(roles[line]), line[1])
		}
		refusals := map[string][]string{}
		for _, level := range r.Levels {
			if text, ok := r.Refused[Key{Case: c.Name, Level: level}]; ok {
				refusals[text] = append(refusals[text], level)
			}
		}
		for _, text := range slices.Sorted(maps.Keys(refusals)) {
			fmt.Fprintf(&b, "%s | refused | %s | %s\n", c.Name, strings.Join(refusals[text], ", "), text)
		}
	}
	return b.String()
}

// short names roles of one kind: "argument: define, call".
func short(roles []string) string {
	what, first, ok := strings.Cut(roles[0], " ")
	if !ok || what != "argument" && what != "result" {
		return roles[0]
	}
	text := what + ": " + first
	for _, r := range roles[1:] {
		text += ", " + strings.TrimPrefix(r, what+" ")
	}
	return text
}

// heads are "levels | signature" of a role.
func (r *Recording) heads(name, role string) []string {
	var texts []string
	levels := map[string][]string{}
	for _, level := range r.Levels {
		if text, ok := r.Seen[Key{name, role, level}]; ok {
			if levels[text] == nil {
				texts = append(texts, text)
			}
			levels[text] = append(levels[text], level)
		}
	}
	for i, t := range texts {
		texts[i] = strings.Join(levels[t], ", ") + " | " + t
	}
	return texts
}

// Parse reads the text of a file. The error says which line is no part of one.
func Parse(text string) (*Recording, error) {
	r := &Recording{Seen: map[Key]string{}, Refused: map[Key]string{}}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			r.Head = append(r.Head, line)
			if rest, ok := strings.CutPrefix(line, "# Producer "); ok {
				words := strings.Fields(rest)
				if len(words) < 2 {
					return nil, fmt.Errorf("line %d: a producer has a name and a version", i+1)
				}
				r.Name, r.Version = words[0], strings.TrimSuffix(words[1], ",")
			}
			if rest, ok := strings.CutPrefix(line, "# Levels: "); ok {
				r.Levels = strings.Split(rest, ", ")
			}
			continue
		}
		parts := strings.SplitN(line, " | ", 4)
		if len(parts) != 4 {
			return nil, fmt.Errorf("line %d: %q is not a case | roles | levels | signature", i+1, line)
		}
		for _, level := range strings.Split(parts[2], ", ") {
			if parts[1] == "refused" {
				r.Refused[Key{Case: parts[0], Level: level}] = parts[3]
				continue
			}
			what, roles, ok := strings.Cut(parts[1], ": ")
			if !ok {
				r.Seen[Key{parts[0], parts[1], level}] = parts[3]
				continue
			}
			for _, role := range strings.Split(roles, ", ") {
				r.Seen[Key{parts[0], what + " " + role, level}] = parts[3]
			}
		}
	}
	return r, nil
}

// Short is the name of the release in package layout: "clang-19", "nvrtc-12.8".
func (r *Recording) Short() string {
	parts := strings.Split(r.Version, ".")
	n := 1
	if r.Name == "cicc" || strings.HasPrefix(r.Name, "nvrtc") || strings.HasPrefix(r.Name, "rustc") || r.Name == "triton" || r.Name == "tilelang" || strings.HasPrefix(r.Name, "numba") || strings.HasPrefix(r.Name, "warp") {
		n = 2
	}
	return r.Name + "-" + strings.Join(parts[:min(n, len(parts))], ".")
}
