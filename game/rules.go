package game

import "github.com/teeyard/teeyard/game/physics"

// Tuning is the set of physics and weapon parameters; see [physics.Tuning].
type Tuning = physics.Tuning

// Rules are the operator's game settings. The zero value is not playable; start from
// [DefaultRules]. [RuleSettings] has the name, default and limits of each.
type Rules struct {
	Warmup           int32 // seconds before the first match, -1 until all players are ready
	Countdown        int32 // seconds before a match, 0 for survival modes only, -1 for never
	ScoreLimit       int32 // 0 for none
	TimeLimit        int32 // minutes, 0 for none
	MatchesPerMap    int32 // matches before the map changes, 0 to stay
	MapRotation      bool  // whether the map changes after MatchesPerMap matches
	MatchSwap        bool  // swaps the teams between matches
	Powerups         bool  // ninjas appear
	TeamDamage       bool  // hits hurt teammates
	PlayerSlots      int32 // maximum number of players who are not spectators, 0..MaxPlayers
	MaxClients       int32 // maximum number of clients, 1..MaxPlayers
	TournamentMode   int32 // 0 off, 1 players join as spectators, 2 also restricts the chat of spectators
	ReadyMode        bool  // players can pause the match and start it by being ready
	SpamProtection   bool  // limits chat lines and other actions of a player
	InfoChangeDelay  int32 // seconds between two changes of a player's name or skin
	RespawnDelayTDM  int32 // seconds between death and respawn in TDM
	TeamBalanceTime  int32 // minutes after which uneven teams are balanced, 0 for never
	InactiveTime     int32 // minutes after which a player is inactive, 0 for never
	InactiveAction   int32 // for inactive players: 1 spectate, 2 spectate or kick if full, 3 kick
	InactiveSpecKick bool  // inactive spectators are kicked too
	SilentSpectators bool  // players are not told when spectators enter or leave
	StrictSpectate   bool  // spectators do not see the health and ammo of the followed player
	PureTuning       bool  // the world undoes changes of the tuning every tick, as in the standard modes
	VoteKick         bool  // players can vote to kick a player
	VoteKickMin      int32 // players needed for a kick vote
	VoteSpectate     bool  // players can vote to make a player a spectator
}

// RuleSetting is an entry of the table of rules: a number or a switch. Most are variables of the
// server. Replay logs and saved matches contain the rules in the order of the table.
type RuleSetting struct {
	// Name and Help describe the variable. A rule without a name follows from other settings.
	Name, Help string
	// Number and Switch return the field of the rule. One of them is nil.
	Number func(*Rules) *int32
	Switch func(*Rules) *bool
	// Default is the value without configuration. Min and Max limit it. A switch is 0 or 1.
	Default, Min, Max int32
	// ZeroAllowed also allows 0, for worlds that do not belong to a server.
	ZeroAllowed bool
	// Tell selects the messages that players get after a change, see TellLimits and TellSettings.
	Tell int32
	// Late is set for rules that were added later. Replay logs and saved matches only contain them
	// if they differ from the default.
	Late bool
}

// Value returns the rule as a number.
func (s *RuleSetting) Value(r *Rules) int32 {
	if s.Number != nil {
		return *s.Number(r)
	}
	if *s.Switch(r) {
		return 1
	}
	return 0
}

// Set sets the rule. It does not check the limits.
func (s *RuleSetting) Set(r *Rules, value int32) {
	if s.Number != nil {
		*s.Number(r) = value
		return
	}
	*s.Switch(r) = value != 0
}

// RuleSettings returns the table of rules. Numbers are before switches, and late rules are last.
// New ones must be added at the end, as late ones. The result must not be changed.
func RuleSettings() []RuleSetting { return ruleSettings }

