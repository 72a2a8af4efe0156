// Package bridge7 translates between the vocabulary of package game and the 0.7 protocol.
//
// [NewProtocol] returns the server's [bridge.Protocol], and [NewClientSide] returns the client's
// [bridge.ClientSide]. Both are in one package so that a test can compare the client's view with
// the server's world.
//
// Clients before 0.7.5 receive only messages that their release knows. The message schema lists the
// releases; see [github.com/teeyard/teeyard/protocol/message/msg7.Fit].
//
// # What a client does not learn
//
// The protocol transmits the server's world except for the following.
//
//   - Other recipients: a client does not learn who else an event is for, and gets no events that
//     are only for others.
//   - Distance: entities out of the viewer's sight are missing. Health, armor and ammo of other
//     players are 0.
//   - Other spectators: Spectate, Watched, ViewX, ViewY and Watching are set for the viewer only,
//     and only while watching. A player with spectators has FlagWatching.
//   - Fractions of positions: Pos is computed from whole units, for characters only if the map is
//     set. Effects have positions in whole units.
//   - Character states of mods: Extended, Flags, FreezeStart, FreezeEnd, TickOrder, Jumps, AirJumps
//     and NinjaStart. A frozen character is shown as a ninja until the freeze ends. The client gets
//     a tuning that makes it predict that the character cannot move. Demos contain these states for
//     programs that support them; the game's client does not.
//   - DDRace features: entities that a switch turned off are missing. Pickups that take weapons are
//     shown as armor.
//   - Order within a frame: items are sorted by id. Only effects keep their order.
//   - Causes: the attacker and weapon of damage are missing (Target and Weapon of EvDamage), and so
//     is the player of a spawn (Player of EvSpawn).
//   - Flag events: the player who took or returned a flag is missing (Player of GameMsgCTFGrab and
//     GameMsgCTFReturn).
//   - Kills: a kill by the world and a kill by a player who left the red team look the same.
package bridge7
