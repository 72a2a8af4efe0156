// Package teehistorian reads and writes teehistorians, the recordings that DDNet-Server makes
// of a match (sv_tee_historian 1): where every tee is in every tick, what players input, and
// what else happened to them.
//
// A file is a header in JSON and records. A [Reader] reads records, with positions, inputs and
// ticks resolved from the differences that are stored, or frames, which have all records of a
// tick. A [Writer] writes records, with the same bytes as DDNet-Server.
package teehistorian

import (
	"errors"
	"strings"

	"github.com/teeyard/teeyard/protocol/message"
)

var (
	// ErrFormat is wrapped by errors about files that are not teehistorians, or broken ones.
	ErrFormat = errors.New("teehistorian: malformed file")
	// ErrVersion means that the file is of a version that this package cannot read.
	ErrVersion = errors.New("teehistorian: unknown version")
	// ErrCutOff means that the file ends without Finish, as after a crash. What was read before is good.
	ErrCutOff = errors.New("teehistorian: the file is cut off")
)

const (
	// TickRate is the number of ticks in a second.
	TickRate = 50
	// MaxClients is the largest number of clients: 64 up to DDNet 18, 128 since.
	MaxClients = 128
	// NumInputs is the number of integers of an input.
	NumInputs = 10

	version  = 2
	maxMinor = 22

	// Limits for what a file can claim. Those of DDNet-Server are lower.
	maxHeader  = 1 << 20
	maxData    = 1 << 20
	maxString  = 1 << 16
	maxArgs    = 256
	maxAllArgs = 1 << 20
)

// magic begins each file: the UUID of teehistorian@ddnet.tw.
var magic = message.UUIDFromName("teehistorian@ddnet.tw")

// Kind is what a Record is. The values are those of the file, but for Moved.
type Kind int32

const (
	// Moved has the new position of a tee.
	Moved Kind = 0
	// Finish is the end of the recording. It is missing after a crash.
	Finish Kind = -1
	// tickSkip says which tick the next records are of.
	tickSkip Kind = -2
	// New has the position of a tee that was not there a tick before.
	New Kind = -3
	// Old is a tee that is no longer there.
	Old Kind = -4
	// InputDiff is an input that differs from the client's last one. Equal ones are not
	// recorded, but see [Writer.Write].
	InputDiff Kind = -5
	// InputNew is the first input of a client.
	InputNew Kind = -6
	// Message is a message of a client, except for chat, votes and what the network layer
	// takes.
	Message Kind = -7
	// Join is a client that connects, Drop one that leaves.
	Join Kind = -8
	Drop Kind = -9
	// Command is a console command that a client, or the server itself, runs.
	Command Kind = -10
	// Extra is identified by a UUID.
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

// ofTee reports whether records of the kind say where a tee is. They come first in a tick.
func (k Kind) ofTee() bool { return k == Moved || k == New || k == Old }

// The kinds of Extra. Data of Extra has integers as on the wire and strings that end in NUL.
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
	ExtraTest          = extra("test")             // nothing; of tests

	// ExtraView is of Teeyard: where the camera of a client is, before a command that moves a tee there.
	ExtraView = extraOf("player-view", "@teeyard") // client, x, y
)

// extraNames has the names of the kinds of Extra.
var extraNames = map[message.UUID]string{}

const extraPrefix = "teehistorian-"

func extra(name string) message.UUID    { return extraOf(name, "@ddnet.tw") }
func extraOrg(name string) message.UUID { return extraOf(name, "@ddnet.org") } // the newer ones

func extraOf(name, domain string) message.UUID {
	full := extraPrefix + name + domain
	id := message.UUIDFromName(full)
	extraNames[id] = full
	return id
}

// Input is an input as DDNet-Server uses it, in the layout of 0.6: direction, target x and y,
// jump, fire, hook, player flags, wanted weapon, next weapon, previous weapon.
type Input [NumInputs]int32

// Point is a position in world units, 1/32 tile.
type Point struct{ X, Y int32 }

// Bits of Record.Flags.
const (
	FromRcon = 4   // the remote console
	FromChat = 128 // the chat
)

// Record is what happened in a tick, or between it and the next one.
type Record struct {
	Kind   Kind
	Tick   int32
	Client int32 // -1 of a Command is the server itself

	Pos   Point // of Moved and New
	Input Input // of InputDiff and InputNew: the whole input, not the difference

	Data []byte   // the message with its id as on the wire, or what an Extra has
	Name string   // of a Command
	Args []string // of a Command
	// Flags say where a Command came from: FromRcon or FromChat; other bits are DDNet's.
	Flags  int32
	Reason string       // of Drop
	ID     message.UUID // of Extra
}

// ExtraName returns the name of what an Extra is, such as "player-team", "" if it is unknown.
func (r *Record) ExtraName() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(extraNames[r.ID], extraPrefix), "@")
	return name
}

// ExtraUUIDName returns the name that the UUID of a kind of Extra is made of, as headers list it, "" if it is unknown.
func ExtraUUIDName(id message.UUID) string { return extraNames[id] }
