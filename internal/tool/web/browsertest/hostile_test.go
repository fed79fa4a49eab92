package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// unharmed checks that nothing of a text became part of the page but as text.
func (tb *tab) unharmed(what string) {
	tb.Helper()
	if got := eval[string](tb, `document.title + document.querySelectorAll('img:not(.cm-widgetBuffer), iframe, object, main script, main style, main link, [onerror], [onload]').length`); got != "ptxabi explorer0" {
		tb.Errorf("%.60s: the page is %s", what, got)
	}
	if over := eval[[]string](tb, overflowing); len(over) > 0 {
		tb.Errorf("%.60s: wider than the page: %q", what, over)
	}
}

// TestHostileText gives the page counts and names that no program has: each is answered, and
// the page goes on.
func TestHostileText(t *testing.T) {
	const head = ".version 8.0\n.target sm_90\n"
	const img = `<img src=x onerror="document.title='owned'">`
	records := "struct A0 { char a[1000]; };\n"
	for i := range 12 {
		records += fmt.Sprintf("struct A%d { struct A%d a[1000]; struct A%d b; };\n", i+1, i, i)
	}
	texts := []string{
		"struct S { char a[2147483647]; };",
		"struct S { char a[9223372036854775807]; char b[99999999999999999999999]; };",
		"struct S { int a : 4000000000; };",
		records,
		head + ".func f(.param .align 1 .b8 x[4294967295]);",
		head + ".visible .func f() { .reg .b32 %r<4294967295>; ret; }",
		head + ".visible .func f(" + strings.TrimSuffix(strings.Repeat(".param .b32 p,", 5000), ",") + ") { ret; }",
		head + ".visible .func f() " + strings.Repeat("{", 5000) + strings.Repeat("}", 5000),
		head + ".visible .func " + strings.Repeat("n", 100_000) + "(.param .b32 x) { ret; }",
		"struct " + strings.Repeat("S", 5000) + " { int " + strings.Repeat("f", 5000) + "; };",
		head + ".file 1 \"" + strings.ReplaceAll(img, `"`, "'") + "\"\n.visible .func f() { .loc 1 1 1; ret; }",
		"#include " + img + "\nstruct S { int a; };",
		"#error " + img + "</script><script>document.title='owned'</script>",
		"        /*0000*/                   MOV R1, c[0x0][0x28] ; " + img + "\n        /*0010*/                   " + img + " ;\n",
		"package p\n\ntype T struct {\n\tA int8 `" + strings.ReplaceAll(img, "`", "") + "`\n}\n",
		"\u202e\u0000\ufeff\ud7ff struct S { int \u200b; };",
		strings.Repeat("<svg onload=alert(1)>\n", 1000),
	}
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", phone)
		tb.run(`document.querySelector('#panes [data-pane=source]').click()`)
		for i, text := range texts {
			tb.write(text)
			tb.settled()
			tb.unharmed(text)
			if got := tb.text("#status"); got == "" || strings.Contains(got, "defect") {
				t.Errorf("text %d, %.40q: %s", i, text, got)
			}
		}
		tb.write(letter)
		tb.until(`document.querySelector('#values').textContent.includes('byte 8')`)
		tb.clean()
	})
}

// TestHostileFragment opens links whose parts are what no page wrote.
func TestHostileFragment(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		const img = `<img src=x onerror=\"document.title='owned'\">`
		for _, fragment := range []string{
			"#1", "#1%00", "#1%%%", "#1" + strings.Repeat("A", 100_000), "#2" + strings.Repeat("x", 100), "#" + "<script>document.title='owned'</script>", "#__proto__",
			link(t, `{"text":"struct S { int a; };","lang":"constructor","target":"__proto__","against":"toString","only":"`+img+`","call":"999999","step":"999999"}`),
			link(t, `{"text":"struct S { int a; };","only":"S","call":"-1","step":"1e9","producer":"`+img+`"}`),
			link(t, `{"__proto__":{"text":"x"},"constructor":1}`),
			link(t, `{"text":"`+img+`"}`),
			link(t, strings.Repeat(`[`, 200_000)),
		} {
			tb.visit(fragment)
			tb.settled()
			tb.unharmed(fragment)
			if got := eval[string](tb, `document.querySelector('#target').value`); !strings.HasPrefix(got, "sm_") {
				t.Errorf("%.40s: the target is %q", fragment, got)
			}
		}
		tb.clean()
	})
}
