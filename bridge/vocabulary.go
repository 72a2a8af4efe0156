package bridge

import (
	"encoding/hex"
	"fmt"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/safetext"
)

// Sender takes the messages that a ServerSide or a ClientSide writes.
type Sender interface {
	// Queue adds a message to the packet under construction. It must not keep payload.
	Queue(payload []byte, vital bool)
	// FlushSoon asks to send what is queued as soon as the received datagram has been
	// handled, instead of waiting for more.
	FlushSoon()
}

// NopSender is a Sender for reading what was recorded: nothing is sent.
type NopSender struct{}

// Queue drops the message.
func (NopSender) Queue([]byte, bool) {}

// FlushSoon does nothing.
func (NopSender) FlushSoon() {}

// Settings are the server settings that clients show. (0.7: Sv_ServerSettings)
type Settings = event.Settings

// Vote is a running or finished vote.
type Vote struct {
	Kind        VoteKind
	Caller      game.PlayerID // Nobody: the server, or an operator who forced it
	Timeout     int32         // seconds left
	Description string        // the option's text or the target's name
	Reason      string
	Target      game.PlayerID // the player to kick or to move
}

// VoteKind is what a vote is about, or how it ended.
type VoteKind = event.VoteKind

// The kinds of votes. VoteNone tells a new client that no vote is running.
const (
	VoteNone     = event.VoteNone
	VoteOption   = event.VoteOption
	VoteKick     = event.VoteKick
	VoteSpectate = event.VoteSpectate
	VoteAborted  = event.VoteAborted
	VotePassed   = event.VotePassed
	VoteFailed   = event.VoteFailed
)

// ParseVoteKind returns the kind that Cl_CallVote has by its name. Case does not matter.
func ParseVoteKind(name string) (VoteKind, bool) {
	var k VoteKind
	if k.UnmarshalText([]byte(name)) != nil || k < VoteOption || k > VoteSpectate {
		return VoteNone, false
	}
	return k, true
}

// CommandInfo describes a command that a server offers in its remote console or in the
// chat.
type CommandInfo struct {
	Name   string
	Params string // s string, i integer, f float, r rest of the line, ? optional
	Help   string
}

// ServerInfo is how a server describes itself to its clients. (0.7: SERVERINFO)
type ServerInfo struct {
	Version, Name, Hostname, Map, GameType string
	NeedsPassword                          bool
	TimeScore                              bool // scores are times
	SkillLevel                             int32
	Players, PlayerSlots                   int32
	Clients, MaxClients                    int32
}

// Event returns the event of a map that is announced. URL is where its file is, "" if the server
// does not say.
func (m *MapChange) Event(url string) event.MapAnnounced {
	e := event.MapAnnounced{
		Map: m.Name, CRC: m.CRC, Size: m.Size, URL: url, ChunkSize: m.ChunkSize, ChunksPerRequest: m.ChunksPerRequest,
	}
	if m.HasSHA256 {
		e.SHA256 = hex.EncodeToString(m.SHA256[:])
	}
	return e
}

// RecordOf returns the record that the flags of a message report.
func RecordOf(personal, ofAll bool) game.Record {
	switch {
	case ofAll:
		return game.RecordOfAll
	case personal:
		return game.RecordPersonal
	}
	return game.RecordNone
}

// RaceFinishText returns the line about a player who finished a race, for clients that
// compose none.
func RaceFinishText(name string, ms int32) string {
	return fmt.Sprintf("%s finished in: %d minute(s) %5.2f second(s)", name, ms/60_000, float64(ms%60_000)/1000)
}

// RefusedTeamText returns why a player cannot change to a team now, "" if they can, or as
// far as that is known: the rules decide.
func RefusedTeamText(w *game.World, id game.PlayerID, t game.Team) string {
	p, ok := w.Player(id)
	if !ok || p.Team == t {
		return ""
	}
	wait := (p.TeamChangeTick - w.Tick()) / game.TickRate
	switch g := &w.Frame().Game; {
	case w.Paused() && g.StartTick != w.Tick(): // not the countdown before a match
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

// PlayerIDOf returns v as a player id, Nobody if it is out of range.
func PlayerIDOf(v int32) game.PlayerID {
	if v < 0 || v >= game.MaxPlayers {
		return game.Nobody
	}
	return game.PlayerID(v)
}

// Point returns a position given in whole units.
func Point(x, y int32) vec.Vec2 { return vec.Vec2{X: float32(x), Y: float32(y)} }

// WeaponPickup returns the pickup that gives a weapon; PickupHealth, which is 0, for no
// weapon.
func WeaponPickup(w game.Weapon) game.PickupKind {
	if w < 0 || w >= game.NumWeapons {
		return 0
	}
	return [game.NumWeapons]game.PickupKind{
		game.PickupHammer, game.PickupGun, game.PickupShotgun, game.PickupGrenade, game.PickupLaser, game.PickupNinja,
	}[w]
}

// NewCommandInfo makes a CommandInfo of texts that are not safe to show yet.
func NewCommandInfo(name, params, help []byte) *CommandInfo {
	return &CommandInfo{Name: safetext.Line(name), Params: safetext.Line(params), Help: safetext.Line(help)}
}

// SafeTexts makes texts safe to show.
func SafeTexts(texts [][]byte) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = safetext.Line(t)
	}
	return out
}

// CaptureText returns what a server says in chat of a captured flag that was carried for some
// ticks. It has no time above a minute.
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

// TeamName returns the name of a team as it is used after "the".
func TeamName(t game.Team, f game.GameFlags) string {
	switch {
	case t == game.TeamSpectators:
		return "spectators"
	case f&game.GameFlagTeams == 0:
		return "game"
	case t == game.TeamBlue:
		return "blue team"
	}
	return "red team"
}

// EnteredText returns what a server of 0.6 says in chat of a player who comes.
func EnteredText(name string, t game.Team, f game.GameFlags) string {
	return "'" + name + "' entered and joined the " + TeamName(t, f)
}

// JoinedTeamText returns what it says of one who changes the team.
func JoinedTeamText(name string, t game.Team, f game.GameFlags) string {
	return "'" + name + "' joined the " + TeamName(t, f)
}

// LeftText returns what it says of one who leaves.
func LeftText(name, reason string) string {
	if reason == "" {
		return "'" + name + "' has left the game"
	}
	return "'" + name + "' has left the game (" + reason + ")"
}
