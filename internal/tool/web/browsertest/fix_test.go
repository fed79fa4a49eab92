package browsertest

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

const fixable = ".version 8.3\n.target sm_90\n.visible .entry k(.param .u32 n) {\n.reg .b32 %r<2>;\nld.param::func.u32 %r1, [n];\nst.global.u32 [0], %r1;\nret;\n}\n"

// TestFixLinked fixes a text that a link has, which was answered before the editor was there.
func TestFixLinked(t *testing.T) {
	text, err := json.Marshal(fixable)
	if err != nil {
		t.Fatal(err)
	}
	tb := blank(t, "server", desktop)
	late := func(conditions ...*network.Conditions) {
		call(tb, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: conditions})
	}
	late(&network.Conditions{URLPattern: tb.origin + "codemirror.js", Latency: 4000, DownloadThroughput: -1, UploadThroughput: -1})
	defer late(&network.Conditions{DownloadThroughput: -1, UploadThroughput: -1})
	tb.visit(link(t, `{"text":`+string(text)+`}`))
	tb.until(`document.querySelector('#diagnostics .fix') !== null`)
	if eval[bool](tb, `document.querySelector('#text').value !== undefined`) {
		t.Error("the editor was there before the answer: nothing is tried")
	}
	tb.settled()
	tb.do(chromedp.Click("#diagnostics .fix"))
	tb.until(`document.querySelector('#diagnostics-title').textContent === 'No diagnostics'`)
	tb.clean()
}

// TestFix applies a diagnostic's fix by a click: the text is what the diagnostic asks
// for, and the editor can undo it.
func TestFix(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.write(fixable)
		tb.until(`document.querySelector('#diagnostics .fix') !== null`)
		tb.settled()
		tb.do(chromedp.Click("#diagnostics .fix"))
		tb.until(`document.querySelector('#text').value !== ` + "`" + fixable + "`")
		tb.settled()
		if got := tb.text("#diagnostics-title"); got != "No diagnostics" {
			t.Errorf("%s: %s in\n%s", got, tb.text("#diagnostics"), eval[string](tb, `document.querySelector('#text').value`))
		}
		tb.run(`document.querySelector('#text').focus()`)
		tb.key("z", 90, 2)
		tb.until(`document.querySelector('#diagnostics .fix') !== null`)
		// A text that has changed since is left as it is.
		tb.run(`(() => { const t = document.querySelector('#text'); window.before = document.querySelector('#diagnostics .fix');
			t.setSelectionRange(0, 0); document.execCommand('insertText', false, '//\n'); })()`)
		tb.until(`document.querySelector('#text').value.startsWith('//')`)
		tb.run(`before.click()`)
		if got := eval[string](tb, `document.querySelector('#text').value`); got != "//\n"+fixable {
			t.Errorf("the text is\n%s", got)
		}
		tb.clean()
	})
}
