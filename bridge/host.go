package bridge

import (
	"errors"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Why a Host did not take a message.
var (
	// ErrBadMessage: it could not be read, or is none that a client sends.
	ErrBadMessage = errors.New("bridge: not a message of a client")
	// ErrNotVital: it counts only in a vital chunk.
	ErrNotVital = errors.New("bridge: message must be vital")
)

// Protocol is one version of the protocol as a server speaks it. What all its
// clients get alike is made here, once.
//
// Per tick: Note. Per round of snapshots: Begin, then Host.Build for each client,
// then Done.
type Protocol interface {
	// Name is short, as "0.7", for logs and counters.
	Name() string
	// NetVersion is what a client has to say it speaks. (INFO)
	NetVersion() string
	// NewServerSide makes the server's end for the client that s is about.
	NewServerSide(s Session) ServerSide
	// RecordTick takes what a tick brought.
	RecordTick(w *game.World, events []game.Event)
	// BeginSnapshots prepares a round of snapshots of the world as it is.
	BeginSnapshots(w *game.World)
	// EndSnapshots ends a round: effects were shown, to whomever they could be.
	EndSnapshots()
	// NeedsUncompressedTiles tells whether clients read only maps without compressed tile layers.
	NeedsUncompressedTiles() bool
}

// Session is the server's side of a client.
type Session interface {
	Sender
	ClientMessageHandler
}

// ClientMessageHandler is what a client asks for. The methods are called by Host.Take. Texts
// are copies, and within the limits that the version has for them.
type ClientMessageHandler interface {
	// OnLogin is the first word of a client. (INFO)
	OnLogin(h Login)
	// OnRequestMapData wants a chunk of the map, or the next ones if chunk is below 0.
	// (REQUEST_MAP_DATA)
	OnRequestMapData(chunk int)
	// OnReady: the map is there. (READY)
	OnReady()
	// OnProfile tells who wants to play. (Cl_StartInfo)
	OnProfile(p *game.Profile)
	// OnEnterGame: lets us in. (ENTERGAME)
	OnEnterGame()
	// OnInput is what a player does. (INPUT)
	OnInput(in *InputMessage)
	// OnCommand is something asked of the game. Whose command it is, the session
	// knows.
	OnCommand(c game.Command)
	// OnChatCommand is a command given in the chat. (Cl_Command)
	OnChatCommand(name, args string)
	// OnRconAuth wants to use the remote console; the name is mostly empty. (RCON_AUTH)
	OnRconAuth(name, password string)
	// OnRconCmd is a line for the remote console. (RCON_CMD)
	OnRconCmd(line string)
	// OnCallVote wants a vote: kind is VoteOption with the option's text as value,
	// VoteKick or VoteSpectate with the id of a player. (Cl_CallVote)
	OnCallVote(kind VoteKind, value, reason string, force bool)
	// OnVote is an answer to the vote that runs: -1 no, 0 none, 1 yes. (Cl_Vote)
	OnVote(vote int32)
}

// Login is a client's first word.
type Login struct {
	// VersionOK tells whether client and server speak the same; Wants is what the
	// client says it speaks, as it came.
	VersionOK  bool
	NetVersion string
	Password   string
	// ClientVersion is the client's version: of 0.7 clients that of the release, as
	// 0x0705; 0 if it did not tell.
	ClientVersion int32
}

// InputMessage is what an INPUT message brings.
type InputMessage struct {
	AckTick        int32 // tick of the newest snapshot received, -1 none
	IntendedTick   int32 // that it is meant for
	PingCorrection int32 // ms that the client held the acknowledgement back
	Input          game.Input
	Valid          bool // Do is in range
}

// Map is the map as a client is told of it.
type Map struct {
	Name             string
	File             []byte
	CRC              uint32 // IEEE, of the file
	SHA256           [32]byte
	ChunksPerRequest int // at least 1
	// URL is where the file can be fetched from the web instead; empty for nowhere.
	URL string
}

// ServerInfo is what the server tells clients of itself. (0.7: SERVERINFO)
type ServerInfo struct {
	Version, Name, Hostname, Map, GameType    string
	NeedsPassword, TimeScore                  bool
	SkillLevel                                int32
	Players, PlayerSlots, Clients, MaxClients int32
}

// Vote is a vote that runs or has ended.
type Vote struct {
	Kind    VoteKind
	Caller  game.PlayerID // Nobody: the server, or an operator who forced it
	Timeout int32         // s left
	// Description is the option's text or the player's name; Target is the player.
	Description, Reason string
	Target              game.PlayerID
}

// ServerSide is the server's end of a bridge, for one client. Each method but Take, Build,
// Sizes and MapChunkSize writes what it tells to the client's Line: one message, some,
// or none if the version has none. When a packet is full or its time has come, the
// server knows.
type ServerSide interface {
	// Receive reads a message of the client and calls the method of Requests that it
	// is for; payload may be changed. The error is ErrBadMessage or ErrNotVital.
	Receive(payload []byte, vital bool) error
	// Reset forgets what belongs to a map.
	Reset()

	// SendMapChange announces the map. (MAP_CHANGE)
	SendMapChange(m *Map)
	// SendMapData sends a chunk of it, which starts at chunk times MapChunkSize. (MAP_DATA)
	SendMapData(m *Map, chunk int)
	// MapChunkSize is how many bytes of the map SendMapData sends at once.
	MapChunkSize() int
	// SendConReady says that the map is there as far as the server minds, and that it
	// wants to know who plays. (CON_READY)
	SendConReady()
	// SendReadyToEnter says that the client may enter. (Sv_ReadyToEnter)
	SendReadyToEnter()
	// SendServerInfo tells what the server calls itself. (SERVERINFO)
	SendServerInfo(info *ServerInfo)
	// SendMotd tells the message of the day, maybe of several lines. (Sv_Motd)
	SendMotd(text string)

	// SendEvent tells what happened in the game. The server gives a client the events
	// whose To names it; effects and those that only a server minds lead to nothing
	// here.
	SendEvent(w *game.World, ev *game.Event)
	// SendClientInfo introduces a player who is there already, or the client to itself;
	// others who come and go are Events. Silent is for whom no line is to be shown.
	// (Sv_ClientInfo)
	SendClientInfo(w *game.World, about game.PlayerID, self, silent bool)
	// SendGameInfo tells the limits and the number of the match. (Sv_GameInfo)
	SendGameInfo(w *game.World)
	// SendSettings tells which votes and how many players there can be.
	// (Sv_ServerSettings)
	SendSettings(w *game.World)
	// SendTuning tells how tees and weapons move. (Sv_TuneParams)
	SendTuning(w *game.World)

	// SendVoteOptionsCleared takes all options to vote for away. (Sv_VoteClearOptions)
	SendVoteOptionsCleared()
	// SendVoteOptions adds options to vote for, in order. (Sv_VoteOptionListAdd)
	SendVoteOptions(texts []string)
	// SendVoteOption adds one that was made now. (Sv_VoteOptionAdd)
	SendVoteOption(text string)
	// SendVoteOptionRemoved takes one away. (Sv_VoteOptionRemove)
	SendVoteOptionRemoved(text string)
	// SendVote tells that a vote has begun or ended. (Sv_VoteSet)
	SendVote(v *Vote)
	// SendVoteStatus counts the voices: for it, against it, abstentions, and all who may
	// vote. (Sv_VoteStatus)
	SendVoteStatus(yes, no, pass, total int32)

	// SendRconAuthStatus says whether the client is an operator now. (RCON_AUTH_ON, _OFF)
	SendRconAuthStatus(on bool)
	// SendRconLine is a line for an operator's console. (RCON_LINE)
	SendRconLine(line string)
	// SendRconCommand adds a command to an operator's list. (RCON_CMD_ADD)
	SendRconCommand(c *CommandInfo)
	// SendRconCommandRemoved takes one away. (RCON_CMD_REM)
	SendRconCommandRemoved(name string)
	// SendMapListEntry adds a map to an operator's list. (MAPLIST_ENTRY_ADD)
	SendMapListEntry(name string)

	// BuildSnapshot writes what the view shows; latency is what the scoreboard is to show
	// per player, in ms.
	BuildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32)
	// ItemSizes are the sizes of objects that both sides know.
	ItemSizes() *snapshot.ItemSizes
	// SendSnapshotPart sends one part of a delta: Parts 0 of the header says that nothing
	// changed. (SNAPEMPTY, SNAPSINGLE, SNAP)
	SendSnapshotPart(h snapshot.PartHeader, part int, data []byte)
	// SendInputTiming tells how many ms early the input for a tick came.
	SendInputTiming(tick, left int32)
}
