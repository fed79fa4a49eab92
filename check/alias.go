package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// alias reads an .alias directive, which stands in the body of in, or at module level if in is nil. A call of the alias is
// a call of the aliasee. The assembler requires that both are declared before, with equal formals, that the alias has no
// body so far, and that no other module can replace the aliasee.
func (c *checker) alias(d *ptx.Directive, in *global) {
	name, of, ok := resolve.AliasNames(d)
	if !ok {
		return
	}
	fine := c.partialModule() || aliasable(c, d, name, of, in)
	g, target := c.program.globals[name], c.program.globals[of]
	switch {
	case g == nil && target != nil && target.fn != nil: // a call of it certainly means the aliasee
		c.program.globals[name] = &global{name: name, fn: target.fn, def: target.def, pos: d.Pos, alias: true, suppressed: !fine, mentions: []*global{target}}
	case g != nil && target != nil:
		g.mentions = append(g.mentions, target)
		g.alias = true
	case g != nil:
		g.alias = true
	}
}

// aliasable reports whether one name can be made an alias of another, and reports it
// if not.
func aliasable(c *checker, d *ptx.Directive, name, of string, in *global) bool {
	for _, n := range [...]string{name, of} {
		g := c.program.globals[n]
		switch {
		case g == nil:
			c.errorf(IllegalAlias, d.Pos, ".alias %s, %s: %s is not declared before; declare it above, as a function", name, of, n)
			return false
		case g.fn == nil:
			c.add(diag.Error, IllegalAlias, d.Pos, sprintf(".alias %s, %s: %s is a variable, and only a function has aliases", name, of, n), related(g.pos, "declared here"))
			return false
		case g.fn.Entry:
			c.add(diag.Error, IllegalAlias, d.Pos, sprintf(".alias %s, %s: %s is a kernel, and only a function has aliases", name, of, n), related(g.pos, "declared here"))
			return false
		}
	}
	g, target := c.program.globals[name], c.program.globals[of]
	at := related(target.pos, "%s is declared here", of)
	switch {
	case g == target:
		c.errorf(IllegalAlias, d.Pos, ".alias %s, %s: a function is not an alias of itself", name, of)
	case g.alias:
		c.add(diag.Error, IllegalAlias, d.Pos, sprintf("%s is an alias already; remove one .alias", name), related(g.pos, "%s is declared here", name))
	case target.fn.Linkage == ptx.Weak || target.fn.Linkage == ptx.Extern:
		c.add(diag.Error, IllegalAlias, d.Pos, sprintf(".alias %s, %s: %s is %s, and another module may define it; alias a function of this module alone", name, of, of, target.fn.Linkage), at)
	case g.def != nil && in == g: // the assembler does not know yet that it has a body
		if !c.Compile {
			return true
		}
		c.add(c.refused(), IllegalAlias, d.Pos, sprintf("%s is an alias within its own body, at which ptxas -c crashes; drop the .alias", name))
	case g.def != nil:
		c.add(diag.Error, IllegalAlias, d.Pos, sprintf("%s has a body and cannot be an alias; drop the body or the .alias", name), related(g.def.NamePos, "defined here"))
	case target.alias && c.Compile:
		c.add(c.refused(), IllegalAlias, d.Pos, sprintf("%s is an alias itself, at which ptxas -c fails with an internal error; name its aliasee", of), at)
	case c.mistakes.anyBad(g.fn.Results, g.fn.Params) || c.mistakes.anyBad(target.fn.Results, target.fn.Params) || g.suppressed || target.suppressed:
		return true
	default:
		if msg := differ(target.fn, g.fn, "of "+of, "of "+name); msg != "" {
			c.add(diag.Error, IllegalAlias, d.Pos, sprintf("declarations of %s and of its aliasee %s differ: %s; make them equal", name, of, msg), related(g.pos, "%s is declared here", name), at)
			return false
		}
		if (g.fn.Directive(".noreturn") != nil) != (target.fn.Directive(".noreturn") != nil) {
			c.add(diag.Error, IllegalAlias, d.Pos, sprintf("only one of %s and its aliasee %s says .noreturn; write it on both", name, of), at)
			return false
		}
		return true
	}
	return false
}
