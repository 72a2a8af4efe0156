package modhost

import "github.com/teeyard/teeyard/game"

// View has the texts and menus of mods that a client was last sent.
type View struct {
	text     string // on the screen
	textTick int32  // when it was sent, 0 to send it again
	// heldUntil is the tick until which a broadcast is shown instead of text.
	heldUntil int32

	menu     int32 // its version in game.World.MenuLines, or menuStale
	menuTick int32 // when it was sent
}

// Screen shows a client the texts and menus of mods.
type Screen interface {
	// ShowMenu replaces the menu.
	ShowMenu(lines []string)
	// ShowMore shows another part of a long menu, if there is one.
	ShowMore()
	// ShowText shows a text in the middle of the screen, "" for none.
	ShowText(text string)
}

const (
	menuStale = -1
	// viewTicks is the fewest ticks between two changes that a client is sent. Mods may change
	// their texts more often.
	viewTicks = game.TickRate / 5
	// broadcastTicks is how long clients show a broadcast. A lasting text is sent again before
	// that. One version of clients replaces it with texts of its own, and it returns after them.
	broadcastTicks = 10 * game.TickRate
	textTicks      = broadcastTicks / 2
)

// Hold keeps the text of mods from the screen while a broadcast is there. An empty broadcast ends
// the one before.
func (v *View) Hold(broadcast string, tick int32) {
	v.textTick = 0
	if v.heldUntil = tick + broadcastTicks; broadcast == "" {
		v.heldUntil = 0
	}
}

// SendMenuAgain makes the next Send show the menu, if there is one.
func (v *View) SendMenuAgain(w *game.World, id game.PlayerID) {
	if lines, _ := w.MenuLines(id); len(lines) > 0 {
		v.menu = menuStale
	}
}

// Send shows a player the text and the menu of mods where they have changed.
func (v *View) Send(w *game.World, id game.PlayerID, to Screen) {
	tick := w.Tick()
	if lines, version := w.MenuLines(id); v.menu != version && tick >= v.menuTick+viewTicks {
		v.menu, v.menuTick = version, tick
		to.ShowMenu(lines)
	} else {
		to.ShowMore()
	}
	text := w.ScreenText(id)
	again := int32(textTicks)
	if text != v.text {
		again = viewTicks
	}
	if text == "" && v.text == "" || tick < v.heldUntil || v.textTick != 0 && tick < v.textTick+again {
		return
	}
	v.text, v.textTick = text, tick
	to.ShowText(text)
}

// Shown returns the text that the client was sent last, and reports whether it was sent a menu.
func (v *View) Shown() (text string, hasMenu bool) { return v.text, v.menu != 0 }
