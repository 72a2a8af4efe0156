// Package browsertest runs tests of web pages in a real browser, Chromium without a window.
//
//	func TestMain(m *testing.M) { browsertest.Main(m) }
//
//	func TestPage(t *testing.T) {
//		p := browsertest.Open(t, handler, "/")
//		title := browsertest.Eval[string](p, `document.title`)
//		x := browsertest.Eval[int](p, `(async () => (await import('/x.js')).x)()`)
//		p.Do(chromedp.Click(chromedp.CSS("#button")))
//		img := p.Screenshot()
//	}
//
// A test fails if its page logs an error, does not catch an exception, or sends a request to
// another server. WebGL2 works, drawn in software. The tests run only with -tags peers. Then
// they fail without Chromium, which scripts/peers installs.
package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/internal/testenv"
)

// timeout is how long a page may take for all actions of a test, timeoutFull for a full test. They
// are long because test machines are busy.
const timeout, timeoutFull = 5 * time.Minute, 20 * time.Minute

// browser is the Chromium of this test program.
var browser struct {
	sync.Mutex
	inMain bool
	ctx    context.Context // nil until Chromium is started
	stop   func()
}

// Main runs the tests of a package. Afterwards it ends the browser, if a test started it.
func Main(m *testing.M) { os.Exit(Tests{m}.Run()) }

// Tests are the tests of a package whose TestMain does more than Main.
type Tests struct{ *testing.M }

// Run runs the tests and ends the browser.
func (m Tests) Run() int {
	browser.inMain = true
	code := m.M.Run()
	if browser.stop != nil {
		browser.stop()
	}
	return code
}

// start starts Chromium, unless it runs already.
func start(t testing.TB) context.Context {
	t.Helper()
	browser.Lock()
	defer browser.Unlock()
	if !browser.inMain {
		t.Fatal("a test in a browser needs func TestMain(m *testing.M) { browsertest.Main(m) } in its package")
	}
	t.Log("with real programs: a browser") // scripts/steps looks for it
	if browser.ctx != nil {
		return browser.ctx
	}
	if !testenv.Peers {
		t.Skip("runs in Chromium; scripts/peers installs it, -tags peers runs it")
	}
	program := find()
	if program == "" {
		t.Fatal("there is no Chromium; run scripts/peers")
	}
	testenv.TakeScreen() // until the process ends
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("headless", "new"), chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("enable-precise-memory-info", true),
		chromedp.Flag("autoplay-policy", "no-user-gesture-required"),
	)...)
	ctx, stopBrowser := chromedp.NewContext(allocator)
	browser.stop = func() { stopBrowser(); stopAllocator() }
	if err := chromedp.Do(ctx); err != nil {
		browser.stop()
		browser.stop = nil
		t.Fatalf("%s does not start: %v", program, err)
	}
	browser.ctx = ctx
	return ctx
}

func find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Page is a tab of the browser with a page of a server.
type Page struct {
	t      testing.TB
	ctx    context.Context
	server string // such as http://127.0.0.1:8303

	mu       sync.Mutex
	problems []string
	lines    []string // logged lines that are not problems
	allowed  []string // parts of allowed problems
}

// Width and Height are the size of a page's window in pixels, unless a test changes it.
const Width, Height = 1280, 720

// Open serves a handler on a port of its own, and opens a path of it in a new tab. Both end with
// the test.
func Open(t testing.TB, h http.Handler, path string) *Page {
	t.Helper()
	start(t) // may skip the test
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return OpenAt(t, s.URL, path)
}

