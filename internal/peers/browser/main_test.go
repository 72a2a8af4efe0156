//go:build peers

// Package browser tests the page that plays in a real browser, on the real program and beside the
// real clients.
package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

func TestMain(m *testing.M) { peers.MainWithScreens(browsertest.Tests{M: m}) }

// host is a running server with its page.
type host struct {
	*peers.Server
	t    testing.TB
	home string
}

func startHost(t testing.TB, settings string) *host {
	t.Helper()
	home := t.TempDir()
	return &host{peers.StartTeeyardIn(t, home, settings), t, home}
}

// player is a player in a browser.
type player struct {
	*browsertest.Page
	t testing.TB
}

// open opens the page in a small window, in which a browser without a graphics card draws fast.
func (h *host) open(name string) *player {
	h.t.Helper()
	return h.openAt("http://"+strings.Replace(h.Addr.String(), "127.0.0.1", "localhost", 1), name)
}

func (h *host) openAt(server, name string) *player {
	h.t.Helper()
	key := strings.TrimSpace(string(testenv.Must(os.ReadFile(filepath.Join(h.home, "http.key")))))
	p := &player{browsertest.OpenAt(h.t, server, "/play?key="+key), h.t}
	p.resize(480, 270)
	p.Run(`localStorage.setItem('teeyard look', 'own')`)
	p.Run(fmt.Sprintf(`teeyard.settings.set('name', %s)`, quoted(name)))
	p.Goto("/play")
	return p
}

// join clicks on Play and waits until the player is in the match.
func (p *player) join() {
	p.t.Helper()
	p.Wait(`document.querySelector('#card button.play:not(:disabled)')`)
	p.Run(`document.querySelector('#card button.play').click()`)
	p.Wait(`teeyard.connection.playing && teeyard.moment`)
}

// state returns a number of the engine's state.
func (p *player) state(index int) float64 {
	p.t.Helper()
	return browsertest.Eval[float64](p.Page, fmt.Sprintf(`teeyard.connection.engine?.state[%d] ?? 0`, index))
}

// own returns the place of the own tee, once it lives.
func (p *player) own() (at struct{ X, Y float64 }) {
	p.t.Helper()
	p.Wait(`teeyard.connection.match.own`)
	return browsertest.Eval[struct{ X, Y float64 }](p.Page, `({ X: teeyard.connection.match.own?.x ?? 0, Y: teeyard.connection.match.own?.y ?? 0 })`)
}

// hold holds an action until an expression is true.
func (p *player) hold(action, until string) {
	p.t.Helper()
	p.Run(`teeyard.input.press('` + action + `')`)
	p.Wait(until)
	p.Run(`teeyard.input.release('` + action + `')`)
}

// say says a text to all.
func (p *player) say(text string) { p.Run(`teeyard.connection.act('say', ` + quoted(text) + `)`) }

// heard returns an expression: the chat has a line with a text.
func heard(text string) string {
	return `teeyard.connection.match.events.chat.events.some((c) => c.text.includes(` + quoted(text) + `))`
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// soon waits for a condition of the real programs.
func soon(t testing.TB, what string, condition func() bool) {
	t.Helper()
	peers.Eventually(t, 60*time.Second, what, condition)
}
