package browsertest

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

//go:embed testdata/prelude.js
var prelude string

// TestScripts runs testdata/script. Each line is one of the commands below; a line that begins with two blanks goes on with the one
// before, and one with "#" is a remark. "on ENGINE... [at SCREEN...]" comes first: the script runs once for each pair. What
// get prints stands below it after a tab, and PTXABI_UPDATE=1 writes it. In the end the page has said nothing on the
// console and has asked nobody else, see clean. The page has what testdata/prelude.js defines.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := string(data)
			lines := strings.Split(strings.ReplaceAll(want, "\n  ", "\f  "), "\n")
			on := 0
			for !strings.HasPrefix(lines[on], "on ") {
				on++
			}
			engines, screens, _ := strings.Cut(strings.TrimPrefix(lines[on], "on "), " at ")
			if screens == "" {
				screens = "desktop"
			}
			for _, engine := range strings.Fields(engines) {
				for _, s := range strings.Fields(screens) {
					t.Run(engine+" "+s, func(t *testing.T) {
						got := strings.ReplaceAll(script(t, lines, on, engine, s), "\f", "\n")
						if got != want && os.Getenv("PTXABI_UPDATE") != "" {
							err = os.WriteFile(file, []byte(got), 0o666)
							want = got // every other run prints the same
						}
						if got != want || err != nil {
							t.Errorf("%v: PTXABI_UPDATE=1 rewrites %s:\n%s", err, file, difference(want, got))
						}
					})
				}
			}
		})
	}
}

// script returns the lines with what they print now.
func script(t *testing.T, lines []string, on int, engine, size string) string {
	prelude := prelude + fmt.Sprintf("window.engine = %q;\n", engine)
	tb := blank(t, engine, screenOf(t, size))
	tb.before(prelude)
	tb.run("{" + prelude + "}")
	var out []string
	for i, line := range lines {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out = append(out, line)
		verb, rest, _ := strings.Cut(strings.ReplaceAll(line, "\f  ", "\n"), " ")
		if i == on || verb == "" || verb == "#" {
			continue
		}
		if verb == "get" {
			for text := range strings.Lines(tb.get(rest)) {
				out = append(out, "\t"+strings.TrimRight(text, "\n"))
			}
			continue
		}
		if verb == "another" {
			address := eval[string](tb, `location.hash`)
			tb.clean()
			tb = blank(t, engine, screenOf(t, rest))
			tb.before(prelude)
			tb.visit(address)
			tb.settled()
			continue
		}
		command := commands[verb]
		if command == nil {
			t.Fatalf("line %d: no command %s", i+1, verb)
		}
		command(tb, rest)
	}
	tb.clean()
	return strings.Join(out, "\n")
}

var commands = map[string]func(tb *tab, rest string){
	"visit": func(tb *tab, fragment string) { tb.visit(tb.get(fragment)) }, // an expression
	"open": func(tb *tab, fragment string) {
		tb.visit(tb.get(fragment))
		tb.settled()
	},
	"reload":  func(tb *tab, _ string) { tb.do(chromedp.Reload()) },
	"settled": func(tb *tab, _ string) { tb.settled() },
	"until":   (*tab).until, // an expression is true
	"run":     func(tb *tab, script string) { tb.get("(async () => {" + script + "\n})()") },
	"before":  (*tab).before, // a script before the page's own, from the next visit on
	"write":   func(tb *tab, text string) { tb.get("paste(" + text + ")") },
	"choose": func(tb *tab, rest string) {
		selector, value, _ := strings.Cut(rest, " ")
		tb.choose(selector, value)
	},
	"click": func(tb *tab, selector string) { tb.do(chromedp.Click(selector)) },
	"focus": func(tb *tab, selector string) { tb.do(chromedp.Focus(selector)) },
	"keys": func(tb *tab, names string) {
		for _, name := range strings.Fields(names) {
			if key, ok := keys[name]; ok {
				name = key
			}
			tb.do(chromedp.KeyEvent(name))
		}
	},
	"times": func(tb *tab, rest string) { // KEY EXPRESSION
		name, n, _ := strings.Cut(rest, " ")
		for range eval[int](tb, n) {
			tb.do(chromedp.KeyEvent(keys[name]))
		}
	},
	"key": func(tb *tab, rest string) { // NAME CODE MODIFIERS [COMMAND]
		words := strings.Fields(rest)
		code, _ := strconv.ParseInt(words[1], 10, 64)
		modifiers, _ := strconv.ParseInt(words[2], 10, 64)
		tb.key(words[0], code, modifiers, words[3:]...)
	},
	"return": func(tb *tab, _ string) { // as a keyboard does it: a key whose default types a line end
		call(tb, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13})
	},
	"dictate": func(tb *tab, text string) { call(tb, input.InsertText, input.InsertTextParams{Text: tb.get(text)}) },
	"mouse": func(tb *tab, box string) {
		at := eval[[]float64](tb, box)
		tb.do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	},
	"size": func(tb *tab, size string) { tb.resize(screenOf(tb.T, size)) },
	"media": func(tb *tab, rest string) { // MEDIA|- FEATURE VALUE
		words := strings.Fields(rest)
		call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: strings.TrimPrefix(words[0], "-"), Features: []*emulation.MediaFeature{{Name: words[1], Value: words[2]}},
		})
	},
	"block": func(tb *tab, pattern string) { // what is not there from now on; "" is nothing
		var all []*network.BlockPattern
		if pattern != "" {
			all = []*network.BlockPattern{{URLPattern: pattern, Block: true}}
		}
		call(tb, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: all})
	},
	"late": func(tb *tab, file string) { // a file comes after 4 seconds; "" is none
		c := &network.Conditions{DownloadThroughput: -1, UploadThroughput: -1}
		if file != "" {
			c.URLPattern, c.Latency = tb.origin+file, 4000
		}
		call(tb, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{c}})
	},
	"shot": (*tab).shot,
	"file": func(tb *tab, name string) { // makes file its bytes; the path begins at the repository's root
		data, err := os.ReadFile("../../../../" + name)
		if err != nil {
			tb.Fatal(err)
		}
		tb.run(fmt.Sprintf(`window.file = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))`, base64.StdEncoding.EncodeToString(data)))
	},
}

