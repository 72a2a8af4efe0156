// Package bridge6 translates between the vocabulary of package game and the 0.6
// protocol, as Teeworlds 0.6 and DDNet speak it.
//
// For the server [NewProtocol] makes the [bridge.Protocol]. Clients of DDNet send their
// release, and get what they know beyond Teeworlds 0.6: 64 ids, whispers, what to predict
// and draw, who is an operator. Others know 16 ids; in a fuller game they see the 14
// nearest players under ids that change, and get the chat of the others from one
// player without a name.
//
// For the client [NewClientSide] makes the [bridge.ClientSide]. It introduces itself as a
// release of DDNet, or as a client that knows 64 players, or as neither. It reads items
// of DDNet's own as far as they stand for plain ones. Who comes, leaves and changes, what
// happens to flags and how a vote ends it concludes from snapshots and lines of chat;
// such events are silent.
//
// # What 0.7 has messages for
//
// Clients of 0.7 compose lines about what happened themselves; to those of 0.6 the server
// sends them, with the wording of 0.6 servers. Names, skins and the limits of a match are
// in the snapshots. The time left of a pause, and what a warmup waits for, are in
// broadcasts. Chat commands stand for messages that 0.6 does not have; the server runs them,
// but for "/timeout CODE", which sets a secret by which a player is recognized after a
// timeout: DDNet's client sends it by itself.
//
// # The map
//
// Clients load it from the server. Those of DDNet get its SHA-256, in MAP_DETAILS, only if
// it is also on a web server: they would ask there first, or without a URL at that of
// their own project.
//
// # Skins
//
// The sixteen skins that 0.6 comes with and their 0.7 forms become each other. Other 0.7
// skins become the most similar of the sixteen in the colors of body and feet: a fox is a
// kitty, a hippo has two knobs. Other 0.6 skins become the default one. Clients of 0.6
// still see each other in their own skins.
//
// # What is lost
//
// A client of 0.6 does not get all that one of 0.7 gets, in terms of package game:
//
// Of GameState: GameFlagSurvival, GameFlagFNG, and GameFlagRace without GameFlagDDRace; of Race all but BestTime, which DDNet's
// clients get; StateRoundOver, which becomes
// StateGameOver, and both are also a pause; StateCountdown, which becomes StateWarmup
// before a match and StatePaused after a pause; EndTick but for the time left of a warmup;
// that there is a warmup, if it has no end or no time is left of it; StartTick after the
// end, but for the time that the match took; FlagDropTick; TeamScore without
// GameFlagTeams, and FlagCarrier without GameFlagFlags.
//
// Of PlayerState: in a race the milliseconds of Score, and RaceStart of players whom the
// viewer does not see through; PlayerFlagReady, PlayerFlagDead, PlayerFlagWatching and PlayerFlagBot;
// PlayerFlagAdmin to clients that are not DDNet's; PlayerFlagChatting of players whose tee
// is not seen; the team of the client itself while it is out of the round and watches;
// SpectateFlagRed and SpectateFlagBlue, which become watching the carrier, or a free
// view; the player that a free view was set to; HideClock, which hides RaceStart.
//
// Of CharacterState: TriggeredEvents, of which others get sounds; Ammo of the ninja, and
// more than 10 of anything; Weapon below zero, which becomes the hammer. The states that mods
// give to characters are for DDNet's clients only, which show and predict them; to others, and
// to releases before 16.2, a frozen one is a ninja, and they are told a tuning with which they
// predict that it cannot move.
//
// Of DDRace all is for DDNet's clients only: teams, switches, tees of players who pause, how much of the
// world they show, and entities of the map, from release 15.6 on; who fired a laser, and pickups that take
// weapons, from 16.4 on. To others what a switch turned off is not there, and those pickups are armor.
// Of ProjectileState, Start and Direction are truncated.
//
// Of events: who was hit by EvDamage, by whom, and whether by themself; of its health and
// armor only the sum is sent, and nothing of its angle. The difference between silent and
// other EvPlayerEntered, EvPlayerLeft and EvTeamChange: the others are lines of chat. Tick
// of EvTeamChange. Player of EvKill if it is nobody or left: the victim stands for them.
// EvGameMsg and EvServerSettings, which become lines or sounds; EvGameInfo and
// EvSkinChange, which the next snapshot shows. The target of a whisper, before DDNet 2.17.
//
// Of profiles: parts of the skin that 0.6 does not have. Of settings: all but that teams
// were locked or unlocked. Of votes: caller and target but in texts, and more than 60 s.
// Of the server: SERVERINFO, and its list of maps.
//
// The ClientSide, which also joins other servers, has moreover: no Settings and no
// ServerInfo; no events about a player who left and came back between two snapshots
// under the same name; no reason in EvPlayerLeft; one EvDamage for the stars at one
// position, with their number as Value and the player who is there; in GameMsgCTFCapture
// the time since it saw the flag taken; and of races only the own start and the best
// time. It whispers only on servers that have shown to be DDNet's or the like: others
// would show the text to all.
//
// A client of 0.6 cannot ask for a whisper by id, to watch a flag, for a vote by force, or
// for a change of the skin alone. It can ask for another name, clan or country; games of
// 0.7 do not allow that, and it gets a line about it, once.
package bridge6
