package bridge

import (
	"errors"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Why a Host did not take a message.
var (
	// ErrMessage: it could not be read, or is none that a client sends.
	ErrMessage = errors.New("bridge: not a message of a client")
	// ErrNotVital: it counts only in a vital chunk.
	ErrNotVital = errors.New("bridge: message must be vital")
)

// Version is one version of the protocol as a server speaks it. What all its
// clients get alike is made here, once.
//
// Per tick: Note. Per round of snapshots: Begin, then Host.Build for each client,
// then Done.
type Version interface {
	// Name is short, as "0.7", for logs and counters.
	Name() string
	// Speaks is what a client has to say it speaks. (INFO)
	Speaks() string
	// Host makes the server's end for the client that s is about.
	Host(s Session) Host
	// Note takes what a tick brought.
	Note(w *game.World, events []game.Event)
	// Begin prepares a round of snapshots of the world as it is.
	Begin(w *game.World)
	// Done ends a round: effects were shown, to whomever they could be.
	Done()
	// PlainMaps tells whether clients read only maps without compressed tile layers.
	PlainMaps() bool
}

// Session is the server's side of a client.
type Session interface {
	Line
	Requests
}

// Requests is what a client asks for. The methods are called by Host.Take. Texts
// are copies, and within the limits that the version has for them.
type Requests interface {
	// OnHello is the first word of a client. (INFO)
	OnHello(h Hello)
	// OnMapRequest wants a chunk of the map, or the next ones if chunk is below 0.
	// (REQUEST_MAP_DATA)
	OnMapRequest(chunk int)
	// OnReady: the map is there. (READY)
	OnReady()
	// OnProfile tells who wants to play. (Cl_StartInfo)
	OnProfile(p *game.Profile)
	// OnEnter: lets us in. (ENTERGAME)
	OnEnter()
	// OnInput is what a player does. (INPUT)
	OnInput(in *Input)
	// OnCommand is something asked of the game. Whose command it is, the session
	// knows.
	OnCommand(c game.Command)
	// OnChatCommand is a command given in the chat. (Cl_Command)
	OnChatCommand(name, args string)
	// OnLogin wants to use the remote console; the name is mostly empty. (RCON_AUTH)
	OnLogin(name, password string)
	// OnRcon is a line for the remote console. (RCON_CMD)
	OnRcon(line string)
	// OnCallVote wants a vote: kind is VoteOption with the option's text as value,
	// VoteKick or VoteSpectate with the id of a player. (Cl_CallVote)
	OnCallVote(kind VoteKind, value, reason string, force bool)
	// OnVote is an answer to the vote that runs: -1 no, 0 none, 1 yes. (Cl_Vote)
	OnVote(vote int32)
}

// Hello is a client's first word.
type Hello struct {
	// Fits tells whether client and server speak the same; Wants is what the
	// client says it speaks, as it came.
	Fits     bool
	Wants    string
	Password string
	// Client is the client's version: of 0.7 clients that of the release, as
	// 0x0705; 0 if it did not tell.
	Client int32
}

// Input is what an INPUT message brings.
type Input struct {
	Ack        int32 // tick of the newest snapshot received, -1 none
	Tick       int32 // that it is meant for
	Correction int32 // ms that the client held the acknowledgement back
	Do         game.Input
	Valid      bool // Do is in range
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

// Info is what the server tells clients of itself. (0.7: SERVERINFO)
type Info struct {
	Version, Name, Hostname, Map, GameType string
	Password, TimeScore                    bool
	SkillLevel                             int32
	Players, Slots, Clients, MaxClients    int32
}

// Vote is a vote that runs or has ended.
type Vote struct {
	Kind    VoteKind
	Caller  game.PlayerID // Nobody: the server, or an operator who forced it
	Timeout int32         // s left
	// What is the option's text or the player's name; Target is the player.
	What, Reason string
	Target       game.PlayerID
}

// Host is the server's end of a bridge, for one client. Each method but Take, Build,
// Sizes and ChunkSize writes what it tells to the client's Line: one message, some,
// or none if the version has none. When a packet is full or its time has come, the
// server knows.
type Host interface {
	// Take reads a message of the client and calls the method of Requests that it
	// is for; payload may be changed. The error is ErrMessage or ErrNotVital.
	Take(payload []byte, vital bool) error
	// Restart forgets what belongs to a map.
	Restart()

	// MapChange announces the map. (MAP_CHANGE)
	MapChange(m *Map)
	// MapData sends a chunk of it, which starts at chunk times ChunkSize. (MAP_DATA)
	MapData(m *Map, chunk int)
	// ChunkSize is how many bytes of the map MapData sends at once.
	ChunkSize() int
	// ConReady says that the map is there as far as the server minds, and that it
	// wants to know who plays. (CON_READY)
	ConReady()
	// ReadyToEnter says that the client may enter. (Sv_ReadyToEnter)
	ReadyToEnter()
	// ServerInfo tells what the server calls itself. (SERVERINFO)
	ServerInfo(info *Info)
	// Motd tells the message of the day, maybe of several lines. (Sv_Motd)
	Motd(text string)

	// Event tells what happened in the game. The server gives a client the events
	// whose To names it; effects and those that only a server minds lead to nothing
	// here.
	Event(w *game.World, ev *game.Event)
	// ToldOf introduces a player who is there already, or the client to itself;
	// others who come and go are Events. Silent is for whom no line is to be shown.
	// (Sv_ClientInfo)
	ToldOf(w *game.World, about game.PlayerID, self, silent bool)
	// GameInfo tells the limits and the number of the match. (Sv_GameInfo)
	GameInfo(w *game.World)
	// Settings tells which votes and how many players there can be.
	// (Sv_ServerSettings)
	Settings(w *game.World)
	// Tuning tells how tees and weapons move. (Sv_TuneParams)
	Tuning(w *game.World)

	// VoteClear takes all options to vote for away. (Sv_VoteClearOptions)
	VoteClear()
	// VoteOptions adds options to vote for, in order. (Sv_VoteOptionListAdd)
	VoteOptions(texts []string)
	// VoteOptionNew adds one that was made now. (Sv_VoteOptionAdd)
	VoteOptionNew(text string)
	// VoteOptionGone takes one away. (Sv_VoteOptionRemove)
	VoteOptionGone(text string)
	// Vote tells that a vote has begun or ended. (Sv_VoteSet)
	Vote(v *Vote)
	// VoteStatus counts the voices: for it, against it, abstentions, and all who may
	// vote. (Sv_VoteStatus)
	VoteStatus(yes, no, pass, total int32)

	// RconAuth says whether the client is an operator now. (RCON_AUTH_ON, _OFF)
	RconAuth(on bool)
	// RconLine is a line for an operator's console. (RCON_LINE)
	RconLine(line string)
	// RconCommand adds a command to an operator's list. (RCON_CMD_ADD)
	RconCommand(c *Command)
	// RconCommandGone takes one away. (RCON_CMD_REM)
	RconCommandGone(name string)
	// MapListed adds a map to an operator's list. (MAPLIST_ENTRY_ADD)
	MapListed(name string)

	// Build writes what the view shows; latency is what the scoreboard is to show
	// per player, in ms.
	Build(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32)
	// Sizes are the sizes of objects that both sides know.
	Sizes() *snapshot.Sizes
	// Snapshot sends one part of a delta: Parts 0 of the header says that nothing
	// changed. (SNAPEMPTY, SNAPSINGLE, SNAP)
	Snapshot(h snapshot.Header, part int, data []byte)
	// InputTiming tells how many ms early the input for a tick came.
	InputTiming(tick, left int32)
}
