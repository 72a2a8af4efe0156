package bridge

import (
	"errors"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ErrUnknownMessage: a message that the version does not have.
var ErrUnknownMessage = errors.New("bridge: unknown message")

// ClientSide is the client's end of a bridge. The methods of its first part write to the
// Line; those of the second show the game as the messages and snapshots tell it.
type ClientSide interface {
	// Receive reads a message of the server and calls the methods of News that it is
	// for; payload may be changed. The error wraps ErrUnknownMessage for a message that
	// the version does not have.
	Receive(payload []byte, vital bool) error

	// SendLogin is the first of five steps into the game: which version we speak, and the
	// password, empty for none. (INFO)
	SendLogin(password string)
	// SendRequestMapData asks for a chunk of the map, or for the next ones where the version
	// does not say which. (REQUEST_MAP_DATA)
	SendRequestMapData(chunk int)
	// SendReady says that the map is here. (READY)
	SendReady()
	// SendProfile says who plays: name, clan, country, looks. (Cl_StartInfo)
	SendProfile(p *game.Profile)
	// SendEnterGame is the last step. (ENTERGAME)
	SendEnterGame()

	// SendInput sends what the player does in a tick, and acknowledges a snapshot, which
	// came some ms ago.
	SendInput(ack, tick int32, in *game.Input, ago int32)
	// SendCommand asks for a command; false for one that this version cannot ask for.
	SendCommand(c *game.Command) bool
	// SendChatCommand runs a command of the server's that is typed in the chat, without
	// its slash. (Cl_Command)
	SendChatCommand(name, args string)
	// SendCallVote calls a vote; value is the option's text or the player's id in
	// decimal. (Cl_CallVote)
	SendCallVote(kind VoteKind, value, reason string)
	// SendVote is for the vote that runs (1), against it (-1), or neither (0). (Cl_Vote)
	SendVote(vote int32)
	// SendRconAuth asks to be an operator. The name is for servers that want one; most
	// do not. (RCON_AUTH)
	SendRconAuth(name, password string)
	// SendRconCmd runs a line of the console as an operator. (RCON_CMD)
	SendRconCmd(line string)
	// SendPing asks for a sign of life; OnPingReply of Upkeep is the answer. (PING)
	SendPing()

	// Reset forgets the game, as when the server changes the map. The map stays.
	Reset()
	// SetMap gives the map, without which tees are shown where the server last told
	// of them. Nil takes it away.
	SetMap(c *physics.Collision)
	// ItemSizes are the sizes of objects that both sides know.
	ItemSizes() *snapshot.ItemSizes
	// ReceiveSnapshot takes a snapshot and returns the view of it, valid until the next.
	ReceiveSnapshot(tick int32, s *snapshot.Snapshot) *game.View
	// View is the view of the last snapshot, never nil.
	View() *game.View
	// Effects is what the last snapshot brought to see and to hear.
	Effects() []game.Event
	// OwnID is the receiver's id, Nobody while it is unknown.
	OwnID() game.PlayerID
	// Player tells about a player; false when he is not in the game, and then what
	// is known of the last who had the seat.
	Player(id game.PlayerID) (game.PlayerInfo, bool)
	// Settings are those that the server told last. (Sv_ServerSettings)
	Settings() Settings
	// GameInfo are the score and time limit and the number of the match.
	GameInfo() game.GameState
	// Tuning is how tees and weapons move. (Sv_TuneParams)
	Tuning() game.Tuning
	// RaceInfo tells what the last snapshot said of a race.
	RaceInfo() *RaceInfo
	// CoreState is how a tee of the view moves: what the server told of it last,
	// brought forward to the tick of the view.
	CoreState(c *game.CharacterState) physics.CoreState
}

// RaceInfo is where a race stands, for modes of [game.GameFlagRace]. (PlayerInfoRace,
// GameDataRace)
type RaceInfo struct {
	Active    bool  // the server tells of a race
	BestTime  int32 // best time of all, ms; -1 none
	Precision int32 // decimals of a second to show, 0..3
	// HideKillMessages asks to show no kills, FinishAsChat to tell of finishes as lines of
	// chat, KeepWantedWeapon that a tee keeps its weapon when it gets another.
	HideKillMessages, FinishAsChat, KeepWantedWeapon bool
	// StartTick is the tick at which a player started, 0 if he does not run.
	StartTick [game.MaxPlayers]int32
}

// ServerMessageHandler is what a server tells.
type ServerMessageHandler interface {
	SessionHandler
	GameHandler
}

// SessionHandler is the part of the news that keeps a session going: the way into the game,
// snapshots, clocks. Bytes are borrowed.
type SessionHandler interface {
	// OnMapChange announces the map. (MAP_CHANGE)
	OnMapChange(m *MapChange)
	// OnMapData brings a chunk of it; chunk is below 0 if the version does not say
	// which. (MAP_DATA)
	OnMapData(chunk int, data []byte)
	// OnConReady: now the server wants to know who plays. (CON_READY)
	OnConReady()
	// OnReadyToEnter: we may enter. (Sv_ReadyToEnter)
	OnReadyToEnter()
	// OnSnapshotPart brings a part of a snapshot; without data nothing changed.
	// (SNAPEMPTY, SNAPSINGLE, SNAP)
	OnSnapshotPart(h snapshot.PartHeader, part int32, data []byte)
	// OnInputTiming tells how many ms early the input for a tick came.
	// (INPUTTIMING)
	OnInputTiming(tick, left int32)
	// OnPingReply answers Ping. (PING_REPLY)
	OnPingReply()
}

// GameHandler is the part of the news that players care for. Texts are copies, fit to be
// shown.
type GameHandler interface {
	// OnEvent is something that happened in the game; the event is borrowed. To is
	// empty: what a client is told is for it.
	OnEvent(ev *game.Event)
	// OnServerInfo brings what the server calls itself. (SERVERINFO)
	OnServerInfo(info *ServerInfo)
	// OnMotd brings the message of the day, maybe of several lines. (Sv_Motd)
	OnMotd(text string)
	// OnRaceFinish: a player finished; times in ms, -1 none. (Sv_RaceFinish)
	OnRaceFinish(id game.PlayerID, time, diff int32, record bool)
	// OnCheckpoint: the receiver passed one, diff ms behind his best. (Sv_Checkpoint)
	OnCheckpoint(diff int32)

	// OnVote: a vote has begun or ended; the vote is borrowed. (Sv_VoteSet)
	OnVote(v *Vote)
	// OnVoteStatus counts the voices: for it, against it, abstentions, and all who
	// may vote. (Sv_VoteStatus)
	OnVoteStatus(yes, no, pass, total int32)
	// OnVoteOptions: there are more options to vote for; with clear, those before
	// are gone. (Sv_VoteOptionListAdd, Sv_VoteOptionAdd, Sv_VoteClearOptions)
	OnVoteOptions(add []string, clear bool)
	// OnVoteOptionRemoved: an option is gone. (Sv_VoteOptionRemove)
	OnVoteOptionRemoved(text string)

	// OnRconAuthStatus says whether we are an operator now. (RCON_AUTH_ON, _OFF)
	OnRconAuthStatus(on bool)
	// OnRconLine is a line of the server's console. (RCON_LINE)
	OnRconLine(line string)
	// OnRconCommand: the console has this command; it is borrowed. (RCON_CMD_ADD)
	OnRconCommand(c *CommandInfo)
	// OnRconCommandRemoved: a command of the console is gone. (RCON_CMD_REM)
	OnRconCommandRemoved(name string)
	// OnMapListEntry: the server has this map, or has it no more. (MAPLIST_ENTRY_ADD,
	// _REM)
	OnMapListEntry(name string, gone bool)
	// OnChatCommand: there is a command to type in the chat, or it is gone.
	// (Sv_CommandInfo, Sv_CommandInfoRemove)
	OnChatCommand(c *CommandInfo, gone bool)
}

// MapChange is a map that a server announces. Nothing in it was checked.
type MapChange struct {
	Name string // fit to be shown
	CRC  uint32
	Size int // bytes
	// SHA256 is set if Hashed.
	SHA256    [32]byte
	HasSHA256 bool
	// ChunksPerRequest and ChunkSize tell how it comes; Numbered that instead
	// clients ask for chunk after chunk, by number, and take what comes.
	ChunksPerRequest, ChunkSize int
	ChunksNumbered              bool
	// Refusal is why clients of the version do not take the map, "" if they do.
	Refusal string
}
