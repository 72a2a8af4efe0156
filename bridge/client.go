package bridge

import (
	"errors"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ErrUnknownMessage is returned for a message that the protocol version does not define.
var ErrUnknownMessage = errors.New("bridge: unknown message")

// ClientSide translates between a client and its server. The Send methods write messages to the
// Sender. ReceiveSnapshot and the methods after it present the game as the received messages and
// snapshots describe it.
type ClientSide interface {
	// Receive decodes a message from the server and calls the matching method of the
	// ServerMessageHandler. Receive may modify payload. The error wraps ErrUnknownMessage for a
	// message that the version does not define.
	Receive(payload []byte, vital bool) error

	// SendLogin sends the protocol version and the password. The password may be empty. The login
	// is the first of five steps into the game. (INFO)
	SendLogin(password string)
	// SendRequestMapData requests a chunk of the map. 0.7 does not number chunks, so it requests
	// the next ones. (REQUEST_MAP_DATA)
	SendRequestMapData(chunk int)
	// SendReady reports that the map is loaded. (READY)
	SendReady()
	// SendProfile sends the player's name, clan, country and skin. (Cl_StartInfo)
	SendProfile(p *game.Profile)
	// SendEnterGame enters the game. Entering the game is the last of the five steps. (ENTERGAME)
	SendEnterGame()

	// SendInput sends the input for a tick. SendInput also acknowledges the snapshot of ackTick,
	// received ackAge ms ago. (INPUT)
	SendInput(ackTick, tick int32, in *game.Input, ackAge int32)
	// SendCommand sends the message that requests c. SendCommand returns false if the version has
	// no such message.
	SendCommand(c *game.Command) bool
	// SendChatCommand runs a command that the server offers in chat. The name is without the slash.
	// (Cl_Command)
	SendChatCommand(name, args string)
	// SendCallVote calls a vote. Value is the option's text, or the target's id in decimal. With
	// force, an operator's vote passes at once. SendCallVote returns false if the version has no
	// such request. (Cl_CallVote)
	SendCallVote(kind event.VoteKind, value, reason string, force bool) bool
	// SendVote votes in the running vote: 1 is yes, -1 is no, 0 is neither. (Cl_Vote)
	SendVote(choice int32)
	// SendRconAuth requests access to the remote console. Only a few servers require a name.
	// (RCON_AUTH)
	SendRconAuth(name, password string)
	// SendRconCmd runs a line in the remote console. (RCON_CMD)
	SendRconCmd(line string)
	// SendCamera describes the client's camera to the server. SendCamera returns false if the
	// version has no such message. (DDNet: Cl_ShowDistance, Cl_CameraInfo, Cl_EnableSpectatorCount)
	SendCamera(c *Camera) bool
	// SendPing requests a reply. The reply arrives as OnPingReply. (PING)
	SendPing()

	// Reset forgets the game but keeps the map. Call it when the server changes the map.
	Reset()
	// SetMap sets the map, or removes it if c is nil. Without a map, tees stay at the position that
	// the server sent last. That position can be three seconds old.
	SetMap(c *physics.Collision)
	// ItemSizes returns the sizes of the snapshot items that client and server both know.
	ItemSizes() *snapshot.ItemSizes
	// ReceiveSnapshot decodes a snapshot and returns its view. The view is valid until the next
	// snapshot.
	ReceiveSnapshot(tick int32, s *snapshot.Snapshot) *game.View
	// View returns the view of the last snapshot. The result is never nil.
	View() *game.View
	// Effects returns the sights and sounds of the last snapshot.
	Effects() []game.Event
	// OwnID returns the client's own id, or Nobody while it is unknown.
	OwnID() game.PlayerID
	// Player returns the known facts about a player. Player returns false if the player is not in
	// the game; the facts are then those about the id's last player.
	Player(id game.PlayerID) (game.PlayerInfo, bool)
	// Settings returns the server settings as last received. (Sv_ServerSettings)
	Settings() event.Settings
	// GameInfo returns the game flags, the limits and the match number. The other fields are set
	// only in the view. (0.7: Sv_GameInfo)
	GameInfo() game.GameState
	// Tuning returns the tuning parameters, or the defaults until the server sends them.
	// (Sv_TuneParams)
	Tuning() game.Tuning
	// DDRaceTuning returns the parameters of DDNet's physics for the tune zone that the client's
	// tee is in. Params is the number of parameters that the server sent, 0 if it sent none.
	DDRaceTuning() (t ddrace.Tuning, params int)
	// CoreState returns the movement of a character in the view, at the view's tick.
	CoreState(c *game.CharacterState) physics.CoreState
}

// ServerMessageHandler handles the messages that a server sends.
type ServerMessageHandler interface {
	SessionHandler
	GameHandler
}

// SessionHandler handles the messages of the session itself: joining, snapshots and timing. A
// SessionHandler must not keep the slices passed to it.
type SessionHandler interface {
	// OnMapChange handles the announcement of a map. (MAP_CHANGE)
	OnMapChange(m *MapChange)
	// OnMapData handles a chunk of the map. Chunk is negative in versions that do not number
	// chunks. (MAP_DATA)
	OnMapData(chunk int, data []byte)
	// OnConReady handles the request for the player's profile. (CON_READY)
	OnConReady()
	// OnReadyToEnter handles the permission to enter the game. (Sv_ReadyToEnter)
	OnReadyToEnter()
	// OnSnapshotPart handles one part of a snapshot. Empty data means that nothing changed.
	// (SNAPEMPTY, SNAPSINGLE, SNAP)
	OnSnapshotPart(h snapshot.PartHeader, part int32, data []byte)
	// OnInputTiming reports how many ms before its tick an input arrived. (INPUTTIMING)
	OnInputTiming(tick, timeLeft int32)
	// OnPingReply handles the reply to SendPing. (PING_REPLY)
	OnPingReply()
}

// GameHandler handles the messages about the game, votes and the remote console. Texts are copies,
// cleaned for display.
type GameHandler interface {
	// OnEvent reports an event of the game. OnEvent must not keep ev. The event's To is empty: a
	// client receives only events that are for it.
	OnEvent(ev *game.Event)
	// OnServerInfo handles the server's description of itself. (SERVERINFO)
	OnServerInfo(info *ServerInfo)
	// OnMotd handles the message of the day. The message can have several lines. (Sv_Motd)
	OnMotd(text string)

	// OnVote reports that a vote began or ended. OnVote must not keep v. (Sv_VoteSet)
	OnVote(v *Vote)
	// OnVoteStatus handles the number of votes for yes, no and neither, and the number of players
	// who may vote. (Sv_VoteStatus)
	OnVoteStatus(yes, no, pass, total int32)
	// OnVoteOptions adds vote options. If clear is set, it replaces the earlier options.
	// (Sv_VoteOptionListAdd, Sv_VoteOptionAdd, Sv_VoteClearOptions)
	OnVoteOptions(add []string, clear bool)
	// OnVoteOptionRemoved removes a vote option. (Sv_VoteOptionRemove)
	OnVoteOptionRemoved(text string)

	// OnRconAuthStatus reports whether the client has access to the remote console. Commands is set
	// if the server will list its commands next. (RCON_AUTH_ON, _OFF)
	OnRconAuthStatus(on, commands bool)
	// OnRconLine handles a line of output from the remote console. (RCON_LINE)
	OnRconLine(line string)
	// OnRconCommand adds a remote console command. OnRconCommand must not keep c. (RCON_CMD_ADD)
	OnRconCommand(c *CommandInfo)
	// OnRconCommandRemoved removes a remote console command. (RCON_CMD_REM)
	OnRconCommandRemoved(name string)
	// OnMapListEntry adds a map to the list of the server's maps, or removes it from the list.
	// (MAPLIST_ENTRY_ADD, _REM)
	OnMapListEntry(name string, removed bool)
	// OnChatCommand adds a chat command, or removes it. (Sv_CommandInfo, Sv_CommandInfoRemove)
	OnChatCommand(c *CommandInfo, removed bool)
	// OnOther handles the events of messages that have no method here. A map change is reported
	// twice: to OnMapChange, and here as an [event.MapAnnounced].
	OnOther(e event.Event)
}

// Camera describes a client's camera. Nil fields are not sent.
type Camera struct {
	// View is the width and height of the client's view in 1/32 tile. The server leaves out
	// entities outside of it.
	View *[2]int32
	// Zoom describes the camera to spectators of the client's player.
	Zoom *CameraZoom
	// CountSpectator makes the client count as a spectator of the player that it watches.
	CountSpectator *bool
}

// CameraZoom describes how a camera follows its player.
type CameraZoom struct {
	Zoom         int32 // zoom factor times 1000
	Deadzone     int32 // radius in which the camera does not follow, in 1/32 tile
	FollowFactor int32 // how far the camera follows the cursor, in percent
}

// MapChange is the announcement of a map by a server. The contents of the announcement are
// unchecked.
type MapChange struct {
	Name      string // cleaned for display
	CRC       uint32
	Size      int // bytes
	SHA256    [32]byte
	HasSHA256 bool
	// ChunksPerRequest and ChunkSize describe how the map is sent. Both are unused if
	// ChunksNumbered is set: the client then requests each chunk by number and accepts any size.
	ChunksPerRequest, ChunkSize int
	ChunksNumbered              bool
	// Refusal is the reason why clients of this version refuse the map, "" if they accept it.
	Refusal string
}
