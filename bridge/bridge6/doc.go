// Package bridge6 translates between the neutral vocabulary of package game and the
// 0.6 protocol, as Teeworlds 0.6 and DDNet speak it.
//
// On the server [NewProtocol] makes the bridge.Protocol. DDNet's clients tell their
// release, and get by it what they know beyond Teeworlds 0.6: 64 ids, whispers, what to
// predict and draw, who is an operator. Others know 16 ids; in a fuller game they see
// the 14 nearest players under ids that change, and hear the others through one
// without a name.
//
// For the client [NewClientSide] makes the bridge.ClientSide. It says what release of DDNet it is,
// if any, or only that 64 players are fine. It reads DDNet's own objects as far as they
// stand for plain ones. Who comes, leaves and changes, what becomes of flags and how a
// vote ends it finds out from snapshots and from the server's words; such events are
// silent, since the words are in the chat.
//
// # What 0.7 says in messages
//
// Clients of 0.7 put into words themselves what happened; to those of 0.6 the server
// writes it, in the words of the 0.6 servers. Names, skins and the limits of a match
// are in the snapshots. Chat commands stand for what 0.6 has no messages for:
// "/w name text" (also /whisper) and "/c text" (/converse) for whispers, "/ready" for
// readiness. A name with spaces may stand in quotation marks. Other lines with a slash
// are chat, as they are of a 0.7 client that knows no such command.
//
// # The map
//
// Clients load it from the server. DDNet's are told its SHA-256, in MAP_DETAILS, only
// where it is on a web server, too: they take it for leave to ask there first, or, without
// a URL, on that of their own project.
//
// # Skins
//
// The sixteen skins that 0.6 comes with and their 0.7 forms become each other. Other
// 0.7 skins become the nearest of the sixteen in the colours of body and feet, other
// 0.6 skins the default one; clients of 0.6 see each other as they dressed all the
// same.
//
// # What is lost
//
// This a client of 0.6 cannot know that one of 0.7 knows; in the words of package game.
//
// Of GameState: GameFlagSurvival, GameFlagRace; StateRoundOver, which looks like StateGameOver,
// and both like StatePaused besides; StateCountdown, which looks like StatePaused;
// EndTick, of which only the time left of a warmup or pause comes through, an endless
// warmup as 60 s, and nothing of the end of a match; that there is a warmup, where no
// time is left of it; FlagDropTick; TeamScore without GameFlagTeams, and Carrier without
// GameFlagFlags.
//
// Of PlayerState: PlayerFlagReady, PlayerFlagDead, PlayerFlagWatching and PlayerFlagBot; PlayerFlagAdmin to clients
// that are not DDNet's; PlayerFlagChatting of players whose tee is not seen; the team of the
// client itself while it is out of the round and looks on; SpectateFlagRed and
// SpectateFlagBlue, which look like following the carrier, or like a free view; whom a
// free view was set to.
//
// Of CharacterState: Triggered, of which others hear sounds; Ammo of the ninja, and
// more of anything than 10; Weapon below zero, which looks like the hammer.
//
// Of events: who was hit by EvDamage, by whom, and whether by himself; of its health
// and armour only the sum comes through, and of its angle nothing. Flag of EvPlayerEntered,
// EvPlayerLeft and EvTeamChange, which without it are texts, and with it nothing. Tick of EvTeamChange.
// Player of EvKill when nobody did it or one who is gone: the victim seems to have.
// Notices and what led to EvServerSettings but for locked teams: texts, or sounds. EvGameInfo
// and EvSkinChange, which the next snapshot shows. Who is whispered to, before DDNet 2.17.
//
// Of profiles: parts of the skin beyond what a look has. Of settings: all but that
// teams were locked or unlocked. Of votes: caller and target but in texts, and more
// than 60 s. Of the server: SERVERINFO, and its list of maps.
//
// Our client, on servers that are not ours as well, has besides: no Settings and no
// SendServerInfo; nobody who came back between two snapshots under the same name, which it
// takes for the same; no reason in EvPlayerLeft; an EvDamage for the stars at one place, with
// their sum in Value and the player who is there; a time of GameMsgCTFCapture that is
// counted from when it saw the flag taken; and of races only the own start and the
// best time. It whispers only where something showed that the server is DDNet's or
// ours: others would say it to all.
//
// And this a client cannot ask for: a whisper by id, to follow a flag, a vote by force, a
// change of the skin alone. It can ask for another name, clan or country; a game of 0.7
// has no such thing, and it is told so, once.
package bridge6
