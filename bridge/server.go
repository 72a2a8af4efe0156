package bridge

import (
	"errors"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Errors of ServerSide.Receive.
var (
	// ErrBadMessage is returned for a message that cannot be decoded or that clients do
	// not send.
	ErrBadMessage = errors.New("bridge: not a message of a client")
	// ErrNotVital is returned for a message that must be vital and is not.
	ErrNotVital = errors.New("bridge: message must be vital")
)

// Protocol is one version of the protocol for a server. It does once what is the same for
// all clients of the version.
//
// The server calls RecordTick in every tick. For every round of snapshots it calls
// BeginSnapshots, then ServerSide.BuildSnapshot for each client, then EndSnapshots.
type Protocol interface {
	// Name is short, as "0.7", for logs and counters.
	Name() string
	// NetVersion is the version string that clients have to send. (INFO)
	NetVersion() string
	// NewServerSide makes the translator for a new client.
	NewServerSide(s Session) ServerSide
	// NewDemoSide makes a translator for a demo, which a client of the version plays: where
	// it would need a message that came before, what it says is in every snapshot. When a
	// snapshot has no room for all items, the most important stay: the match and the
	// flags, players, tees, projectiles, lasers, pickups, effects. The translator
	// receives nothing.
	NewDemoSide(s Sender) ServerSide
	// RecordTick remembers what the next snapshots show of the events of a tick.
	RecordTick(w *game.World, events []game.Event)
	// BeginSnapshots prepares a round of snapshots of the world as it is.
	BeginSnapshots(w *game.World)
	// EndSnapshots ends a round of snapshots: recorded events are not shown again.
	EndSnapshots()
	// NeedsUncompressedTiles reports whether clients read only maps whose tile layers are
	// not compressed.
	NeedsUncompressedTiles() bool
}

// Session is the server's part of a connection to a client.
type Session interface {
	Sender
	ClientMessageHandler
}

// SendOnly is the Session of a translator that receives nothing.
type SendOnly struct {
	Sender
	ClientMessageHandler // nil
}

// ClientMessageHandler handles the messages of a client. ServerSide.Receive calls its
// methods. Texts are copies and no longer than the version allows.
type ClientMessageHandler interface {
	// OnLogin handles the first message of a client. (INFO)
	OnLogin(l Login)
	// OnRequestMapData asks for a chunk of the map, or for the next ones if chunk is
	// negative. (REQUEST_MAP_DATA)
	OnRequestMapData(chunk int)
	// OnReady reports that the map is loaded. (READY)
	OnReady()
	// OnProfile brings name, clan, country and skin of the player. (Cl_StartInfo)
	OnProfile(p *game.Profile)
	// OnEnterGame asks to enter the game. (ENTERGAME)
	OnEnterGame()
	// OnInput brings the player's input. (INPUT)
	OnInput(in *InputMessage)
	// OnCommand asks for something in the game. The command's Player is not set.
	OnCommand(c game.Command)
	// OnChatCommand runs a command given in the chat. (Cl_Command)
	OnChatCommand(name, args string)
	// OnTimeoutCode brings a secret by which the player is recognized after a timeout. It
	// must not be logged or shown. (DDNet's chat command /timeout)
	OnTimeoutCode(code string)
	// OnDDNetVersion is the release of a client of DDNet that did not say it before it
	// logged in. (Cl_IsDDNetLegacy)
	OnDDNetVersion(version int32)
	// OnRconAuth asks for access to the remote console. The name is mostly empty.
	// (RCON_AUTH)
	OnRconAuth(name, password string)
	// OnRconCmd runs a line in the remote console. (RCON_CMD)
	OnRconCmd(line string)
	// OnCallVote calls a vote: of VoteOption with the option's text as value, of VoteKick
	// or VoteSpectate with the id of a player. (Cl_CallVote)
	OnCallVote(kind VoteKind, value, reason string, force bool)
	// OnVote votes in the running vote: -1 no, 0 neither, 1 yes. (Cl_Vote)
	OnVote(choice int32)
}

// Login is the first message of a client.
type Login struct {
	VersionOK  bool   // client and server speak the same version
	NetVersion string // the client's version string, unchecked
	Password   string
	// ClientVersion is the release of the client: 0x0705 for 0.7.5, 16040 for DDNet
	// 16.4; 0 if it did not say.
	ClientVersion int32
	// DDNet is what DDNet's client says of itself besides, nil for others.
	DDNet *DDNetClient
}

// DDNetClient is what DDNet's client says of itself before it logs in.
type DDNetClient struct {
	ConnectionID [16]byte // the same for its second connection and after a timeout
	Release      string   // such as "DDNet 16.4", unchecked
}

// ParseTimeoutCode returns the code of a line of chat with DDNet's command "/timeout CODE",
// which its client sends on joining, also as one of several commands: "/mc;timeout
// CODE;emote happy 9". isCommand reports whether the line is such a command, even without a
// code, or without a space before it. Others must not see it then. Characters that show
// nothing are spaces here.
func ParseTimeoutCode(line string) (code string, isCommand bool) {
	line, ok := strings.CutPrefix(safetext.TrimBlank(line), "/")
	if !ok {
		return "", false
	}
	commands := []string{line}
	if rest := strings.Split(line, ";"); strings.EqualFold(rest[0], "mc") && len(rest) > 1 {
		commands, isCommand = rest[1:], true
	}
	for _, c := range commands {
		const name = "timeout"
		c = safetext.TrimBlank(c)
		if len(c) >= len(name) && strings.EqualFold(c[:len(name)], name) {
			return safetext.TrimBlank(c[len(name):]), true
		}
	}
	return "", isCommand
}

// InputMessage is an INPUT message.
type InputMessage struct {
	AckTick        int32 // tick of the newest snapshot received, -1 none
	IntendedTick   int32 // tick that the input is for
	PingCorrection int32 // ms between the arrival of the snapshot and its acknowledgement
	Input          game.Input
	Valid          bool // Input is in range
}

// Map is a map as clients are told of it.
type Map struct {
	Name             string
	File             []byte
	CRC              uint32 // IEEE, of the file
	SHA256           [32]byte
	ChunksPerRequest int    // at least 1
	URL              string // where the file can be downloaded, "" for nowhere
}

// MaxText is the most bytes of a text from the server in the chat or on the screen; the rest is cut.
// A message of 0.6 has room for little more.
const MaxText = 1000

// ServerSide translates between the server and one client. Each Send method writes to
// the client's Sender what it is called after: one message, several, or none if the
// version has none. The server decides when packets leave.
type ServerSide interface {
	// Receive decodes a message of the client and calls the method of the
	// ClientMessageHandler for it. It may change payload. The error is ErrBadMessage or
	// ErrNotVital.
	Receive(payload []byte, vital bool) error
	// Reset forgets what belongs to the old map when the map changes.
	Reset()

	// SendMapChange announces the map. (MAP_CHANGE)
	SendMapChange(m *Map)
	// SendMapData sends a chunk of the map, which starts at chunk times MapChunkSize.
	// (MAP_DATA)
	SendMapData(m *Map, chunk int)
	// MapChunkSize returns how many bytes of the map SendMapData sends at once.
	MapChunkSize() int
	// SendConReady asks for the profile. (CON_READY)
	SendConReady()
	// SendReadyToEnter allows to enter the game. (Sv_ReadyToEnter)
	SendReadyToEnter()
	// SendServerInfo sends the server's description of itself. (SERVERINFO)
	SendServerInfo(info *ServerInfo)
	// SendMotd sends the message of the day, which can have several lines. (Sv_Motd)
	SendMotd(text string)

	// SendEvent sends what an event is to the client. The server calls it for the events
	// whose To has the client. Nothing is sent for effects, which are in snapshots, and
	// for events that are for the server only.
	SendEvent(w *game.World, ev *game.Event)
	// SendClientInfo introduces a player who was there before the client, or, with self,
	// the client's own. Other players who come and go are events. With silent, clients
	// show no line about it. (Sv_ClientInfo)
	SendClientInfo(w *game.World, id game.PlayerID, self, silent bool)
	// SendGameInfo sends the limits and the number of the match. (Sv_GameInfo)
	SendGameInfo(w *game.World)
	// SendChatCommand adds a command to those that the client offers in its chat.
	// (Sv_CommandInfo)
	SendChatCommand(c *CommandInfo)
	// SendChatCommandRemoved removes a command of the chat. (Sv_CommandInfoRemove)
	SendChatCommandRemoved(name string)
	// SendSettings sends the server's settings. (Sv_ServerSettings)
	SendSettings(w *game.World)
	// SendTuning sends the tuning parameters of a player, or of the world for Nobody.
	// (Sv_TuneParams)
	SendTuning(w *game.World, id game.PlayerID)

	// SendVoteOptionsCleared removes all options to vote on. (Sv_VoteClearOptions)
	SendVoteOptionsCleared()
	// SendVoteOptions adds options to vote on, in order. (Sv_VoteOptionListAdd)
	SendVoteOptions(texts []string)
	// SendVoteOption adds an option that was created now. (Sv_VoteOptionAdd)
	SendVoteOption(text string)
	// SendVoteOptionRemoved removes an option. (Sv_VoteOptionRemove)
	SendVoteOptionRemoved(text string)
	// SendVote reports that a vote began or ended. (Sv_VoteSet)
	SendVote(v *Vote)
	// SendVoteStatus sends the number of votes for yes, no and neither, and of all who
	// may vote. (Sv_VoteStatus)
	SendVoteStatus(yes, no, pass, total int32)

	// SendRconType reports whether there are logins with names, for which the client has to ask then. (DDNet's RCONTYPE)
	SendRconType(names bool)
	// SendRconAuthStatus reports whether the client has access to the remote console.
	// (RCON_AUTH_ON, _OFF)
	SendRconAuthStatus(on bool)
	// SendRconLine sends a line of the remote console. (RCON_LINE)
	SendRconLine(line string)
	// SendRconCommand adds a command of the remote console. (RCON_CMD_ADD)
	SendRconCommand(c *CommandInfo)
	// SendRconCommandRemoved removes a command of the remote console. (RCON_CMD_REM)
	SendRconCommandRemoved(name string)
	// SendRedirect sends the client to another port of the same machine. It returns false if
	// the client cannot be sent there. (DDNet's REDIRECT)
	SendRedirect(port int) bool
	// SendMapListEntry adds a map to the list of the server's maps. (MAPLIST_ENTRY_ADD)
	SendMapListEntry(name string)
	// SendMapListEntryRemoved removes a map from the list. (MAPLIST_ENTRY_REM)
	SendMapListEntryRemoved(name string)

	// BuildSnapshot writes the items that the view shows. Latency is what the scoreboard
	// shows per player, in ms.
	BuildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32)
	// ItemSizes returns the sizes of the snapshot items that both sides know.
	ItemSizes() *snapshot.ItemSizes
	// SendSnapshotPart sends a part of a delta. If Parts of the header is 0, nothing
	// changed. (SNAPEMPTY, SNAPSINGLE, SNAP)
	SendSnapshotPart(h snapshot.PartHeader, part int, data []byte)
	// SendInputTiming reports how many ms early the input for a tick arrived.
	// (INPUTTIMING)
	SendInputTiming(tick, timeLeft int32)
}
