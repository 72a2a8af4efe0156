package bridge

import (
	"errors"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ErrUnknownMessage is returned for a message that the version does not have.
var ErrUnknownMessage = errors.New("bridge: unknown message")

// ClientSide translates between a client and its server. The Send methods write
// messages to the Sender; ReceiveSnapshot and the methods after it show the game as the
// messages and snapshots describe it.
type ClientSide interface {
	// Receive decodes a message of the server and calls the methods of the
	// ServerMessageHandler for it. It may change payload. The error wraps
	// ErrUnknownMessage for a message that the version does not have.
	Receive(payload []byte, vital bool) error

	// SendLogin is the first of five steps into the game: it sends the version of the
	// protocol and the password, which may be empty. (INFO)
	SendLogin(password string)
	// SendRequestMapData asks for a chunk of the map, or for the next ones where the
	// version does not say which. (REQUEST_MAP_DATA)
	SendRequestMapData(chunk int)
	// SendReady reports that the map is loaded. (READY)
	SendReady()
	// SendProfile sends name, clan, country and skin of the player. (Cl_StartInfo)
	SendProfile(p *game.Profile)
	// SendEnterGame is the last step into the game. (ENTERGAME)
	SendEnterGame()

	// SendInput sends the input for a tick and acknowledges the snapshot of ackTick,
	// which was received ackAge ms ago. (INPUT)
	SendInput(ackTick, tick int32, in *game.Input, ackAge int32)
	// SendCommand sends the message that asks for c. It returns false if the version
	// has none.
	SendCommand(c *game.Command) bool
	// SendChatCommand runs a command that the server offers in the chat. The name has
	// no slash. (Cl_Command)
	SendChatCommand(name, args string)
	// SendCallVote calls a vote. Value is the option's text or the target's id in
	// decimal. With force, the vote of an operator passes at once. It returns false if the
	// version has no such request. (Cl_CallVote)
	SendCallVote(kind VoteKind, value, reason string, force bool) bool
	// SendVote votes in the running vote: 1 for yes, -1 for no, 0 for neither. (Cl_Vote)
	SendVote(choice int32)
	// SendRconAuth asks for access to the remote console. The name is for servers that
	// require one; most do not. (RCON_AUTH)
	SendRconAuth(name, password string)
	// SendRconCmd runs a line in the remote console. (RCON_CMD)
	SendRconCmd(line string)
	// SendCamera describes the client's camera. It returns false if the version has no such
	// message. (DDNet: Cl_ShowDistance, Cl_CameraInfo, Cl_EnableSpectatorCount)
	SendCamera(c *Camera) bool
	// SendPing asks the server for an answer, which arrives as OnPingReply. (PING)
	SendPing()

	// Reset forgets the game, as when the server changes the map. The map stays.
	Reset()
	// SetMap sets the map. Without one, tees are shown at the position that the server
	// sent last, which can be three seconds old. Nil removes it.
	SetMap(c *physics.Collision)
	// ItemSizes returns the sizes of the snapshot items that both sides know.
	ItemSizes() *snapshot.ItemSizes
	// ReceiveSnapshot decodes a snapshot and returns its view, which is valid until the
	// next one.
	ReceiveSnapshot(tick int32, s *snapshot.Snapshot) *game.View
	// View returns the view of the last snapshot. It is never nil.
	View() *game.View
	// Effects returns what the last snapshot brought to see and to hear.
	Effects() []game.Event
	// OwnID returns the id of the client itself, Nobody while it is unknown.
	OwnID() game.PlayerID
	// Player returns what is known of a player. It returns false if the player is not in
	// the game, with what is known of the last player who had the id.
	Player(id game.PlayerID) (game.PlayerInfo, bool)
	// Settings returns the server's settings as last received. (Sv_ServerSettings)
	Settings() Settings
	// GameInfo returns the game flags, the limits and the number of the match; other
	// fields are only in the view. (0.7: Sv_GameInfo)
	GameInfo() game.GameState
	// Tuning returns the tuning parameters; the default until the server sends them.
	// (Sv_TuneParams)
	Tuning() game.Tuning
	// DDRaceTuning returns all parameters of DDNet's physics, of the tune zone that the client's tee
	// is in, and how many the server sent: 0 if it did not.
	DDRaceTuning() (t ddrace.Tuning, params int)
	// CoreState returns the movement of a character of the view at the tick of the view.
	CoreState(c *game.CharacterState) physics.CoreState
}

// ServerMessageHandler handles the messages of a server.
type ServerMessageHandler interface {
	SessionHandler
	GameHandler
}

// SessionHandler handles the messages that keep a session going: the way into the game,
// snapshots and timing. It must not keep slices.
type SessionHandler interface {
	// OnMapChange announces the map. (MAP_CHANGE)
	OnMapChange(m *MapChange)
	// OnMapData brings a chunk of the map. Chunk is negative if the version does not say
	// which one. (MAP_DATA)
	OnMapData(chunk int, data []byte)
	// OnConReady asks for the profile. (CON_READY)
	OnConReady()
	// OnReadyToEnter allows to enter the game. (Sv_ReadyToEnter)
	OnReadyToEnter()
	// OnSnapshotPart brings a part of a snapshot. Without data, nothing changed.
	// (SNAPEMPTY, SNAPSINGLE, SNAP)
	OnSnapshotPart(h snapshot.PartHeader, part int32, data []byte)
	// OnInputTiming reports how many ms early the input for a tick arrived.
	// (INPUTTIMING)
	OnInputTiming(tick, timeLeft int32)
	// OnPingReply answers SendPing. (PING_REPLY)
	OnPingReply()
}

// GameHandler handles the messages that are about the game, votes and the remote
// console. Texts are copies and safe to show.
type GameHandler interface {
	// OnEvent reports something that happened in the game. It must not keep ev, whose To
	// is empty: what a client is sent is for it.
	OnEvent(ev *game.Event)
	// OnServerInfo brings the server's description of itself. (SERVERINFO)
	OnServerInfo(info *ServerInfo)
	// OnMotd brings the message of the day, which can have several lines. (Sv_Motd)
	OnMotd(text string)

	// OnVote reports that a vote began or ended. It must not keep v. (Sv_VoteSet)
	OnVote(v *Vote)
	// OnVoteStatus brings the number of votes for yes, no and neither, and of all who
	// may vote. (Sv_VoteStatus)
	OnVoteStatus(yes, no, pass, total int32)
	// OnVoteOptions adds options to vote on. If clear is set, those before are gone.
	// (Sv_VoteOptionListAdd, Sv_VoteOptionAdd, Sv_VoteClearOptions)
	OnVoteOptions(add []string, clear bool)
	// OnVoteOptionRemoved removes an option. (Sv_VoteOptionRemove)
	OnVoteOptionRemoved(text string)

	// OnRconAuthStatus reports whether the client has access to the remote console.
	// Commands is set if a list of its commands follows. (RCON_AUTH_ON, _OFF)
	OnRconAuthStatus(on, commands bool)
	// OnRconLine brings a line of the remote console. (RCON_LINE)
	OnRconLine(line string)
	// OnRconCommand adds a command of the remote console. It must not keep c.
	// (RCON_CMD_ADD)
	OnRconCommand(c *CommandInfo)
	// OnRconCommandRemoved removes a command of the remote console. (RCON_CMD_REM)
	OnRconCommandRemoved(name string)
	// OnMapListEntry adds a map to the list of the server's maps, or removes it.
	// (MAPLIST_ENTRY_ADD, _REM)
	OnMapListEntry(name string, removed bool)
	// OnChatCommand adds a command that can be typed in the chat, or removes it.
	// (Sv_CommandInfo, Sv_CommandInfoRemove)
	OnChatCommand(c *CommandInfo, removed bool)
	// OnOther brings the events of messages that have no method here. MAP_CHANGE has one, and also
	// comes as an [event.MapAnnounced].
	OnOther(e event.Event)
}

// Camera describes the camera of a client. Fields that are nil are not sent.
type Camera struct {
	// View is the width and height of the client's view, in 1/32 tile. The server leaves out the
	// rest of the world.
	View *[2]int32
	// Zoom is for the clients that watch the client's player.
	Zoom *CameraZoom
	// CountSpectator is whether the watched player's number of spectators includes the client.
	CountSpectator *bool
}

// CameraZoom describes how a camera follows its player.
type CameraZoom struct {
	Zoom         int32 // times 1000
	Deadzone     int32 // radius in which the camera does not follow, in 1/32 tile
	FollowFactor int32 // how much it follows the cursor, in percent
}

// MapChange is a map that a server announces. Nothing in it has been checked.
type MapChange struct {
	Name      string // safe to show
	CRC       uint32
	Size      int // bytes
	SHA256    [32]byte
	HasSHA256 bool
	// ChunksPerRequest and ChunkSize say how the map is sent, unless ChunksNumbered is
	// set: then clients ask for each chunk by number and take what comes.
	ChunksPerRequest, ChunkSize int
	ChunksNumbered              bool
	// Refusal is why clients of the version do not accept the map, "" if they do.
	Refusal string
}
