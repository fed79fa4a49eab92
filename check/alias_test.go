package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
)

// aliasCase is a module with an .alias in it. ptxas 11.8, 12.4 and 13.5 refuse it at
// that line, with -c and without; 0 stands for none. On an alias that gets a body
// after they crash, and of an alias of an alias they tell no line.
type aliasCase struct {
	name, text string
	line       uint32
	compiled   bool // only with -c
}

// aliasCases puts together the modules, all after a head of three lines.
func aliasCases() []aliasCase {
	const (
		body   = "\n{\n\t.reg .b32 %r<2>;\n\tld.param.b32 %r1, [a];\n\tst.param.b32 [r], %r1;\n\tret;\n}\n"
		result = "(.param .b32 r) "
		impl   = ".visible .func " + result + "impl(.param .b32 a)" + body // lines 4 to 10
		g      = ".visible .func " + result + "g(.param .b32 a);\n"
		alias  = ".alias g, impl;\n"
		kernel = ".visible .entry k()\n{\n\tret;\n}\n"
		bodyOf = ".visible .func " + result + "g(.param .b32 a)" + body
	)
	declared := func(result, formals string) string {
		return impl + ".visible .func " + result + "g" + formals + ";\n" + alias + kernel
	}
	return []aliasCase{
		{"alike", impl + g + alias + kernel, 0, false},
		{"other names", declared("(.param .b32 other) ", "(.param .b32 another)"), 0, false},
		{"aliasee unknown", g + alias + kernel, 5, false},
		{"aliasee declared after", g + alias + impl + kernel, 5, false},
		{"aliasee defined after", ".visible .func " + result + "impl(.param .b32 a);\n" + g + alias + impl + kernel, 0, false},
		{"alias unknown", impl + alias + kernel, 11, false},
		{"alias declared after", impl + alias + g + kernel, 11, false},
		{"alias with a body", impl + bodyOf + alias + kernel, 18, false},
		{"alias with a body after", impl + g + alias + bodyOf + kernel, 14, false},
		{"of itself", g + ".alias g, g;\n" + kernel, 5, false},
		{"of itself, with a body", impl + ".alias impl, impl;\n" + kernel, 11, false},
		{"of an alias", impl + g + alias + strings.Replace(g, "g(", "h(", 1) + ".alias h, g;\n" + kernel, 14, true},
		{"twice", impl + g + alias + alias + kernel, 13, false},
		{"of two", impl + strings.Replace(impl, "impl", "impl2", 1) + g + alias + ".alias g, impl2;\n" + kernel, 20, false},
		{"extern aliasee", ".extern .func " + result + "impl(.param .b32 a);\n" + g + alias + kernel, 6, false},
		{"weak aliasee", strings.Replace(impl, ".visible", ".weak", 1) + g + alias + kernel, 12, false},
		{"local aliasee", strings.Replace(impl, ".visible", "", 1) + g + alias + kernel, 0, false},
		{"extern alias", impl + strings.Replace(g, ".visible", ".extern", 1) + alias + kernel, 0, false},
		{"weak alias", impl + strings.Replace(g, ".visible", ".weak", 1) + alias + kernel, 0, false},
		{"local alias", impl + strings.Replace(g, ".visible", "", 1) + alias + kernel, 0, false},
		{"aliasee a kernel", kernel + ".visible .func g();\n.alias g, k;\n", 9, false},
		{"alias a kernel", kernel + ".visible .entry g();\n.alias g, k;\n", 9, false},
		{"aliasee a variable", ".global .b32 impl;\n" + g + alias + kernel, 6, false},
		{"alias a variable", ".global .b32 g;\n" + impl + alias + kernel, 12, false},
		{"other type", declared(result, "(.param .u32 a)"), 12, false},
		{"other class", declared(result, "(.param .f32 a)"), 12, false},
		{"other size", declared(result, "(.param .b64 a)"), 12, false},
		{"other space", declared(result, "(.reg .b32 a)"), 12, false},
		{"other alignment", declared(result, "(.param .align 8 .b32 a)"), 12, false},
		{"an array", declared(result, "(.param .align 4 .b8 a[4])"), 12, false},
		{"no formal", declared(result, "()"), 12, false},
		{"no result", declared("", "(.param .b32 a)"), 12, false},
		{"other result", declared("(.param .b64 r) ", "(.param .b32 a)"), 12, false},
		{"noreturn", ".func impl()\n{\n\texit;\n}\n.func g() .noreturn;\n" + alias + kernel, 9, false},
	}
}

const aliasHead = ".version 7.8\n.target sm_80\n.address_size 64\n"

// TestAlias holds what check says of aliases against what ptxas says.
func TestAlias(t *testing.T) {
	for _, c := range aliasCases() {
		for _, compile := range []bool{false, true} {
			errs := judge("alias.ptx", []byte(aliasHead+c.text), check.Options{Compile: compile}).Errors()
			if c.line == 0 || c.compiled && !compile {
				assert.Empty(t, errs, c.name)
				continue
			}
			if assert.NotEmpty(t, errs, c.name) {
				assert.Equal(t, check.IllegalAlias, errs[0].Code, "%s: %v", c.name, errs)
				assert.Equal(t, c.line, errs[0].Pos.Line, "%s: %v", c.name, errs)
			}
		}
	}
}

// TestLiveAliases holds the cases themselves against the assembler at hand.
func TestLiveAliases(t *testing.T) {
	tk := toolkit(t)
	for _, c := range aliasCases() {
		ok, reported := accepts(t, tk, aliasHead+c.text, true)
		require.Equal(t, c.line == 0, ok, "%s: %s", c.name, reported)
	}
}
