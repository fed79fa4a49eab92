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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// patience is how long anything in the browser may take. It bounds what is
// broken and measures nothing.
const patience = 3 * time.Minute

// pages are the addresses of the two builds of the page, by engine.
var pages = map[string]string{}

var chromium string

// built is the folder of the page without a server.
var built string

// theBrowser is the one process that all tabs are in.
var theBrowser context.Context

// slowdown is how many times slower than this machine the pages run; 1 as they
// are. PTXABI_SLOWDOWN sets it, to look for what depends on speed.
var slowdown = 1.0

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
	root, err := filepath.Abs("../../../..")
	if err != nil {
		return failed(err)
	}
	bin, out := filepath.Join(dir, "ptxabi"), filepath.Join(dir, "out")
	for _, args := range [][]string{{"build", "-ldflags=-s -w", "-o", bin, "./cmd/ptxabi"}, {"run", "./internal/tool/web/static", out}} {
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
	built = out
	go http.Serve(l, http.FileServer(http.Dir(out))) // a plain file server
	pages["wasm"] = "http://" + l.Addr().String() + "/"
	stop, err := start(dir)
	if err != nil {
		return failed(fmt.Errorf("%s: %w", chromium, err))
	}
	defer stop()
	return m.Run()
}

// start starts the browser.
func start(dir string) (stop context.CancelFunc, err error) {
	if s := os.Getenv("PTXABI_SLOWDOWN"); s != "" {
		if slowdown, err = strconv.ParseFloat(s, 64); err != nil || slowdown < 1 {
			return nil, fmt.Errorf("PTXABI_SLOWDOWN is %q: a factor of at least 1 is expected", s)
		}
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.UserDataDir(filepath.Join(dir, "profile")),
		// Nothing is made ready for tabs that nothing opens.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess"),
		// There is nothing but this machine, for the page and for its worker.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, _ := chromedp.NewExecAllocator(context.Background(), opts...)
	theBrowser, stop = chromedp.NewContext(ctx)
	if err := chromedp.Do(theBrowser); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

func failed(err error) int {
	fmt.Println("browsertest:", err)
	return 1
}

// A tab is one of the browser while a test has it, with all that its page said
// and asked for.
type tab struct {
	*testing.T
	*place
	origin string

	mu    sync.Mutex
	said  []string // on the console, and failures
	asked []string // addresses
}

// A place is what tabs of one test after the other are in. It shares its process
// with other places and nothing else: storage, permissions and caches are its own.
type place struct {
	ctx    context.Context
	stop   context.CancelFunc
	visits int
	// tab is the present one; nil between tests. next becomes it with its first
	// page: what is said before is of a page of the test before.
	tab, next atomic.Pointer[tab]
}

// places are those that no test is in, by engine.
var places = map[string][]*place{}

// A screen is what a tab is shown on.
type screen struct {
	width, height int
	dark          bool
}

var (
	desktop = screen{1280, 900, false}
	phone   = screen{390, 844, false}
)

// open opens one of the pages in a tab of its own and waits for its first
// answer. The fragment begins with #.
func open(t *testing.T, engine, fragment string, s screen) *tab {
	t.Helper()
	tb := blank(t, engine, s)
	tb.visit(fragment)
	tb.settled()
	return tb
}

// blank has a tab for a test, without its page.
func blank(t *testing.T, engine string, s screen) *tab {
	t.Helper()
	if chromium == "" {
		t.Skip("no Chromium here: the explorer is not tried in a browser")
	}
	tb := &tab{T: t, origin: pages[engine]}
	if free := places[engine]; len(free) > 0 {
		tb.place, places[engine] = free[0], free[1:]
		tb.next.Store(tb)
	} else {
		tb.make()
	}
	t.Cleanup(func() {
		if t.Failed() {
			tb.stop() // whatever state it is in
			return
		}
		call(tb, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: strings.TrimSuffix(tb.origin, "/"), StorageTypes: "all"})
		tb.tab.Store(nil)
		places[engine] = append(places[engine], tb.place)
	})
	tb.resize(s)
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: map[bool]string{false: "light", true: "dark"}[s.dark]},
	}})
	return tb
}