var ruleSettings = []RuleSetting{
	{Name: "sv_warmup", Help: "Seconds of warmup before a match (0 = none, -1 = until all are ready)",
		Number: func(r *Rules) *int32 { return &r.Warmup }, Min: -1, Max: 1000},
	{Name: "sv_countdown", Help: "Seconds of countdown before a match (0 = in survival modes only, -1 = never)",
		Number: func(r *Rules) *int32 { return &r.Countdown }, Min: -1, Max: 1000},
	{Name: "sv_scorelimit", Help: "Score limit (0 = none)",
		Number: func(r *Rules) *int32 { return &r.ScoreLimit }, Default: 20, Max: 1000, Tell: TellLimits},
	{Name: "sv_timelimit", Help: "Time limit in minutes (0 = none)",
		Number: func(r *Rules) *int32 { return &r.TimeLimit }, Max: 1000, Tell: TellLimits},
	{Name: "sv_matches_per_map", Help: "Number of matches on each map before the next",
		Number: func(r *Rules) *int32 { return &r.MatchesPerMap }, Default: 1, Min: 1, Max: 100, ZeroAllowed: true, Tell: TellLimits},
	{Name: "sv_player_slots", Help: "Number of clients that may play",
		Number: func(r *Rules) *int32 { return &r.PlayerSlots }, Default: 8, Max: MaxPlayers, Tell: TellSettings},
	{Name: "sv_max_clients", Help: "Number of clients that may be connected",
		Number: func(r *Rules) *int32 { return &r.MaxClients }, Default: 8, Min: 1, Max: MaxPlayers, Tell: TellSettings},
	{Name: "sv_tournament_mode", Help: "Players join as spectators (2 = spectators' chat is restricted too)",
		Number: func(r *Rules) *int32 { return &r.TournamentMode }, Max: 2},
	{Name: "sv_respawn_delay_tdm", Help: "Seconds until respawn in team deathmatch",
		Number: func(r *Rules) *int32 { return &r.RespawnDelayTDM }, Default: 3, Max: 10},
	{Name: "sv_teambalance_time", Help: "Minutes until teams are balanced (0 = never)",
		Number: func(r *Rules) *int32 { return &r.TeamBalanceTime }, Default: 1, Max: 1000, Tell: TellSettings},
	{Name: "sv_inactivekick_time", Help: "Minutes until an inactive client is moved or kicked (0 = never, the default in DDRace)",
		Number: func(r *Rules) *int32 { return &r.InactiveTime }, Default: 3, Max: 1000},
	{Name: "sv_inactivekick", Help: "How to deal with inactive clients (1 = spectator, 2 = spectator or kick, 3 = kick)",
		Number: func(r *Rules) *int32 { return &r.InactiveAction }, Default: 2, Min: 1, Max: 3},
	{Name: "sv_vote_kick_min", Help: "Number of players required for a vote to kick",
		Number: func(r *Rules) *int32 { return &r.VoteKickMin }, Max: MaxPlayers, Tell: TellSettings},

	{Switch: func(r *Rules) *bool { return &r.MapRotation }},
	{Name: "sv_match_swap", Help: "Swap teams between matches",
		Switch: func(r *Rules) *bool { return &r.MatchSwap }, Default: 1},
	{Name: "sv_powerups", Help: "Allow powerups like ninja",
		Switch: func(r *Rules) *bool { return &r.Powerups }, Default: 1},
	{Name: "sv_teamdamage", Help: "Team damage", Switch: func(r *Rules) *bool { return &r.TeamDamage }},
	{Name: "sv_player_ready_mode", Help: "Players pause and start the game with their ready state",
		Switch: func(r *Rules) *bool { return &r.ReadyMode }},
	{Name: "sv_spamprotection", Help: "Spam protection",
		Switch: func(r *Rules) *bool { return &r.SpamProtection }, Default: 1},
	{Name: "sv_inactivekick_spec", Help: "Kick inactive spectators",
		Switch: func(r *Rules) *bool { return &r.InactiveSpecKick }},
	{Name: "sv_silent_spectator_mode", Help: "No join and leave messages for spectators",
		Switch: func(r *Rules) *bool { return &r.SilentSpectators }, Default: 1},
	{Name: "sv_strict_spectate_mode", Help: "Hide health and ammo from spectators",
		Switch: func(r *Rules) *bool { return &r.StrictSpectate }},
	{Switch: func(r *Rules) *bool { return &r.PureTuning }},
	{Name: "sv_vote_kick", Help: "Allow votes to kick players",
		Switch: func(r *Rules) *bool { return &r.VoteKick }, Default: 1, Tell: TellSettings},
	{Name: "sv_vote_spectate", Help: "Allow votes to move players to spectators",
		Switch: func(r *Rules) *bool { return &r.VoteSpectate }, Default: 1, Tell: TellSettings},

	{Name: "sv_info_change_delay", Help: "Seconds between two changes of a player's name or skin",
		Number: func(r *Rules) *int32 { return &r.InfoChangeDelay }, Default: 5, Max: 9999, Late: true},
}

// DefaultRules returns the rules of a Teeworlds 0.7.5 server without configuration.
func DefaultRules() (r Rules) {
	for i := range ruleSettings {
		ruleSettings[i].Set(&r, ruleSettings[i].Default)
	}
	return r
}

// clamp limits the rules to their ranges.
func (r *Rules) clamp() {
	for i := range ruleSettings {
		s := &ruleSettings[i]
		if s.Number == nil {
			continue
		}
		if v := s.Number(r); !(s.ZeroAllowed && *v == 0) {
			*v = min(max(*v, s.Min), s.Max)
		}
	}
	r.PlayerSlots = min(r.PlayerSlots, r.MaxClients)
}

// Seats returns how many player ids are in use: all, if there can be more than 64 clients.
func (r *Rules) Seats() int {
	if r.MaxClients > fewPlayers {
		return MaxPlayers
	}
	return fewPlayers
}
