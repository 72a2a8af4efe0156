package play

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

// modules is a page with the modules of the page that plays, and with what testdata/input.js puts
// on it.
type modules struct{ *browsertest.Page }

func openStage(t *testing.T) modules {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", web.NewHandler(slices.Concat(viewer.Rooms("", nil), New(new(web.Settings)).Rooms(8303))...))
	mux.Handle("/test/", http.StripPrefix("/test/", http.FileServer(http.Dir("testdata"))))
	mux.HandleFunc("/stage", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><link rel="icon" href="data:,"><link rel="stylesheet" href="viewer/page/look.css">`+
			`<link rel="stylesheet" href="viewer/page/page.css">`+
			`<link rel="stylesheet" href="play/page/touch.css">`+
			`<main id="stage"><canvas id="view" tabindex="0"></canvas></main><input id="text"><input id="other">`)
	})
	return modules{browsertest.Open(t, mux, "/stage")}
}

func ask[T any](m modules, expression string) T {
	return browsertest.Eval[T](m.Page, `import('/test/input.js').then((m) => m.`+expression+`)`)
}

// stage puts the parts on the page, as the variable game.
func stage(t *testing.T) modules {
	m := openStage(t)
	ask[bool](m, "stage()")
	return m
}

func (m modules) held() string { return ask[string](m, "held()") }

// began returns the actions that began and, with a slash, ended since the last call.
func (m modules) began() string {
	return browsertest.Eval[string](m.Page, `game.began.splice(0).join(' ')`)
}

// TestInputOfTicks checks what the ticks get: a change that is shorter than a tick is not lost.
func TestInputOfTicks(t *testing.T) {
	m := openStage(t)
	for _, c := range []struct{ line, want string }{
		{"|j|||J|", "0000 0100 0100 0100 0000"},
		{"jJ||||", "0100 0100 0000 0000"}, // a jump has two ticks at least
		{"j|J|||", "0100 0100 0000 0000"},
		{"j||Jj||", "0100 0100 0000 0100"},
		{"jJjJ||||", "0100 0100 0000 0000"},
		{"j||JjJ|||", "0100 0100 0000 0000 0000"},
		{"hH|hH|||", "0010 0000 0000 0000"},
		{"h|Hh||", "0010 0000 0010"},
		{"fF|fFfF|f|F|", "0002 0006 0007 0008"},
		{"l|r|L|R|", "-1000 0000 1000 0000"},
		{"lL||", "-1000 0000"},
		{"j+J|||-|", "0100 0100 0100 0000"},
		{"jj|J||hjlf|0||", "0100 0100 0000 -1111 0102 0002"},
		{"h|0h||", "0010 0000 0010"},
	} {
		if got := ask[string](m, fmt.Sprintf("ticks(%q)", c.line)); got != c.want {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
	want := []string{"0 0 0", "4 0 0", "0 0 0", "0 2 0", "0 2 2"}
	if got := ask[[]string](m, "weapons()"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBindings checks that a code has one action, whatever is stored.
func TestBindings(t *testing.T) {
	got := ask[map[string]any](openStage(t), "bindings()")
	for name, want := range map[string]any{
		"twice": 0., "taken": "emote", "emote": "ShiftLeft,KeyQ,Pad3", "again": "undefined", "fire": "Mouse0,Pad7,KeyE", "escape": "undefinedundefined",
		"left": "ArrowLeft,Pad14", "most": 8., "reset": "emote,false,{}", "hostile": "KeyQ;Space,KeyW,ArrowUp,Pad0;;", "emoteWithoutQ": "ShiftLeft,KeyE,Pad3",
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
}

// TestWheel checks that a step of a wheel is a weapon, and the small steps of a touchpad are one
// together.
func TestWheel(t *testing.T) {
	m := openStage(t)
	for events, want := range map[string][]int{
		"[120, 0, 0], [-120, 0, 20], [100, 0, 20], [53, 0, 20], [240, 0, 20]":      {1, -1, 1, 1, 2},
		"[3, 1, 0], [-1, 1, 10], [1, 2, 10]":                                       {1, -1, 1},
		"[40, 0, 0], [40, 0, 16], [40, 0, 16], [40, 0, 16], [40, 0, 16]":           {0, 0, 1, 0, 1},
		"[40, 0, 0], [40, 0, 16], [-40, 0, 16], [-40, 0, 16], [-40, 0, 16]":        {0, 0, 0, 0, -1},
		"[40, 0, 0], [40, 0, 16], [40, 0, 400], [0, 0, 1]":                         {0, 0, 0, 0},
		"[0, 1, 0], [2, 0, 0], [2, 0, 1], [2, 0, 1], [120, 0, 1], [48, 0, 1]":      {0, 0, 0, 0, 1, 0},
		"[-4, 0, 0], [-8, 0, 8], [-30, 0, 8], [-40, 0, 8], [-30, 0, 8], [1, 0, 8]": {0, 0, 0, 0, -1, 0},
	} {
		if got := ask[[]int](m, "wheel("+events+")"); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", events, got, want)
		}
	}
}

// TestSticks checks the sticks of fingers and gamepads.
func TestSticks(t *testing.T) {
	got := ask[map[string]any](openStage(t), "sticks()")
	for name, want := range map[string]any{
		"move": "0,0,1,1,0,1,1,-1", "dead": "false,0,false", "edge": "true,0.6,0.8,false", "beyond": "0,1,true,250", "back": true, "within": false,
		"kept": "false,0.82", "pad": "none,none,1.00 0.00,0.00 -0.26,0.60 0.60",
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
}

// TestTouchPlaces checks that the touch controls are large enough, on the screen, and beside each
// other on common screens, and that stored places cannot lose one.
func TestTouchPlaces(t *testing.T) {
	m := openStage(t)
	for _, c := range []struct {
		screen, insets string
		sizes          []float64
	}{
		{"360, 640", "{ top: 0, right: 0, bottom: 0, left: 0 }", []float64{0.8, 1}},
		{"390, 844", "{ top: 47, right: 0, bottom: 34, left: 0 }", []float64{0.8, 1}},
		{"640, 360", "{ top: 0, right: 0, bottom: 0, left: 0 }", []float64{0.8, 1, 1.2}},
		{"844, 390", "{ top: 0, right: 47, bottom: 21, left: 47 }", []float64{0.8, 1, 1.2}},
		{"1280, 720", "{ top: 0, right: 0, bottom: 0, left: 0 }", []float64{0.8, 1, 1.5}},
	} {
		for _, size := range c.sizes {
			faults := ask[[]string](m, fmt.Sprintf("faults(%s, %v, %s, {})", c.screen, size, c.insets))
			faults = slices.DeleteFunc(faults, func(f string) bool { // an upright phone does not show this one
				return strings.HasPrefix(c.screen, "3") && strings.Contains(f, "fullscreen")
			})
			testenv.Check(t, len(faults) == 0, "%s at size %v: %q", c.screen, size, faults)
		}
		moved := `{ jump: [0, 1], hook: [1, 0], aim: [0.5, 0.5], fire: [9, 0], move: 'x', menu: [null, 1], chat: [NaN, 0], "narrow jump": [1, 1] }`
		for _, f := range ask[[]string](m, fmt.Sprintf("faults(%s, 1, %s, %s)", c.screen, c.insets, moved)) {
			testenv.Check(t, !strings.Contains(f, "outside"), "%s: %s", c.screen, f)
		}
	}
}

// TestLabels checks the names of keys on other layouts.
func TestLabels(t *testing.T) {
	want := []string{"Q", "/", "Left Shift", "Right Ctrl", "Num 7", "Mouse right", "Pad A", "Mouse 7", "A", "W", "Z", "Ä"}
	if got := ask[[]string](openStage(t), "labels()"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// send sends a command of the browser's debugging protocol.
func send[P any](m modules, command cdp.Command[P, cdp.Empty], params P) {
	m.Do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, command, params)
		return chromedp.Void{}, err
	})
}

// key is a key of the keyboard.
type key struct {
	code, key string
	windows   int64
}

var (
	keyA     = key{"KeyA", "a", 'A'}
	keyD     = key{"KeyD", "d", 'D'}
	keyT     = key{"KeyT", "t", 'T'}
	space    = key{"Space", " ", ' '}
	tab      = key{"Tab", "Tab", 9}
	ctrl     = key{"ControlLeft", "Control", 17}
	alt      = key{"AltLeft", "Alt", 18}
	f3       = key{"F3", "F3", 114}
	f5       = key{"F5", "F5", 116}
	escape   = key{"Escape", "Escape", 27}
	ctrlMask = int64(2)
)

func (m modules) down(k key, modifiers int64) {
	p := input.DispatchKeyEventParams{Type: "keyDown", Code: k.code, Key: k.key, WindowsVirtualKeyCode: k.windows, Modifiers: modifiers}
	if len(k.key) == 1 && modifiers == 0 {
		p.Text = k.key
	}
	send(m, input.DispatchKeyEvent, p)
}

func (m modules) up(k key) {
	send(m, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: "keyUp", Code: k.code, Key: k.key, WindowsVirtualKeyCode: k.windows})
}

// TestKeyboard checks which keys reach the match, and that the others do not bite.
func TestKeyboard(t *testing.T) {
	m := stage(t)
	is := func(what, want string) {
		t.Helper()
		testenv.Check(t, m.held() == want, "%s: %s, want %s", what, m.held(), want)
	}
	did := func(what, want string) {
		t.Helper()
		if got := m.began(); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	m.Run(`game.canvas.focus()`)
	m.down(keyA, 0)
	m.down(keyA, 0) // the repetition of a key that is held
	m.down(space, 0)
	is("A and space", "left jump, 0")
	m.down(keyD, ctrlMask)
	is("with Ctrl", "left right jump, 0")
	m.up(keyD)
	m.up(keyA)
	m.up(space)
	is("none", ", 0")
	m.down(tab, 0)
	m.up(tab)
	did("tab", "scoreboard /scoreboard")
	testenv.Check(t, browsertest.Eval[bool](m.Page, `document.activeElement === game.canvas`), "Tab has moved the focus")
	m.down(f3, 0)
	m.up(f3)
	did("F3", "vote_yes /vote_yes")
	m.Run(`game.prevented = []; for (const [type, sign] of [['keydown', ''], ['keyup', '/']]) {
		addEventListener(type, (e) => game.prevented.push(sign + e.code + e.defaultPrevented));
	}`)
	m.down(alt, 0)
	m.up(alt)
	m.down(f5, 0)
	m.up(f5)
	m.down(ctrl, 0)
	m.down(key{"KeyR", "r", 'R'}, ctrlMask)
	m.up(ctrl)
	want := "AltLefttrue /AltLefttrue F5true /F5true ControlLefttrue KeyRfalse /ControlLefttrue"
	if got := browsertest.Eval[string](m.Page, `game.prevented.join(' ')`); got != want {
		t.Errorf("prevented: %s, want %s", got, want)
	}
	did("Ctrl+R is the browser's", "")

	// The page loses the keyboard, and the keys are released where it does not see it.
	m.down(keyD, 0)
	m.down(tab, 0)
	m.Run(`dispatchEvent(new Event('blur'))`)
	is("without the keyboard", ", 0")
	did("the end of the scoreboard", "scoreboard /scoreboard")
	m.up(keyD)
	m.up(tab)
	did("and no second one", "")

	// What is typed into a field stays there.
	m.Run(`document.getElementById('text').focus()`)
	m.down(keyA, 0)
	m.down(keyT, 0)
	m.down(space, 0)
	is("typing", ", 0")
	m.down(f3, 0)
	did("only function keys act", "vote_yes")
	testenv.Check(t, browsertest.Eval[string](m.Page, `document.getElementById('text').value`) == "at ", "typed")
	for _, k := range []key{keyA, keyT, space, f3} {
		m.up(k)
	}

	m.Run(`game.canvas.focus(); game.began.length = 0; game.actions.capture = (code) => { game.actions.capture = null; game.captured = code; }`)
	m.down(keyT, 0)
	m.up(keyT)
	did("a key that is bound does nothing else", "")
	testenv.Check(t, browsertest.Eval[string](m.Page, `game.captured`) == "KeyT", "captured")
	m.Run(`game.actions.bindings.bind('jump', 'KeyT')`)
	m.down(keyT, 0)
	is("T is bound to jump", "jump, 0")
	m.Run(`game.overlays.show({ name: 'x', show() {}, hide() {} })`)
	is("something is open", ", 0")
	m.up(keyT)
	m.down(keyA, 0)
	is("and has the keys", ", 0")
	m.up(keyA)
	m.down(escape, 0)
	m.up(escape)
	testenv.Check(t, browsertest.Eval[bool](m.Page, `!game.overlays.open && game.input.enabled`), "Escape closes it")
	m.down(escape, 0)
	m.up(escape)
	did("Escape opens the menu", "the menu")
}

// TestMouse checks buttons, wheel, and the pointer that the browser locks, or refuses to lock.
func TestMouse(t *testing.T) {
	m := stage(t)
	asked := func(what, want string) {
		t.Helper()
		if got := browsertest.Eval[string](m.Page, `game.asked.join(' ')`); got != want {
			t.Errorf("%s: asked %s, want %s", what, got, want)
		}
	}
	event := func(kind input.DispatchMouseEventType, button input.MouseButton, buttons int64) {
		send(m, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: 640, Y: 200, Button: button, Buttons: buttons, ClickCount: 1})
	}
	ask[any](m, `answerLock('NotSupportedError')`)
	event("mousePressed", "left", 1)
	event("mousePressed", "right", 3)
	testenv.Check(t, m.held() == "hook fire, 1", "two buttons: %s", m.held())
	event("mouseReleased", "left", 2)
	testenv.Check(t, m.held() == "hook, 2", "one button: %s", m.held())
	event("mouseReleased", "right", 0)
	m.Wait(`game.asked.length === 2`)
	asked("without acceleration, and again without that wish", "raw plain")
	event("mousePressed", "middle", 4)
	event("mouseReleased", "middle", 0)
	event("mousePressed", "back", 8)
	event("mouseReleased", "back", 0)
	testenv.Check(t, m.began() == "spectate /spectate spectate_previous /spectate_previous", "other buttons")
	send(m, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: "mouseWheel", X: 640, Y: 200, DeltaX: 0.1, DeltaY: 120})
	m.Wait(`game.input.next === 2`)

	// After Escape, Chromium refuses for a while: the page tries again, and then it gives up. The
	// test fails if a refusal is an error that nothing catches.
	ask[any](m, `answerLock('SecurityError', 'SecurityError')`)
	m.Run(`game.mouse.lock()`)
	m.Wait(`game.asked.length === 3 && !game.mouse.refused`)
	asked("until it succeeds", "raw raw raw")
	ask[any](m, `answerLock(...Array(20).fill('InvalidStateError'))`)
	m.Run(`game.mouse.lock()`)
	m.Wait(`game.mouse.refused`)
	asked("five times", "raw raw raw raw raw")

	// Then the place of the pointer is the aim, wherever the camera is.
	m.Run(`Object.assign(game.camera, { x: 1000, y: 500 })`)
	m.Run(`game.aimed = () => { game.mouse.aim({ x: 900, y: 500 }); return [game.input.x, game.input.y].map(Math.round).join(); }`)
	send(m, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: "mouseMoved", X: 640, Y: 260})
	send(m, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: "mouseMoved", X: 700, Y: 360})
	want := browsertest.Eval[string](m.Page, `[100 + 60 * game.camera.unit * game.canvas.width / game.canvas.clientWidth, 0].map(Math.round).join()`)
	got := browsertest.Eval[string](m.Page, `game.aimed()`)
	testenv.Check(t, got == want, "the aim is %s, want %s", got, want)
	m.Run(`game.input.aimFrom('pad', -50, 0)`)
	testenv.Check(t, browsertest.Eval[string](m.Page, `game.aimed()`) == "-50,0", "another device aims")

	// A lock that the player or the system ends opens the menu once.
	ask[any](m, `answerLock()`)
	m.Run(`game.began.length = 0; game.mouse.lock()`)
	m.Wait(`game.mouse.locked`)
	m.Run(`document.exitPointerLock()`)
	m.down(escape, 0) // a browser that also reports the key
	testenv.Check(t, m.began() == "the menu", "lost by Escape")
	testenv.Check(t, browsertest.Eval[bool](m.Page, `game.overlays.open === game.menu`), "the menu stays")
	m.Run(`game.overlays.close()`)
	m.Wait(`game.mouse.locked`)
	m.Run(`game.overlays.show({ name: 'x', show() {}, hide() {} })`)
	testenv.Check(t, m.began() == "" && browsertest.Eval[bool](m.Page, `game.element === null && game.overlays.open.name === 'x'`), "ended by the page")
}

// TestGamepad checks a gamepad, its sticks, and that it may be pulled out.
func TestGamepad(t *testing.T) {
	m := stage(t)
	testenv.Check(t, ask[int](m, "plugIn()") == 1, "it is found")
	m.Run(`game.pad.buttons[0].value = 1; game.pad.buttons[7].value = 0.5; game.pad.buttons[6].value = 0.1; game.pad.axes[0] = 0.9`)
	m.Wait(`game.actions.running.size === 3`)
	testenv.Check(t, m.held() == "right jump fire, 1", "%s", m.held())
	m.Run(`game.pad.buttons[0].value = 0; game.pad.buttons[7].value = 0.25; game.pad.axes = [-0.6, 0, 0, -1]`)
	m.Wait(`game.input.held.left && game.input.y < 0`)
	testenv.Check(t, m.held() == "left fire, 1", "a trigger that trembles: %s", m.held())
	aim := browsertest.Eval[string](m.Page, `[game.input.x, game.input.y + game.input.reach, game.input.aimedBy].join()`)
	testenv.Check(t, aim == "0,0,pad", "the right stick aims: %s", aim)
	m.Run(`game.pad.buttons[9].value = 1`)
	m.Wait(`game.began.includes('menu')`)
	m.Run(`game.pad.buttons[9].value = 0; game.pad.buttons[5].value = 1`)
	m.Wait(`game.input.next === 2`)
	m.Run(`navigator.getGamepads = () => [null, null]; dispatchEvent(new Event('gamepaddisconnected'))`)
	testenv.Check(t, m.held() == ", 2", "pulled out: %s", m.held())
	testenv.Check(t, browsertest.Eval[bool](m.Page, `game.gamepads.number === 0 && game.actions.running.size === 0`), "nothing runs on")
}

// TestTouch plays with fingers.
func TestTouch(t *testing.T) {
	m := stage(t)
	m.Do(chromedp.EmulateViewport(640, 360, chromedp.EmulateTouch))
	m.Run(`dispatchEvent(new Event('touchstart')); game.settings.set('touch', {})`)
	m.Wait(`!game.touch.box.hidden`)
	at := func(name string) [2]float64 {
		return browsertest.Eval[[2]float64](m.Page, fmt.Sprintf(`(() => {
			const r = document.querySelector('[data-control=%s]').getBoundingClientRect();
			return [r.x + r.width / 2, r.y + r.height / 2];
		})()`, name))
	}
	add := func(p [2]float64, x, y float64) [2]float64 { return [2]float64{p[0] + x, p[1] + y} }
	is := func(what, want string) {
		t.Helper()
		for range 100 { // a browser tells the page of moves with its next picture
			if m.held() == want {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("%s: %s, want %s", what, m.held(), want)
	}
	move, aim, hook, jump := at("move"), at("aim"), at("hook"), at("jump")
	m.Touch("touchStart", move)
	is("a thumb that rests", ", 0")
	m.Touch("touchMove", add(move, 40, 0))
	is("it moves", "right, 0")
	m.Touch("touchStart", add(move, 40, 0), jump)
	is("and jumps", "right jump, 0")
	send(m, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: "touchEnd", TouchPoints: []*input.TouchPoint{{X: jump[0], Y: jump[1], ID: new(1.)}}})
	is("once", "right, 0")
	m.Touch("touchStart", add(move, 40, 0), aim)
	m.Touch("touchMove", add(move, 40, 0), add(aim, 0, -30))
	m.Wait(`game.input.y < -200 && Math.abs(game.input.x) < 1`)
	is("it aims within the ring", "right, 0")
	m.Touch("touchMove", add(move, 40, 0), add(aim, 0, -80))
	is("beyond the ring it fires", "right fire, 1")
	m.Touch("touchStart", add(move, 40, 0), add(aim, 0, -80), hook)
	is("and hooks with another finger", "right hook fire, 1")
	m.Touch("touchMove", add(move, -60, 0), add(aim, 20, 0), add(hook, 30, 0))
	is("the other way", "left hook, 2")
	m.Wait(`game.input.x > 100 && Math.abs(game.input.y) < 1`) // the thumb aims, not the finger on the hook
	m.Touch("touchEnd")
	is("no finger", ", 2")

	// A hook that is dragged is thrown again that way.
	m.Run(`game.hooks = []; const { press } = game.input; game.input.press = function(a, s) { if (a === 'hook') game.hooks.push(1); press.call(this, a, s); }`)
	m.Touch("touchStart", hook)
	m.Touch("touchMove", add(hook, -40, 0))
	m.Wait(`game.input.x < -200`)
	is("a hook with one thumb", "hook, 2")
	testenv.Check(t, browsertest.Eval[int](m.Page, `game.hooks.length`) <= 2, "thrown twice at most")
	m.Touch("touchEnd")
	is("let go", ", 2")

	// Something opens under a finger.
	m.Touch("touchStart", move)
	m.Touch("touchMove", add(move, 40, 0))
	is("runs", "right, 2")
	m.began()
	m.Run(`game.overlays.show(game.menu)`)
	m.Wait(`game.touch.box.hidden`)
	is("stands", ", 2")
	m.Touch("touchEnd")
	m.Run(`game.overlays.close()`)
	m.Wait(`!game.touch.box.hidden`)

	// Buttons that open something do it when the finger is lifted; the scoreboard stays.
	m.began()
	m.Touch("touchStart", at("chat"))
	testenv.Check(t, m.began() == "", "too early")
	m.Touch("touchEnd")
	m.Wait(`game.began.includes('chat')`)
	m.Touch("touchStart", at("scoreboard"))
	m.Touch("touchEnd")
	m.Wait(`game.input.scoreboard`)
	m.Touch("touchStart", at("scoreboard"))
	m.Touch("touchEnd")
	m.Wait(`!game.input.scoreboard`)

	// The player moves a control, which stays there and works there.
	m.Run(`game.overlays.show(game.editor.overlay)`)
	m.Wait(`!game.touch.box.hidden && game.touch.editing`)
	m.Touch("touchStart", jump)
	m.Touch("touchMove", [2]float64{320, 180})
	m.Touch("touchEnd")
	m.Wait(`JSON.stringify(game.settings.get('touch')) === '{"jump":[0.5,0.5]}'`)
	is("which does not jump", ", 2")
	m.Run(`game.overlays.close()`)
	m.Wait(`!game.touch.editing && !game.touch.box.hidden`)
	m.Touch("touchStart", [2]float64{320, 180})
	is("it jumps there", "jump, 2")
	m.Touch("touchEnd")
	m.Run(`game.editor.reset()`)
	m.Wait(`JSON.stringify(game.settings.get('touch')) === '{}'`)

	same := browsertest.Eval[bool](m.Page, `visualViewport.scale === 1 && scrollX === 0 && scrollY === 0 && getSelection().isCollapsed`)
	testenv.Check(t, same, "the page stays as it is")
}

// TestKeysInMenu binds keys in the menu.
func TestKeysInMenu(t *testing.T) {
	b := sitDown(t)
	bind := func(action, code, said string) {
		t.Helper()
		b.Run(`game.menu.open('Keys'); game.keys.cells.` + action + `.querySelector('.add').click()`)
		b.check("it asks for a key", `!game.keys.pane.hidden`)
		b.press(code)
		b.check("it waits no longer", `game.keys.pane.hidden && !game.actions.capture`)
		if got := browsertest.Eval[string](b.Page, `game.keys.said.textContent`); got != said {
			t.Errorf("%s: %q, want %q", code, got, said)
		}
	}
	bind("jump", "KeyB", "B is Jump now.")
	bind("fire", "KeyT", "T is Fire now, and no longer Chat.")
	bind("fire", "KeyT", "T has been Fire before.")
	bind("fire", "Escape", "T has been Fire before.")
	b.check("the keys are shown", `game.keys.cells.jump.textContent.includes('B') && !game.keys.cells.chat.textContent.includes('T')`)
	b.check("the menu is still there", `game.overlays.open === game.menu.overlay`)
	b.Run(`game.overlays.close(); game.actions.press('KeyB')`)
	b.check("B jumps", `game.input.held.jump === 1`)
	b.press("F1")
	b.check("the help is open", `game.overlays.open === game.help.overlay`)
	b.check("and knows it", `[...game.help.box.querySelectorAll('dt')].some((e) => e.textContent.endsWith('UpB'))`)
	b.press("F1")
	b.check("closed", `!game.overlays.open`)
	b.Run(`game.menu.open('Keys'); game.keys.reset.click()`)
	b.check("as at first", `game.actions.bindings.action('KeyT') === 'chat' && game.actions.bindings.action('KeyB') === undefined && game.keys.reset.disabled`)
}

// TestPressesReachServer checks that other players see what the player does, a shot of no time too.
func TestPressesReachServer(t *testing.T) {
	b := sitDown(t)
	anna := b.join("anna", client.Version07)
	self := game.PlayerID(browsertest.Eval[int](b.Page, `game.connection.engine.self`))
	var seen game.CharacterState
	sees := func(what string, wanted func(c game.CharacterState) bool) {
		t.Helper()
		for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			found := false
			anna.WithView(func(v *game.View) {
				i := slices.IndexFunc(v.Characters, func(c game.CharacterState) bool { return c.Player == self })
				if found = i >= 0 && wanted(v.Characters[i]); found {
					seen = v.Characters[i]
				}
			})
			if found {
				return
			}
		}
		t.Fatalf("nobody sees that the tee %s: %+v", what, seen)
	}
	sees("stands", func(c game.CharacterState) bool { return c.VelY == 0 && c.VelX == 0 })
	ground := seen.Pos.Y
	b.Run(`game.actions.press('Space')`)
	sees("jumps", func(c game.CharacterState) bool { return c.Pos.Y < ground-30 })
	b.Run(`game.actions.end('Space')`)
	attack := seen.AttackTick
	b.Run(`for (const type of ['mousedown', 'mouseup']) game.canvas.dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0 }))`)
	sees("fires", func(c game.CharacterState) bool { return c.AttackTick > attack })
	b.press("Digit1")
	sees("has the hammer", func(c game.CharacterState) bool { return c.Weapon == 0 })
	sees("stands", func(c game.CharacterState) bool { return c.VelY == 0 && c.VelX == 0 })
	x := seen.Pos.X

	b.Do(chromedp.EmulateViewport(480, 270, chromedp.EmulateTouch))
	b.Touch("touchStart", [2]float64{90, 150})
	b.Touch("touchEnd")
	b.Wait(`!game.touch.box.hidden`)
	b.Touch("touchStart", [2]float64{90, 150})
	b.Touch("touchMove", [2]float64{40, 150})
	sees("runs to the left of a finger", func(c game.CharacterState) bool { return c.Pos.X < x-20 || c.Direction < 0 })
	b.Touch("touchEnd")
	sees("stands", func(c game.CharacterState) bool { return c.Direction == 0 })
	b.Screenshot()
}