// make makes a place for a tab.
func (tb *tab) make() {
	tb.Helper()
	p := &place{}
	p.ctx, p.stop = chromedp.NewContext(theBrowser, chromedp.WithNewBrowserContext())
	p.tab.Store(tb)
	tb.place = p
	if err := chromedp.Listen(p.ctx, p.listen); err != nil {
		tb.Fatal(err)
	}
	call(tb, network.Enable, network.EnableParams{})
	call(tb, log.Enable, cdp.Empty{})
	call(tb, runtime.Enable, cdp.Empty{})
	// Whatever window is in front, the page has the focus that the clipboard needs.
	call(tb, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	if slowdown > 1 {
		call(tb, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slowdown})
	}
	if _, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "clipboard-write"}, Setting: browser.PermissionSettingGranted,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
	}); err != nil {
		tb.Fatal(err)
	}
}

// visit loads the page anew with a fragment: by another query, which the page
// does not know, or the browser would only go to the fragment.
func (tb *tab) visit(fragment string) {
	tb.Helper()
	tb.visits++
	tb.do(chromedp.Navigate(fmt.Sprintf("%s?%d%s", tb.origin, tb.visits, fragment)))
}

// resize gives the tab another screen; its theme stays.
func (tb *tab) resize(s screen) {
	tb.Helper()
	call(tb, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(s.width), Height: int64(s.height), DeviceScaleFactor: 1, Mobile: s.width < 600,
	})
}

// settled waits until the page has answered and nothing is under way: no pause
// after typing, no question, no link in the making.
func (tb *tab) settled() {
	tb.Helper()
	tb.until(settled)
}

const settled = `document.querySelector('#status').textContent !== '' && !document.querySelector('#result').hasAttribute('aria-busy') &&
	(document.querySelector('#text').value !== undefined || document.body.classList.contains('embed'))`

func (p *place) listen(event any) {
	if _, ok := event.(*runtime.EventExecutionContextsCleared); ok {
		if next := p.next.Swap(nil); next != nil {
			p.tab.Store(next)
		}
	}
	tb := p.tab.Load()
	if tb == nil {
		return
	}
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
// evaluation by which the driver's own polling works; here the page looks by
// itself, for a second at a time.
func (tb *tab) until(expression string) {
	tb.Helper()
	look := fmt.Sprintf(`new Promise((done, failed) => {
		const from = performance.now();
		const timer = setInterval(() => {
			try {
				const yes = Boolean(%s);
				if (!yes && performance.now() - from < 1000) return;
				clearInterval(timer);
				done(yes);
			} catch (e) { clearInterval(timer); failed(e); }
		}, 25);
	})`, expression)
	for end := time.Now().Add(patience); !eval[bool](tb, look); {
		if time.Now().After(end) {
			tb.Fatalf("never: %s\nthe page says %q and %q; the browser %q", expression, tb.text("#status"), tb.text("#why"), tb.said)
		}
	}
}

// eval returns the value of an expression, or what it promises.
func eval[V any](tb *tab, expression string) V {
	tb.Helper()
	ctx, stop := context.WithTimeout(tb.ctx, patience)
	defer stop()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[V](expression, chromedp.EvalAwaitPromise))
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

// write puts a text into the editor in the place of what is there, as pasting does.
func (tb *tab) write(text string) {
	tb.Helper()
	tb.run(fmt.Sprintf(`(() => { const t = document.querySelector('#text'); t.focus(); t.select();
		const clipboardData = new DataTransfer();
		clipboardData.setData('text/plain', %q);
		t.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true})); })()`, text))
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
		if tb.origin == pages["wasm"] && strings.HasSuffix(url, "/answer") {
			tb.Errorf("the build without a server asks one: %s", url)
		}
		if !strings.HasPrefix(strings.TrimPrefix(url, "blob:"), tb.origin) && !strings.HasPrefix(url, "data:,") {
			tb.Errorf("the page asked for %s, outside of %s", url, tb.origin)
		}
	}
}
