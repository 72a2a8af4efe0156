package server

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/chat"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/modhost"
)

// newMods creates the host of the mode and the mods.
func newMods(s *Server) *modhost.Mods {
	return modhost.New(modhost.Config{
		Host: modsHost{s}, Chat: modsChat{s}, Modes: s.cfg.Modes, FindMode: s.cfg.FindMode, ChooseMode: s.cfg.ChooseMode,
		Mods: s.cfg.Mods, FindMod: s.cfg.FindMod, ThreadTime: s.cfg.ThreadTime, Background: func(f func()) { s.cfg.Background(f) },
		Now: func() conn.Time { return s.now }, Wake: func() { s.transport.Wake() },
	})
}

// modsHost is the server behind its mode and mods. It implements modhost.Host.
type modsHost struct{ s *Server }

// Queue implements modhost.Host.
func (h modsHost) Queue(cmd game.Command) { h.s.queueCommand(cmd) }

// Ask implements modhost.Host.
func (h modsHost) Ask(call *console.Call, cmd game.Command) { h.s.lines.askWorld(call, cmd) }

// Print implements modhost.Host.
func (h modsHost) Print(level int, system, line string) { h.s.print(level, system, line) }

// Offered implements modhost.Host.
func (h modsHost) Offered(e console.Entry) {
	for _, c := range h.s.sessions {
		if c.mayRun(e) && (c.rcon.allListed || c.rcon.lastListed > e.Name) {
			c.bridge.SendRconCommand(&bridge.CommandInfo{Name: e.Name, Params: e.Params, Help: e.Help})
		}
	}
}

// Withdrawn implements modhost.Host.
func (h modsHost) Withdrawn(e console.Entry) {
	for _, c := range h.s.sessions {
		if c.mayRun(e) && (c.rcon.allListed || c.rcon.lastListed >= e.Name) {
			c.bridge.SendRconCommandRemoved(e.Name)
		}
	}
}

// mayRun reports whether the client is an operator who may run a console command.
func (c *session) mayRun(e console.Entry) bool {
	return c != nil && c.rcon.authed && !c.dropping && e.Level >= c.rcon.level
}

// VariableSet implements modhost.Host.
func (h modsHost) VariableSet(name, value string) { h.s.ddrace.noteVariable(name, value) }

// modsChat is the chat commands of the mode and the mods. It implements modhost.Chat.
type modsChat struct{ s *Server }

// Has implements modhost.Chat.
func (h modsChat) Has(name string) bool {
	own, exists := h.s.chat.Find(name)
	return exists && !own.Replaceable
}

// Add implements modhost.Chat.
func (h modsChat) Add(cmd game.CommandSpec) error {
	return h.s.chat.Add(chat.Command{Name: cmd.Name, Params: cmd.Params, Help: cmd.Help, Private: cmd.Private, Run: func(call *chat.Call) {
		if cmd.Name == "team" && h.s.votes.IsAccuser(call.Player) {
			call.Reply("You are running a vote please try again after the vote is done!")
			return
		}
		if cmd.Name == "settings" && h.s.tellSetting(call) {
			return
		}
		call.Request(game.ChatCommand(call.Player, cmd.Name, call.Args...))
	}})
}

// Remove implements modhost.Chat.
func (h modsChat) Remove(name string) { h.s.chat.Remove(name) }

// modsScreen is the screen of a client. It implements modhost.Screen.
type modsScreen struct{ c *session }

// ShowMenu implements modhost.Screen.
func (m modsScreen) ShowMenu(lines []string) { m.c.server.votes.Offer(m.c.id, lines) }

// ShowMore implements modhost.Screen.
func (m modsScreen) ShowMore() {
	if v := m.c.server.votes; v.HasMore(m.c.id) && m.c.hasRoom() {
		v.OfferMore(m.c.id)
	}
}

// ShowText implements modhost.Screen.
func (m modsScreen) ShowText(text string) {
	m.c.bridge.SendEvent(m.c.server.world, &game.Event{Kind: game.EvBroadcast, To: game.MaskOne(m.c.id), Text: text, Flag: true})
}

// sendModViews sends the players the changed texts and menus of mods.
func (s *Server) sendModViews() {
	for _, c := range s.sessions {
		if c != nil && c.state == stateInGame && !c.isHeld() {
			c.modView.Send(s.world, c.id, modsScreen{c})
		}
	}
}
