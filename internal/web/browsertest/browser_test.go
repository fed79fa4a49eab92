package browsertest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long anything in the browser may take. It bounds what is
// broken and measures nothing.
const patience = 90 * time.Second

// pages are the addresses of the two builds of the page, by engine.
var pages = map[string]string{}

var chromium string

func TestMain(m *testing.M) {
	chromium = findChromium()
	if chromium == "" {
		fmt.Println("browsertest: no chromium or google-chrome found, CHROMIUM is not set: every test is skipped")
		os.Exit(m.Run())
	}
	os.Exit(run(m))
}

func findChromium() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

// run builds and serves both pages around the tests.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	root, err := filepath.Abs("../../..")
	if err != nil {
		return failed(err)
	}
	bin, out := filepath.Join(dir, "ptxabi"), filepath.Join(dir, "out")
	for _, args := range [][]string{{"build", "-o", bin, "./cmd/ptxabi"}, {"run", "./internal/web/static", out}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = root, os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return failed(fmt.Errorf("go %s: %w", args[0], err))
		}
	}
	server := exec.Command(bin, "serve")
	stdout, err := server.StdoutPipe()
	if err != nil {
		return failed(err)
	}
	if err := server.Start(); err != nil {
		return failed(err)
	}
	defer func() {
		server.Process.Signal(os.Interrupt)
		if err := server.Wait(); err != nil {
			fmt.Println("ptxabi serve, interrupted:", err)
		}
	}()
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return failed(err)
	}
	pages["server"] = strings.TrimSpace(url)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return failed(err)
	}
	go http.Serve(l, http.FileServer(http.Dir(out))) // a plain file server
	pages["wasm"] = "http://" + l.Addr().String() + "/"
	return m.Run()
}

func failed(err error) int {
	fmt.Println("browsertest:", err)
	return 1
}

// A tab is a page in the browser, with all that it said and asked for.
type tab struct {
	*testing.T
	ctx    context.Context
	origin string

	mu    sync.Mutex
	said  []string // on the console, and failures
	asked []string // addresses
}

// open opens one of the pages in a browser of its own, and waits for its first
// answer. The fragment begins with #.
func open(t *testing.T, engine, fragment string, width, height int, dark bool) *tab {
	t.Helper()
	if chromium == "" {
		t.Skip("no Chromium here: the explorer is not tried in a browser")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.WindowSize(width, height),
		chromedp.UserDataDir(t.TempDir()),
		// There is nothing but this machine, for the page and for its worker.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	tb := &tab{T: t, ctx: ctx, origin: pages[engine]}
	if err := chromedp.Listen(ctx, tb.listen); err != nil {
		t.Fatal(err)
	}
	call(tb, network.Enable, network.EnableParams{})
	call(tb, log.Enable, cdp.Empty{})
	call(tb, runtime.Enable, cdp.Empty{})
	call(tb, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: int64(height), DeviceScaleFactor: 1, Mobile: width < 600,
	})
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: map[bool]string{false: "light", true: "dark"}[dark]},
	}})
	if _, err := chromedp.CallBrowser(ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "clipboard-write"}, Setting: browser.PermissionSettingGranted,
	}); err != nil {
		t.Fatal(err)
	}
	tb.do(chromedp.Navigate(pages[engine] + fragment))
	tb.until(`document.querySelector('#status').textContent !== ''`)
	return tb
}

func (tb *tab) listen(event any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			tb.said = append(tb.said, fmt.Sprintf("console.%s: %s%s", e.Type, arg.Value, arg.Description))
		}
	case *runtime.EventExceptionThrown:
		tb.said = append(tb.said, "exception: "+e.ExceptionDetails.Text+" "+description(e.ExceptionDetails.Exception))
	case *log.EventEntryAdded:
		tb.said = append(tb.said, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		tb.asked = append(tb.asked, e.Request.URL)
	case *network.EventWebSocketCreated:
		tb.asked = append(tb.asked, e.URL)
	}
}

// call runs a command of the browser's protocol.
func call[P, R any](tb *tab, command cdp.Command[P, R], params P) {
	tb.Helper()
	if _, err := chromedp.Call(tb.ctx, command, params); err != nil {
		tb.Fatal(err)
	}
}

func description(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	return o.Description
}

// do runs actions; one that fails ends the test.
func (tb *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	tb.Helper()
	ctx, stop := context.WithTimeout(tb.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		tb.Fatal(err)
	}
}

// run executes a script.
func (tb *tab) run(script string) {
	tb.Helper()
	tb.do(chromedp.Evaluate[chromedp.Void](script))
}

// until waits until an expression is true. The page's policy forbids the
// evaluation by which the driver's own polling works.
func (tb *tab) until(expression string) {
	tb.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if eval[bool](tb, expression) {
			return
		}
		if time.Now().After(end) {
			tb.Fatalf("never: %s\nthe page says %q and %q; the browser %q", expression, tb.text("#status"), tb.text("#why"), tb.said)
		}
	}
}

// eval returns the value of an expression.
func eval[V any](tb *tab, expression string) V {
	tb.Helper()
	ctx, stop := context.WithTimeout(tb.ctx, patience)
	defer stop()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[V](expression))
	if err != nil {
		tb.Fatalf("%s: %v", expression, err)
	}
	return v
}

// text is what an element says.
func (tb *tab) text(selector string) string {
	tb.Helper()
	return eval[string](tb, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// write puts a text into the editor as typing does, all at once.
func (tb *tab) write(text string) {
	tb.Helper()
	tb.run(fmt.Sprintf(`(() => { const t = document.querySelector('#text'); t.focus(); t.select();
		document.execCommand('insertText', false, %q); })()`, text))
}

// choose chooses an option.
func (tb *tab) choose(selector, value string) {
	tb.Helper()
	tb.run(fmt.Sprintf(`(() => { const s = document.querySelector(%q); s.value = %q;
		s.dispatchEvent(new Event('change', {bubbles: true})); })()`, selector, value))
}

// clean checks that the page had nothing to say on the console, and that it
// asked its own origin alone.
func (tb *tab) clean() {
	tb.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, s := range tb.said {
		tb.Errorf("the browser says %s", s)
	}
	if len(tb.asked) == 0 {
		tb.Error("no request was seen: nothing is watched")
	}
	for _, url := range tb.asked {
		if !strings.HasPrefix(url, tb.origin) && !strings.HasPrefix(url, "data:,") {
			tb.Errorf("the page asked for %s, outside of %s", url, tb.origin)
		}
	}
}
