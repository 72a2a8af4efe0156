package bridge

import (
	"errors"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ErrUnknown: a message that the version does not have.
var ErrUnknown = errors.New("bridge: unknown message")

// Guest is the client's end of a bridge. The methods of its first part write to the
// Line; those of the second show the game as the messages and snapshots tell it.
type Guest interface {
	// Take reads a message of the server and calls the methods of News that it is
	// for; payload may be changed. The error wraps ErrUnknown for a message that
	// the version does not have.
	Take(payload []byte, vital bool) error

	// The way into the game, in its order: INFO, REQUEST_MAP_DATA, READY,
	// Cl_StartInfo, ENTERGAME.
	Hello(password string)
	RequestMap(chunk int)
	Ready()
	Profile(p *game.Profile)
	Enter()

	// Input sends what the player does in a tick, and acknowledges a snapshot, which
	// came some ms ago.
	Input(ack, tick int32, in *game.Input, ago int32)
	// Ask asks for a command; false for one that this version cannot ask for.
	Ask(c *game.Command) bool
	ChatCommand(name, args string)
	CallVote(kind VoteKind, value, reason string)
	Vote(vote int32)
	RconLogin(name, password string)
	Rcon(line string)
	Ping()

	// Reset forgets the game, as when the server changes the map. The map stays.
	Reset()
	// SetMap gives the map, without which tees are shown where the server last told
	// of them. Nil takes it away.
	SetMap(c *physics.Collision)
	Sizes() *snapshot.Sizes
	// Snapshot takes a snapshot and returns the view of it, valid until the next.
	Snapshot(tick int32, s *snapshot.Snapshot) *game.View
	View() *game.View
	// Effects is what the last snapshot brought to see and to hear.
	Effects() []game.Event
	// Own is the receiver's id, Nobody while it is unknown.
	Own() game.PlayerID
	// Player tells about a player; false when he is not in the game, and then what
	// is known of the last who had the seat.
	Player(id game.PlayerID) (game.PlayerInfo, bool)
	Settings() Settings
	// Limits are the score and time limit and the number of the match.
	Limits() game.GameState
	Tuning() game.Tuning
	// Race tells what the last snapshot said of a race.
	Race() *Race
	// State is how a tee of the view moves: what the server told of it last,
	// brought forward to the tick of the view.
	State(c *game.CharacterState) physics.State
}

// Race is where a race stands, for modes of [game.GameRace]. (PlayerInfoRace,
// GameDataRace)
type Race struct {
	On        bool  // the server tells of a race
	Best      int32 // best time of all, ms; -1 none
	Precision int32 // decimals of a second to show, 0..3
	// HideKills asks to show no kills, FinishInChat to tell of finishes as lines of
	// chat, KeepWeapon that a tee keeps its weapon when it gets another.
	HideKills, FinishInChat, KeepWeapon bool
	// Start is the tick at which a player started, 0 if he does not run.
	Start [game.MaxPlayers]int32
}

// News is what a server tells.
type News interface {
	Upkeep
	Story
}

// Upkeep is the part of the news that keeps a session going: the way into the game,
// snapshots, clocks. Bytes are borrowed.
type Upkeep interface {
	// OnMapChange announces the map. (MAP_CHANGE)
	OnMapChange(m *MapOffer)
	// OnMapData brings a chunk of it; chunk is below 0 if the version does not say
	// which. (MAP_DATA)
	OnMapData(chunk int, data []byte)
	// OnConReady: now the server wants to know who plays. (CON_READY)
	OnConReady()
	// OnReadyToEnter: we may enter. (Sv_ReadyToEnter)
	OnReadyToEnter()
	// OnSnapshot brings a part of a snapshot; without data nothing changed.
	// (SNAPEMPTY, SNAPSINGLE, SNAP)
	OnSnapshot(h snapshot.Header, part int32, data []byte)
	// OnInputTiming tells how many ms early the input for a tick came.
	// (INPUTTIMING)
	OnInputTiming(tick, left int32)
	// OnPong answers Ping. (PING_REPLY)
	OnPong()
}

// Story is the part of the news that players care for. Texts are copies, fit to be
// shown.
type Story interface {
	// OnEvent is something that happened in the game; the event is borrowed. To is
	// empty: what a client is told is for it.
	OnEvent(ev *game.Event)
	OnServerInfo(info *Info)
	OnMotd(text string)
	// OnRaceFinish: a player finished; times in ms, -1 none. (Sv_RaceFinish)
	OnRaceFinish(id game.PlayerID, time, diff int32, record bool)
	// OnCheckpoint: the receiver passed one, diff ms behind his best. (Sv_Checkpoint)
	OnCheckpoint(diff int32)

	OnVote(v *Vote)
	OnVoteStatus(yes, no, pass, total int32)
	OnVoteOptions(add []string, clear bool)
	OnVoteOptionGone(text string)

	OnRconAuth(on bool)
	OnRconLine(line string)
	OnRconCommand(c *Command)
	OnRconCommandGone(name string)
	OnMapListed(name string, gone bool)
	OnChatCommand(c *Command, gone bool)
}

// MapOffer is a map that a server announces. Nothing in it was checked.
type MapOffer struct {
	Name string // fit to be shown
	CRC  uint32
	Size int // bytes
	// SHA256 is set if Hashed.
	SHA256 [32]byte
	Hashed bool
	// ChunksPerRequest and ChunkSize tell how it comes; Numbered that instead
	// clients ask for chunk after chunk, by number, and take what comes.
	ChunksPerRequest, ChunkSize int
	Numbered                    bool
	// Refusal is why clients of the version do not take the map, "" if they do.
	Refusal string
}
