package bridge

import (
	"errors"
	"strings"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Errors returned by ServerSide.Receive.
var (
	// ErrBadMessage is returned for a message that cannot be decoded, or that clients do not send.
	ErrBadMessage = errors.New("bridge: not a client message")
	// ErrNotVital is returned for a message that must be sent vital and was not.
	ErrNotVital = errors.New("bridge: message must be vital")
)

// Protocol is one version of the protocol, for a server. Protocol encodes the parts that are the
// same for all clients of the version once.
//
// The server calls RecordTick in every tick. For every round of snapshots it calls BeginSnapshots,
// then ServerSide.BuildSnapshot for each client, then EndSnapshots.
type Protocol interface {
	// Name is a short name for logs and counters, such as "0.7".
	Name() string
	// NetVersion is the version string that clients must send. (INFO)
	NetVersion() string
	// NewServerSide returns the translator for a new client.
	NewServerSide(s Session) ServerSide
	// NewDemoSide returns a translator that writes a demo for clients of this version. Facts that a
	// client in a game learns from earlier messages are repeated in every snapshot. If a snapshot
	// has no room for all items, it keeps the most important ones. The order is: the match and the
	// flags, players, tees, projectiles, lasers, pickups, effects. The translator receives no
	// messages.
	NewDemoSide(s Sender) ServerSide
	// RecordTick records the events of a tick that the next snapshots must show.
	RecordTick(w *game.World, events []game.Event)
	// BeginSnapshots prepares a round of snapshots of the world's current state.
	BeginSnapshots(w *game.World)
	// EndSnapshots ends a round of snapshots. Recorded events are not shown again.
	EndSnapshots()
	// NeedsUncompressedTiles reports whether some clients cannot read maps with compressed tile
	// layers.
	NeedsUncompressedTiles() bool
}

// Session is the server's end of a connection to a client.
type Session interface {
	Sender
	ClientMessageHandler
}

// ClientMessageHandler handles the messages of a client. ServerSide.Receive calls its methods.
// Texts are copies, at most as long as the version allows.
type ClientMessageHandler interface {
	// OnLogin handles the first message of a client. (INFO)
	OnLogin(l Login)
	// OnRequestMapData handles the request for a chunk of the map, or for the next chunks if chunk
	// is negative. (REQUEST_MAP_DATA)
	OnRequestMapData(chunk int)
	// OnReady reports that the map is loaded. (READY)
	OnReady()
	// OnProfile handles the player's name, clan, country and skin. (Cl_StartInfo)
	OnProfile(p *game.Profile)
	// OnEnterGame handles the request to enter the game. (ENTERGAME)
	OnEnterGame()
	// OnInput handles the player's input. (INPUT)
	OnInput(in *InputMessage)
	// OnCommand handles a request for an action in the game. The command's Player is not set.
	OnCommand(c game.Command)
	// OnChatCommand runs a chat command. (Cl_Command)
	OnChatCommand(name, args string)
	// OnTimeoutCode handles the secret that identifies a player who returns after a timeout. Never
	// log or show it. (DDNet's chat command /timeout, which is a Cl_Command in 0.7)
	OnTimeoutCode(code string)
	// OnDDNetVersion handles the release of a DDNet client that did not send it before its login.
	// (Cl_IsDDNetLegacy)
	OnDDNetVersion(version int32)
	// OnRconAuth handles a request for access to the remote console. The name is usually empty.
	// (RCON_AUTH)
	OnRconAuth(name, password string)
	// OnRconCmd runs a line in the remote console. (RCON_CMD)
	OnRconCmd(line string)
	// OnCallVote calls a vote. Value is the option's text for VoteOption, and a player's id for
	// VoteKick and VoteSpectate. (Cl_CallVote)
	OnCallVote(kind event.VoteKind, value, reason string, force bool)
	// OnVote counts a vote in the running vote: -1 is no, 0 is neither, 1 is yes. (Cl_Vote)
	OnVote(choice int32)
}

// Login is the first message of a client.
type Login struct {
	VersionOK  bool   // client and server speak the same version
	NetVersion string // the client's version string, unchecked
	Password   string
	// ClientVersion is the client's release: 0x0705 for 0.7.5, 16040 for DDNet 16.4, 0 if the
	// client sent none.
	ClientVersion int32
	// DDNet is additional information from DDNet's client, nil for other clients.
	DDNet *DDNetClient
}

// DDNetClient is the information that DDNet's client sends before its login.
type DDNetClient struct {
	ConnectionID [16]byte // equal for both connections of a client, and kept after a timeout
	Release      string   // such as "DDNet 16.4", unchecked
}

// TimeoutCommand is the name of the chat command with which a client sends its timeout code.
const TimeoutCommand = "timeout"

// ParseTimeoutCode returns the code in a chat line with DDNet's command "/timeout CODE". DDNet's
// client sends the line when it joins. The command can be one of several: "/mc;timeout CODE;emote
// happy 9". Invisible characters count as spaces.
//
// isCommand reports whether the line is such a command, even if the code or the space before it is
// missing. Other players must not see a line for which isCommand is true.
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
		const name = TimeoutCommand
		c = safetext.TrimBlank(c)
		if len(c) >= len(name) && strings.EqualFold(c[:len(name)], name) {
			return safetext.TrimBlank(c[len(name):]), true
		}
	}
	return "", isCommand
}

// InputMessage is an INPUT message.
type InputMessage struct {
	AckTick        int32 // tick of the newest snapshot received, -1 for none
	IntendedTick   int32 // the tick that the input is for
	PingCorrection int32 // ms between the arrival of the snapshot and its acknowledgement
	Input          game.Input
	Valid          bool // whether Input is in range
}