// keys are those that have names in scripts.
var keys = map[string]string{
	"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Home": kb.Home, "End": kb.End,
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
}

// get returns the value of an expression, or what it promises: a text as it is, all else as JSON.
func (tb *tab) get(expression string) string {
	tb.Helper()
	if expression == "" {
		return ""
	}
	return eval[string](tb, `(async () => { const v = await (`+expression+`); return typeof v === 'string' ? v : JSON.stringify(v) ?? ''; })()`)
}

// shot saves a picture of the page, or of a part in twice its size, in the folder that PTXABI_SCREENSHOTS names.
func (tb *tab) shot(expression string) {
	tb.Helper()
	b := eval[struct {
		Name                string
		X, Y, Width, Height float64
	}](tb, "("+expression+")")
	dir := os.Getenv("PTXABI_SCREENSHOTS")
	if dir == "" {
		return
	}
	data, err := chromedp.Run(tb.ctx, chromedp.FullScreenshot(100))
	if b.Width > 0 {
		var image page.CaptureScreenshotResult
		if image, err = chromedp.Call(tb.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
			Format: "png", Clip: &page.Viewport{X: b.X, Y: b.Y, Width: b.Width, Height: b.Height, Scale: 2},
		}); err == nil {
			data = image.Data
		}
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, b.Name+".png"), data, 0o666)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// screenOf reads WIDTHxHEIGHT[-dark], or a name.
func screenOf(t *testing.T, text string) (s screen) {
	t.Helper()
	if named, ok := map[string]screen{"desktop": desktop, "phone": phone}[text]; ok {
		return named
	}
	size, theme, _ := strings.Cut(text, "-")
	if _, err := fmt.Sscanf(size, "%dx%d", &s.width, &s.height); err != nil {
		t.Fatalf("screen %s: %v", text, err)
	}
	s.dark = theme == "dark"
	return s
}

// difference is where two texts begin to differ.
func difference(want, got string) string {
	var b bytes.Buffer
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := 0; i < max(len(w), len(g)) && b.Len() < 4000; i++ {
		a, c := "(nothing)", "(nothing)"
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			c = g[i]
		}
		if a != c {
			fmt.Fprintf(&b, "line %d\n- %s\n+ %s\n", i+1, a, c)
		}
	}
	return b.String()
}

// before runs a script before the page's own, from the next visit on.
func (tb *tab) before(script string) {
	tb.Helper()
	added, err := chromedp.Call(tb.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: "{" + script + "}"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		call(tb, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: added.Identifier})
	})
}

// key presses a key with a command of the browser's editor, as its shortcut does.
func (tb *tab) key(name string, code, modifiers int64, commands ...string) {
	tb.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		call(tb, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: kind, Key: name, WindowsVirtualKeyCode: code, Modifiers: modifiers, Commands: commands,
		})
		commands = nil
	}
}
