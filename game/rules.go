package game

import "github.com/teeyard/teeyard/game/physics"

// Tuning is the set of physics and weapon parameters; see [physics.Tuning].
type Tuning = physics.Tuning

// Rules are the operator's game settings. The zero value is not playable; start from
// [DefaultRules]. The setting of the server is in brackets.
type Rules struct {
	Warmup           int32 // seconds before the first match, -1 until all players are ready [sv_warmup]
	Countdown        int32 // seconds before a match, 0 for survival modes only, -1 for never [sv_countdown]
	ScoreLimit       int32 // 0 for none [sv_scorelimit]
	TimeLimit        int32 // minutes, 0 for none [sv_timelimit]
	MatchesPerMap    int32 // matches before the map changes, 0 to stay [sv_matches_per_map]
	MapRotation      bool  // whether the map changes after MatchesPerMap matches
	MatchSwap        bool  // swaps the teams between matches [sv_match_swap]
	Powerups         bool  // ninjas appear [sv_powerups]
	TeamDamage       bool  // hits hurt teammates [sv_teamdamage]
	PlayerSlots      int32 // maximum number of players who are not spectators, 0..64 [sv_player_slots]
	MaxClients       int32 // maximum number of clients, 1..64 [sv_max_clients]
	TournamentMode   int32 // 0 off, 1 players join as spectators, 2 also restricts the chat of spectators [sv_tournament_mode]
	ReadyMode        bool  // players can pause the match and start it by being ready [sv_player_ready_mode]
	SpamProtection   bool  // limits chat lines and other actions of a player [sv_spamprotection]
	InfoChangeDelay  int32 // seconds between two changes of a player's name or skin [sv_info_change_delay]
	RespawnDelayTDM  int32 // seconds between death and respawn in TDM [sv_respawn_delay_tdm]
	TeamBalanceTime  int32 // minutes after which uneven teams are balanced, 0 for never [sv_teambalance_time]
	InactiveTime     int32 // minutes after which a player is inactive, 0 for never [sv_inactivekick_time]
	InactiveAction   int32 // for inactive players: 1 spectate, 2 spectate or kick if full, 3 kick [sv_inactivekick]
	InactiveSpecKick bool  // inactive spectators are kicked too [sv_inactivekick_spec]
	SilentSpectators bool  // players are not told when spectators enter or leave [sv_silent_spectator_mode]
	StrictSpectate   bool  // spectators do not see the health and ammo of the followed player [sv_strict_spectate_mode]
	PureTuning       bool  // the world undoes changes of the tuning every tick, as in the standard modes
	VoteKick         bool  // players can vote to kick a player [sv_vote_kick]
	VoteKickMin      int32 // players needed for a kick vote [sv_vote_kick_min]
	VoteSpectate     bool  // players can vote to make a player a spectator [sv_vote_spectate]
}

// defaultInfoChangeDelay is the fixed delay of Teeworlds.
const defaultInfoChangeDelay = 5

// DefaultRules returns the rules of a Teeworlds 0.7.5 server without configuration.
func DefaultRules() Rules {
	return Rules{
		ScoreLimit: 20, MatchesPerMap: 1, MatchSwap: true, Powerups: true,
		PlayerSlots: 8, MaxClients: 8, SpamProtection: true, InfoChangeDelay: defaultInfoChangeDelay, RespawnDelayTDM: 3,
		TeamBalanceTime: 1, InactiveTime: 3, InactiveAction: 2,
		SilentSpectators: true, VoteKick: true, VoteSpectate: true,
	}
}

// clamp limits the rules to the ranges of the console variables.
func (r *Rules) clamp() {
	limit := func(v *int32, lo, hi int32) { *v = min(max(*v, lo), hi) }
	limit(&r.Warmup, -1, 1000)
	limit(&r.Countdown, -1, 1000)
	limit(&r.ScoreLimit, 0, 1000)
	limit(&r.TimeLimit, 0, 1000)
	limit(&r.MatchesPerMap, 0, 100)
	limit(&r.MaxClients, 1, MaxPlayers)
	limit(&r.PlayerSlots, 0, r.MaxClients)
	limit(&r.TournamentMode, 0, 2)
	limit(&r.InfoChangeDelay, 0, 9999)
	limit(&r.RespawnDelayTDM, 0, 10)
	limit(&r.TeamBalanceTime, 0, 1000)
	limit(&r.InactiveTime, 0, 1000)
	limit(&r.InactiveAction, 1, 3)
	limit(&r.VoteKickMin, 0, MaxPlayers)
}
