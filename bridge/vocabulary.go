package bridge

import (
	"encoding/hex"
	"fmt"

	"github.com/teeyard/teeyard/bridge/internal/texts"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// Sender accepts the messages that a ServerSide or a ClientSide writes.
type Sender interface {
	// Queue adds a message to the packet under construction. Queue must not keep payload.
	Queue(payload []byte, vital bool)
	// FlushSoon asks the sender to send queued messages right after the current datagram is handled
	// instead of waiting for more messages.
	FlushSoon()
}

// Vote is a running or finished vote.
type Vote struct {
	Kind        event.VoteKind // VoteNone tells a new client that no vote is running
	Caller      game.PlayerID  // Nobody for a vote of the server or one that an operator forced
	Timeout     int32          // seconds left
	Description string         // the option's text or the target's name
	Reason      string
	Target      game.PlayerID // the player to kick or to move
}

// CommandInfo describes a command that a server offers in its remote console or in chat.
type CommandInfo struct {
	Name   string
	Params string // s string, i integer, f float, r rest of the line, ? before an optional one
	Help   string
}

// ServerInfo is a server's description of itself for its clients. (0.7: SERVERINFO)
type ServerInfo struct {
	Version, Name, Hostname, Map, GameType string
	NeedsPassword                          bool
	TimeScore                              bool // scores are race times
	SkillLevel                             int32
	Players, PlayerSlots                   int32
	Clients, MaxClients                    int32
}

// Event returns the announcement as an event. URL is the download address of the map, "" if the
// server sends none.
func (m *MapChange) Event(url string) event.MapAnnounced {
	e := event.MapAnnounced{
		Map: m.Name, CRC: m.CRC, Size: m.Size, URL: url, ChunkSize: m.ChunkSize, ChunksPerRequest: m.ChunksPerRequest,
	}
	if m.HasSHA256 {
		e.SHA256 = hex.EncodeToString(m.SHA256[:])
	}
	return e
}

// RefusedTeamText returns the reason why a player cannot change to team t now, or "" if none is
// known. The rules make the final decision.
func RefusedTeamText(w *game.World, id game.PlayerID, t game.Team) string {
	p, ok := w.Player(id)
	if !ok || p.Team == t {
		return ""
	}
	wait := (p.TeamChangeTick - w.Tick()) / game.TickRate
	switch g := &w.Frame().Game; {
	case w.Paused() && g.StartTick != w.Tick(): // the countdown before a match does not count as a pause
		return "Teams cannot be changed while the game stands still"
	case t != game.TeamSpectators && w.TeamsLocked():
		return "Teams are locked"
	case p.TeamChangeTick > w.Tick():
		return fmt.Sprintf("Time to wait before changing team: %02d:%02d", wait/60, wait%60)
	case p.Team == game.TeamSpectators && w.NumPlaying() >= int(w.Rules().PlayerSlots):
		return fmt.Sprintf("Only %d active players are allowed", w.Rules().PlayerSlots)
	}
	return ""
}

// PlayerIDOf returns v as a player id, or Nobody if v is out of range.
func PlayerIDOf(v int32) game.PlayerID {
	if v < 0 || v >= game.MaxPlayers {
		return game.Nobody
	}
	return game.PlayerID(v)
}

// CaptureText returns the server's chat line about a flag that was captured after being carried for
// the given number of ticks. CaptureText omits a time of over a minute.
func CaptureText(flag game.Team, by string, ticks int32) string {
	color := "red"
	if flag == game.TeamBlue {
		color = "blue"
	}
	text := "The " + color + " flag was captured by '" + by + "'"
	if ticks < 0 || ticks > 60*game.TickRate {
		return text
	}
	return fmt.Sprintf("%s (%d.%02d seconds)", text, ticks/game.TickRate, ticks%game.TickRate*100/game.TickRate)
}

// EnteredText returns the chat line of a 0.6 server about a player who joined.
func EnteredText(name string, t game.Team, f game.GameFlags) string {
	return "'" + name + "' entered and joined the " + texts.TeamName(t, f)
}

// JoinedTeamText returns the chat line of a 0.6 server about a player who changed teams.
func JoinedTeamText(name string, t game.Team, f game.GameFlags) string {
	return "'" + name + "' joined the " + texts.TeamName(t, f)
}

// LeftText returns the chat line of a 0.6 server about a player who left.
func LeftText(name, reason string) string {
	if reason == "" {
		return "'" + name + "' has left the game"
	}
	return "'" + name + "' has left the game (" + reason + ")"
}
