// Package teehistorian reads and writes teehistorian files. DDNet-Server records them with
// sv_tee_historian 1. A file contains the position of every tee in every tick, the players' inputs,
// and other events of the match.
//
// A file consists of a JSON header and records. A [Reader] reads single records, or frames with all
// records of a tick. The Reader resolves the stored differences to positions, inputs and ticks. A
// [Writer] writes records with the same bytes as DDNet-Server.
package teehistorian

import (
	"errors"
	"strings"

	"github.com/teeyard/teeyard/protocol/message"
)

var (
	// ErrFormat is wrapped by errors about files that are not teehistorian files or are damaged.
	ErrFormat = errors.New("teehistorian: malformed file")
	// ErrVersion means that this package does not support the version of the file.
	ErrVersion = errors.New("teehistorian: unknown version")
	// ErrCutOff means that the file ends without Finish, for example after a crash. The records
	// before the end are good.
	ErrCutOff = errors.New("teehistorian: the file is cut off")
)

const (
	// TickRate is the number of ticks in a second.
	TickRate = 50
	// MaxClients is the largest number of clients. MaxClients is 64 up to DDNet 18, and 128 since
	// then.
	MaxClients = 128
	// NumInputs is the number of integers of an input.
	NumInputs = 10

	version  = 2
	maxMinor = 22

	// Limits on sizes that a file declares. DDNet-Server's own limits are lower.
	maxHeader  = 1 << 20
	maxData    = 1 << 20
	maxString  = 1 << 16
	maxArgs    = 256
	maxAllArgs = 1 << 20
)

// magic begins each file: the UUID of teehistorian@ddnet.tw.
var magic = message.UUIDFromName("teehistorian@ddnet.tw")

// Kind is the kind of a Record. The values are those in the file, except Moved.
type Kind int32

const (
	// Moved contains the new position of a tee.
	Moved Kind = 0
	// Finish ends the recording. Finish is missing after a crash.
	Finish Kind = -1
	// tickSkip sets the tick of the next records.
	tickSkip Kind = -2
	// New contains the position of a tee that did not exist a tick before.
	New Kind = -3
	// Old is a tee that no longer exists.
	Old Kind = -4
	// InputDiff is an input that differs from the client's last one. Equal inputs are not recorded,
	// with an exception described at [Writer.Write].
	InputDiff Kind = -5
	// InputNew is the first input of a client.
	InputNew Kind = -6
	// Message is a message from a client, except chat, votes and messages that the network layer
	// handles.
	Message Kind = -7
	// Join is a client that connects, and Drop one that leaves.
	Join Kind = -8
	Drop Kind = -9
	// Command is a console command run by a client or by the server itself.
	Command Kind = -10
	// Extra is a record that is identified by a UUID.
	Extra Kind = -11
)

var kindNames = [...]string{"moved", "finish", "tick skip", "new", "old", "input diff", "input new", "message", "join", "drop", "command", "extra"}

// String returns the name of the kind.
func (k Kind) String() string {
	if k > 0 || int(-k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[-k]
}

// ofTee reports whether records of this kind contain the state of a tee. Records of tees come first
// in a tick.
func (k Kind) ofTee() bool { return k == Moved || k == New || k == Old }

// Kinds of Extra, with the contents of their Data: integers as on the wire, and strings that end in
// NUL.
var (
	ExtraJoin6         = extra("joinver6")         // client
	ExtraJoin7         = extra("joinver7")         // client
	ExtraReady         = extra("player-ready")     // client
	ExtraTeam          = extra("player-team")      // client, team
	ExtraPractice      = extra("team-practice")    // team, 0 or 1
	ExtraDDNetVersion  = extra("ddnetver")         // client, 16 bytes of the connection, version, name
	ExtraDDNetOld      = extra("ddnetver-old")     // client, version
	ExtraAuthInit      = extra("auth-init")        // client, level, name
	ExtraAuthLogin     = extra("auth-login")       // client, level, name
	ExtraAuthLogout    = extra("auth-logout")      // client
	ExtraSwap          = extra("player-swap")      // client, client
	ExtraSaved         = extra("save-success")     // team, 16 bytes of the save, text
	ExtraSaveFailed    = extra("save-failure")     // team
	ExtraLoaded        = extra("load-success")     // team, 16 bytes of the save, text
	ExtraLoadFailed    = extra("load-failure")     // team
	ExtraPlayerName    = extraOrg("player-name")   // client, name; since DDNet 17
	ExtraPlayerFinish  = extraOrg("player-finish") // client, ticks; since DDNet 17
	ExtraTeamFinish    = extraOrg("team-finish")   // team, ticks; since DDNet 17
	ExtraAntibot       = extraOrg("antibot")       // raw
	ExtraPlayerRejoin6 = extraOrg("rejoinver6")    // client; since DDNet 17
	ExtraTest          = extra("test")             // no data; used in tests

	// ExtraView is Teeyard's own kind. An ExtraView contains the position of a client's camera, and
	// precedes a command that moves a tee there.
	ExtraView = extraOf("player-view", "@teeyard") // client, x, y
)

// extraNames contains the names of the kinds of Extra.
var extraNames = map[message.UUID]string{}

const extraPrefix = "teehistorian-"

func extra(name string) message.UUID    { return extraOf(name, "@ddnet.tw") }
func extraOrg(name string) message.UUID { return extraOf(name, "@ddnet.org") } // for newer kinds

func extraOf(name, domain string) message.UUID {
	full := extraPrefix + name + domain
	id := message.UUIDFromName(full)
	extraNames[id] = full
	return id
}

// Input is an input as DDNet-Server uses it, in the layout of 0.6. The integers are direction,
// target x and y, jump, fire, hook, player flags, wanted weapon, next weapon and previous weapon.
type Input [NumInputs]int32

// Point is a position in world units, 1/32 tile.
type Point struct{ X, Y int32 }

// Bits of Record.Flags.
const (
	FromRcon = 4   // from the remote console
	FromChat = 128 // from the chat
)

// Record is one event in a tick, or between it and the next tick.
type Record struct {
	Kind   Kind
	Tick   int32
	Client int32 // for a Command, -1 is the server itself

	Pos   Point // for Moved and New
	Input Input // for InputDiff and InputNew: the whole input, not the difference

	Data []byte   // the message with its id as on the wire, or the data of an Extra
	Name string   // for Command
	Args []string // for Command
	// Flags contains the origin of a Command: FromRcon or FromChat. The other bits are DDNet's.
	Flags  int32
	Reason string       // for Drop
	ID     message.UUID // for Extra
}

// ExtraName returns the name of the kind of an Extra, such as "player-team", or "" if it is
// unknown.
func (r *Record) ExtraName() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(extraNames[r.ID], extraPrefix), "@")
	return name
}

// ExtraUUIDName returns the name from which the UUID of a kind of Extra is made, as headers list
// it. ExtraUUIDName returns "" if the kind is unknown.
func ExtraUUIDName(id message.UUID) string { return extraNames[id] }
