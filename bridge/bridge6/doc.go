// Package bridge6 translates between the vocabulary of package game and the 0.6 protocol of
// Teeworlds 0.6 and DDNet.
//
// [NewProtocol] returns the server's [bridge.Protocol]. Clients of DDNet send their release and get
// the additional features that it supports: 64 or 128 ids, whispers, settings for prediction and
// drawing, and marks for operators. Other clients know 16 ids. In a fuller game, clients see the
// nearest players under changing ids. The chat of all other players reaches them through one player
// without a name.
//
// [NewClientSide] returns the client's [bridge.ClientSide]. The ClientSide introduces itself as a
// release of DDNet, as a client that knows 64 players, or as neither. The ClientSide reads DDNet's
// own items as far as they replace plain ones. From snapshots and chat lines it derives silent
// events: players who join, leave or change, flag events, and the results of votes.
//
// # Replacements for 0.7 messages
//
// Some messages of 0.7 do not exist in 0.6. The server replaces them.
//
//   - Clients of 0.7 write lines about events themselves. Clients of 0.6 get these lines from the
//     server, in the wording of 0.6 servers.
//   - Names, skins and the limits of a match are in the snapshots.
//   - Broadcasts show the time left of a pause, and what a warmup waits for.
//   - Chat commands replace missing messages, and the server runs them. One command is for DDNet's
//     client only: "/timeout CODE" sets a secret that identifies a player after a timeout. The
//     client sends it by itself.
//
// # The map
//
// Clients download the map from the server. DDNet's client gets the map's SHA-256, in MAP_DETAILS,
// only if the map is also on a web server. Otherwise it would ask its own project's web server
// first.
//
// # Skins
//
// The sixteen skins of 0.6 are converted to their 0.7 forms and back. Any other 0.7 skin becomes
// the most similar of the sixteen, in the colors of body and feet. For example, a fox becomes a
// kitty. Any other 0.6 skin becomes the default one. Clients of 0.6 still see each other's original
// skins.
//
// # What a client does not learn
//
// A 0.6 client gets less than a 0.7 client. In terms of package game, the following is missing or
// different.
//
// GameState:
//
//   - GameFlagSurvival, GameFlagFNG, and GameFlagRace without GameFlagDDRace.
//   - Race. DDNet's clients get BestTime.
//   - StateRoundOver becomes StateGameOver, and both are also a pause.
//   - StateCountdown becomes StateWarmup before a match and StatePaused after a pause.
//   - EndTick, except for the time left of a warmup. A warmup without an end, or without time left,
//     is not shown at all.
//   - StartTick after the end, except for the time that the match took.
//   - FlagDropTick; TeamScore without GameFlagTeams; FlagCarrier without GameFlagFlags.
//
// PlayerState:
//
//   - In a race, the milliseconds of Score, and RaceStart of all players except the viewed one.
//   - PlayerFlagReady, PlayerFlagDead, PlayerFlagWatching and PlayerFlagBot.
//   - PlayerFlagAdmin; only DDNet's clients get it.
//   - PlayerFlagChatting of players whose tee is out of sight.
//   - The client's own team while its player is out of the round and watches.
//   - SpectateFlagRed and SpectateFlagBlue become watching the carrier, or a free view.
//   - The player that a free view was set to.
//   - HideClock; the server hides RaceStart instead.
//
// CharacterState:
//
//   - TriggeredEvents; other players hear sounds instead.
//   - Ammo of the ninja, and more than 10 of health, armor or ammo.
//   - A Weapon below zero becomes the hammer.
//   - Character states of mods. DDNet's clients from 16.2 on get, show and predict them. For
//     all\n//     other clients, a frozen character is a ninja. They get a tuning that makes them
//     predict that\n//     the character cannot move.
//
// DDRace:
//
//   - Only DDNet's clients get teams and the area that they display. From 15.6 on, they also get
//     switches, tees of pausing players and map entities.
//   - From 16.4 on, DDNet's clients also get the owners of lasers, and pickups that take weapons.
//   - For all other clients, entities that a switch turned off are missing. Pickups that take\n//
//     weapons are armor.
//   - Start and Direction of ProjectileState are truncated.
//
// Events:
//
//   - EvDamage has no victim, no attacker, and no mark for players who hit themselves. It has the
//     sum of health and armor only, and no angle.
//   - EvPlayerEntered, EvPlayerLeft and EvTeamChange exist in silent form only. Chat lines replace
//     the others.
//   - Tick of EvTeamChange.
//   - Player of EvKill, if there is none or the player left: the victim takes the player's place.
//   - EvGameMsg and EvServerSettings become chat lines or sounds.
//   - EvGameInfo and EvSkinChange; the next snapshot shows the change.
//   - The target of a whisper, before DDNet 2.17.
//
// Other:
//
//   - Parts of a skin that 0.6 does not have.
//   - Settings, except that teams were locked or unlocked.
//   - Caller and target of a vote, except in texts, and a timeout of more than 60 s.
//   - SERVERINFO, and the server's list of maps.
//
// The ClientSide can also join other servers, and learns less from them.
//
//   - It has no Settings and no ServerInfo.
//   - If a player leaves and returns under the same name between two snapshots, there is no event.
//   - EvPlayerLeft has no reason.
//   - The stars at one position are one EvDamage. Its Value is their number, its player the one at
//     that position.
//   - GameMsgCTFCapture has the time since the client saw the flag taken.
//   - Of races it knows only its own start and the best time.
//   - The ClientSide whispers only on servers that turned out to be based on DDNet. Others would
//     show the text to all players.
//
// # What a client cannot request
//
// A 0.6 client cannot whisper by id, watch a flag, force a vote, or change only its skin. A 0.6
// client can request another name, clan or country. Games of 0.7 do not allow that, and the client
// gets one line about it.
package bridge6
