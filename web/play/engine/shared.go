package engine

// Version is the version of the layout of Shared and of the exported functions. The page refuses a
// program with another version.
const Version = 1

// Sizes of the buffers in Shared.
const (
	maxIn       = 2 << 10   // bytes: a datagram or an action
	maxOut      = 64 << 10  // bytes: the datagrams of one call
	maxMessages = 128 << 10 // bytes: the messages and events of one call
	maxInts     = 48 << 10  // integers: the snapshots of one call
)

// Shared is the memory that the engine and the page share. The page reads it at fixed offsets
// (static/engine/memory.js), and a test compares them with the fields here.
//
// A call empties Out, Messages, Events and Snapshots first, so the page must read them after each
// call.
type Shared struct {
	// State are the numbers of the State constants.
	State [32]float64
	// Own is the movement of the own tee in the two ticks around the predicted time, by the Own
	// constants.
	Own [2][24]int32
	// Input is the input of the player, by the In constants.
	Input [16]int32
	// Used are the used lengths of the buffers below, by the Used constants.
	Used [8]int32
	// In receives a datagram for Feed, or the text of an action for Do.
	In [maxIn]byte
	// Out has the datagrams for the server, each after its length (2 bytes, little endian).
	Out [maxOut]byte
	// Messages has messages of 0.7 for the viewer, each after its length.
	Messages [maxMessages]byte
	// Events has events as JSON, each after its length.
	Events [maxMessages]byte
	// Snapshots has the new snapshots: tick, number of items, number of integers, and then the
	// keys, the offsets (one more than items) and the integers.
	Snapshots [maxInts]int32
}

// Indices in Shared.State.
const (
	// StateConnection is a client.State: 0 offline, 1 connecting, 2 loading the map, 3 entering, 4
	// playing.
	StateConnection = iota
	// StateShown is the tick to show, with a fraction.
	StateShown
	// StatePredicted is the tick of the own tee, with a fraction.
	StatePredicted
	// StateSelf is the id of the own player, -1 if unknown.
	StateSelf
	// StateAlive is 1 if Own has the own tee.
	StateAlive
	// StateSnapshots counts the received snapshots.
	StateSnapshots
	// StatePredictions and StateCorrections count the snapshots whose own tee was predicted, and
	// those in which it was elsewhere.
	StatePredictions
	StateCorrections
	// StateLost counts the datagrams, messages, events and snapshots that did not fit.
	StateLost
	// StateLatency is the round trip in ms, 0 if unknown. StateUnacked counts the vital messages
	// that wait for the server's acknowledgement.
	StateLatency
	StateUnacked
	// StateDatagrams and StateBytes count the received datagrams and their bytes.
	StateDatagrams
	StateBytes
	// StateInputTick is the last tick that has got an input.
	StateInputTick
)

// Indices in Shared.Own.
const (
	OwnX = iota // in units (1/32 tile)
	OwnY
	OwnVelX // in 1/256 unit per tick
	OwnVelY
	OwnAngle // in 1/256 radian
	OwnDirection
	OwnJumped
	OwnHookState
	OwnHookX
	OwnHookY
	OwnHookedPlayer
	OwnTick
)

// Indices in Shared.Input. The values are those of game.Input.
const (
	InDirection = iota
	InTargetX
	InTargetY
	InJump
	InFire
	InHook
	InFlags
	InWantedWeapon
	InNextWeapon
	InPrevWeapon
)

// Indices in Shared.Used.
const (
	UsedOut = iota
	UsedMessages
	UsedEvents
	UsedSnapshots
)
