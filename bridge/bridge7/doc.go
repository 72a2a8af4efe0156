// Package bridge7 translates between the vocabulary of package game and the 0.7
// protocol.
//
// For the server [NewProtocol] makes the [bridge.Protocol], for the client
// [NewClientSide] makes the [bridge.ClientSide]. Both are in one package so that one test
// can compare what a client sees with what the server has.
//
// Clients before 0.7.5 get only messages that their release knows, by the schema of the messages; see
// [github.com/teeyard/teeyard/protocol/message/msg7.Fit].
//
// # What is lost
//
// A client knows of the server's world all but this:
//
//   - whom an event is for, besides the client, and events that are for others;
//   - what is out of the viewer's sight, and the health, armor and ammo of others, which
//     are 0;
//   - what others watch: Spectate, Watched, ViewX, ViewY and Watching are set for the
//     viewer only, and only while watching; that somebody watches the viewer shows as
//     FlagWatching;
//   - fractions of positions: Pos is computed from whole units, and that of characters
//     only with a map; positions of effects are whole units;
//   - the states that mods give to characters: Extended, Flags, FreezeStart, FreezeEnd,
//     TickOrder, Jumps, AirJumps and NinjaStart. A frozen one is shown as a ninja until the freeze ends, and the client is
//     told a tuning with which it predicts that it cannot move. Demos have them, for other programs than
//     the game's client;
//   - what only DDRace has: what a switch turned off is not there, and pickups that take weapons
//     are armor;
//   - the order within a frame, which is by id; only effects keep theirs;
//   - who did a damage (Target and Weapon of EvDamage) and who spawned (Player of
//     EvSpawn);
//   - who took or returned a flag (Player of GameMsgCTFGrab and GameMsgCTFReturn);
//   - in kills, whether the killer is Nobody or a player who left the red team.
package bridge7
