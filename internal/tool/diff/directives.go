package diff

import "fmt"

// directives compares what a function's type has beside its formals. nvlink 13.0, 13.4
// and 13.5 refuse declarations that preserve otherwise, also where one says what
// holds anyway; a .noreturn that one side lacks no nvlink sees.
func (c *comparison) directives() {
	said := func(name string, n *int) string {
		if n == nil {
			return "no " + name
		}
		return fmt.Sprintf("%s %d", name, *n)
	}
	for _, d := range []struct {
		name string
		a, b *int
	}{
		{".abi_preserve", c.A.Preserve, c.B.Preserve},
		{".abi_preserve_control", c.A.Control, c.B.Control},
	} {
		was, is := said(d.name, d.a), said(d.name, d.b)
		switch from, to := c.A.ReturnAddress, c.B.ReturnAddress; {
		case was == is:
		case c.Function.A.Block != nil:
			c.add("function", -1, "preserve", false, "%s and %s: a launch does not see it", was, is)
		case d.name == ".abi_preserve" && from != to && from != "" && to != "":
			c.add("function", -1, "preserve", true, "%s and %s: other registers are callee-saved, the return address was in %s and is in %s, and the linker refuses callers with the old directive", was, is, from, to)
		case d.name == ".abi_preserve":
			c.add("function", -1, "preserve", true, "%s and %s: other registers are callee-saved, and the linker refuses callers with the old directive", was, is)
		default:
			c.add("function", -1, "preserve", true, "%s and %s: other barriers are callee-saved, and the linker refuses callers with the old directive", was, is)
		}
	}
	switch {
	case c.A.NoReturn && !c.B.NoReturn:
		c.add("function", -1, "noreturn", true, "it was .noreturn and is not: callers have left out the code after the call, and their return")
	case !c.A.NoReturn && c.B.NoReturn:
		c.add("function", -1, "noreturn", false, "it is .noreturn now: it does not return to callers")
	}
}