// OpenAt opens a path of a running server, such as http://127.0.0.1:8303, in a new tab.
func OpenAt(t testing.TB, server, path string) *Page {
	t.Helper()
	parent := start(t)
	ctx, closeTab := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	limit := timeout
	if testenv.Full() {
		limit = timeoutFull
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	p := &Page{t: t, ctx: ctx, server: server}
	t.Cleanup(func() {
		cancel()
		closeTab()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, line := range p.lines {
			t.Log(line)
		}
		for _, problem := range p.problems {
			if !slices.ContainsFunc(p.allowed, func(text string) bool { return strings.Contains(problem, text) }) {
				t.Error(problem)
			}
		}
	})
	if err := chromedp.Listen(ctx, p.observe); err != nil {
		t.Fatal(err)
	}
	p.Do(chromedp.EmulateViewport(Width, Height))
	p.Goto(path)
	return p
}

// URL returns the address of a path of the page's server.
func (p *Page) URL(path string) string { return p.server + path }

// Goto opens another path of the server in the tab, and waits until it is loaded.
func (p *Page) Goto(path string) {
	p.t.Helper()
	p.Do(chromedp.Navigate(p.URL(path)))
}

// Do runs actions of package chromedp, such as clicks and keys.
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// Run evaluates a JavaScript expression and waits for its promise if it is one.
func (p *Page) Run(expression string) {
	p.t.Helper()
	Eval[chromedp.Void](p, expression)
}

// Eval evaluates a JavaScript expression, waits for its promise if it is one, and decodes the
// result from JSON.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// patience is how long a page may take for one condition, of a test that is not full.
const patience = 100 * time.Second

// Wait waits until a JavaScript expression is true. The failure shows the texts on the page.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	for begin := time.Now(); ; {
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err != nil {
			p.t.Fatalf("waiting for %s: %v", expression, err)
		}
		if ok {
			return
		}
		if time.Since(begin) > patience && !testenv.Full() {
			p.t.Fatalf("after %v still not: %s\nthe page: %s", patience, expression, Eval[string](p, `location + ' ' + document.body.innerText.slice(0, 1000)`))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Screenshot returns a picture of the window.
func (p *Page) Screenshot() image.Image {
	p.t.Helper()
	b, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		p.t.Fatal(err)
	}
	if dir := os.Getenv("TEEYARD_SCREENSHOTS"); dir != "" { // kept for inspection
		if err := os.WriteFile(dir+"/"+strings.ReplaceAll(p.t.Name(), "/", "-")+".png", b, 0o644); err != nil {
			p.t.Error(err)
		}
	}
	return img
}

// WebP returns a picture of the window as a lossy WebP file. The quality is 1 to 100.
func (p *Page) WebP(quality int64) []byte {
	p.t.Helper()
	r, err := chromedp.Call(p.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: &quality})
	if err != nil {
		p.t.Fatal(err)
	}
	return r.Data
}

// Allow ignores, from now on, problems that contain a text.
func (p *Page) Allow(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allowed = append(p.allowed, text)
}

// Expect returns the problems so far, and forgets them, for tests that cause some.
func (p *Page) Expect() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.problems
	p.problems = nil
	return taken
}

func (p *Page) problem(format string, args ...any) { p.note(&p.problems, format, args...) }

// note adds a line to a list that the test logs at its end.
func (p *Page) note(list *[]string, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(*list) < 100 {
		*list = append(*list, fmt.Sprintf(format, args...))
	}
}

// observe records the problems of a page.
func (p *Page) observe(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		if err != nil || u.Scheme != "data" && u.Scheme != "blob" && u.Scheme != "about" && "http://"+u.Host != p.server {
			p.problem("the page asked another server: %.200s", e.Request.URL)
		}
	case *network.EventWebSocketCreated:
		if u, err := url.Parse(e.URL); err != nil || "http://"+u.Host != p.server {
			p.problem("the page asked another server: %.200s", e.URL)
		}
	case *runtime.EventExceptionThrown:
		p.problem("%v", &chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails})
	case *runtime.EventConsoleAPICalled:
		var words []string
		for _, a := range e.Args {
			if a.Description != "" {
				words = append(words, a.Description)
			} else {
				words = append(words, string(a.Value))
			}
		}
		text := strings.Join(words, " ")
		if e.Type == "error" || e.Type == "assert" {
			p.problem("console: %s", text)
		} else {
			p.note(&p.lines, "console: %s", text)
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == "error" {
			p.problem("log: %s %s", e.Entry.Text, e.Entry.URL)
		}
	}
}

// HeapUsed returns the number of bytes in use by the page's scripts, without collected garbage.
func (p *Page) HeapUsed() float64 {
	p.t.Helper()
	return Eval[float64](p, `performance.memory.usedJSHeapSize`)
}

// Touch puts fingers on the page or moves them, to x and y in pixels. Without points it lifts the
// fingers.
func (p *Page) Touch(kind input.DispatchTouchEventType, points ...[2]float64) {
	p.t.Helper()
	list := []*input.TouchPoint{}
	for i, at := range points {
		list = append(list, &input.TouchPoint{X: at[0], Y: at[1], ID: new(float64(i))})
	}
	call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: list})
}

// ClearCache empties the browser's cache.
func (p *Page) ClearCache() {
	p.t.Helper()
	call(p, network.ClearBrowserCache, cdp.Empty{})
}

// SlowDown makes the processor slower by a factor, and limits the network to bits per second.
func (p *Page) SlowDown(factor, bits float64) {
	p.t.Helper()
	call(p, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: factor})
	call(p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: 20, DownloadThroughput: bits / 8, UploadThroughput: bits / 8}},
	})
}

// RunFirst runs a script at the beginning of each page that the tab opens from now on.
func (p *Page) RunFirst(script string) {
	p.t.Helper()
	call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

// call runs a command of the browser.
func call[P, R any](p *Page, command cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.t.Fatal(err)
	}
}