// Map is the map that the server offers to clients.
type Map struct {
	Name             string
	File             []byte
	CRC              uint32 // CRC-32 (IEEE) of the file
	SHA256           [32]byte
	ChunksPerRequest int    // at least 1
	URL              string // download address, "" for none
}

// MaxText is the maximum length in bytes of a server's chat line or broadcast. The rest is cut. A
// 0.6 message holds little more.
const MaxText = 1000

// ServerSide translates between the server and one client. Each Send method writes the message that
// it is named after to the client's Sender. That can take several messages, or none if the version
// has no such message. The server decides when packets leave.
type ServerSide interface {
	// Receive decodes a message from the client and calls the matching method of the
	// ClientMessageHandler. Receive may modify payload. The error is ErrBadMessage or ErrNotVital.
	Receive(payload []byte, vital bool) error
	// Reset forgets everything about the old map when the map changes.
	Reset()

	// SendMapChange announces the map. (MAP_CHANGE)
	SendMapChange(m *Map)
	// SendMapData sends the chunk of the map that starts at chunk times MapChunkSize. (MAP_DATA)
	SendMapData(m *Map, chunk int)
	// MapChunkSize returns the number of map bytes in one chunk.
	MapChunkSize() int
	// SendConReady requests the player's profile. (CON_READY)
	SendConReady()
	// SendReadyToEnter allows the client to enter the game. (Sv_ReadyToEnter)
	SendReadyToEnter()
	// SendServerInfo sends the server's description of itself. (SERVERINFO)
	SendServerInfo(info *ServerInfo)
	// SendMotd sends the message of the day. The message can have several lines. (Sv_Motd)
	SendMotd(text string)

	// SendEvent sends the messages for an event. The server calls it only if the client is in the
	// event's To. Effects are sent in snapshots instead. Events that are only for the server are
	// not sent.
	SendEvent(w *game.World, ev *game.Event)
	// SendClientInfo introduces a player who was in the game before the client, or, with self, the
	// client's own player. Later arrivals and departures are sent as events. With silent, clients
	// show no line about the player. (Sv_ClientInfo)
	SendClientInfo(w *game.World, id game.PlayerID, self, silent bool)
	// SendGameInfo sends the limits and the match number. (Sv_GameInfo)
	SendGameInfo(w *game.World)
	// SendChatCommand adds a command to those that the client offers in chat. (Sv_CommandInfo)
	SendChatCommand(c *CommandInfo)
	// SendChatCommandRemoved removes a chat command. (Sv_CommandInfoRemove)
	SendChatCommandRemoved(name string)
	// SendSettings sends the server's settings. (Sv_ServerSettings)
	SendSettings(w *game.World)
	// SendTuning sends a player's tuning parameters, or the world's if id is game.Nobody.
	// (Sv_TuneParams)
	SendTuning(w *game.World, id game.PlayerID)

	// SendVoteOptionsCleared removes all vote options. (Sv_VoteClearOptions)
	SendVoteOptionsCleared()
	// SendVoteOptions adds vote options, in order. (Sv_VoteOptionListAdd)
	SendVoteOptions(texts []string)
	// SendVoteOption adds a newly created vote option. (Sv_VoteOptionAdd)
	SendVoteOption(text string)
	// SendVoteOptionRemoved removes a vote option. (Sv_VoteOptionRemove)
	SendVoteOptionRemoved(text string)
	// SendVote reports that a vote began or ended. (Sv_VoteSet)
	SendVote(v *Vote)
	// SendVoteStatus sends the number of votes for yes, no and neither, and the number of players
	// who may vote. (Sv_VoteStatus)
	SendVoteStatus(yes, no, pass, total int32)

	// SendRconType tells the client whether logins to the remote console can have names. If so, the
	// client asks the user for a name. (DDNet's RCONTYPE)
	SendRconType(names bool)
	// SendRconAuthStatus tells the client whether it has access to the remote console.
	// (RCON_AUTH_ON, _OFF)
	SendRconAuthStatus(on bool)
	// SendRconLine sends a line of output of the remote console. (RCON_LINE)
	SendRconLine(line string)
	// SendRconCommand adds a remote console command. (RCON_CMD_ADD)
	SendRconCommand(c *CommandInfo)
	// SendRconCommandRemoved removes a remote console command. (RCON_CMD_REM)
	SendRconCommandRemoved(name string)
	// SendRedirect sends the client to another port of the same machine. SendRedirect returns false
	// if the client does not support that. (DDNet's REDIRECT)
	SendRedirect(port int) bool
	// SendMapListEntry adds a map to the list of the server's maps. (MAPLIST_ENTRY_ADD)
	SendMapListEntry(name string)
	// SendMapListEntryRemoved removes a map from the list. (MAPLIST_ENTRY_REM)
	SendMapListEntryRemoved(name string)

	// BuildSnapshot writes the items that are visible in v. Latency holds the ms that the
	// scoreboard shows for each player.
	BuildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32)
	// ItemSizes returns the sizes of the snapshot items that client and server both know.
	ItemSizes() *snapshot.ItemSizes
	// SendSnapshotPart sends one part of a delta. If the header's Parts is 0, nothing changed.
	// (SNAPEMPTY, SNAPSINGLE, SNAP)
	SendSnapshotPart(h snapshot.PartHeader, part int, data []byte)
	// SendInputTiming tells the client how many ms before its tick the input arrived. (INPUTTIMING)
	SendInputTiming(tick, timeLeft int32)
	// SendOtherInput sends another player's input before its tick, for prediction. It returns false
	// if the client does not support that or does not see the player's tee. (DDNet's Sv_PreInput)
	SendOtherInput(id game.PlayerID, tick int32, in *game.Input) bool
}
