package ddrace

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// variables are the console variables that are not settings of the simulation.
type variables struct {
	HideScore       int32 // sv_hide_score
	NamelessScore   int32 // sv_nameless_score
	RankBots        int32 // sv_rank_bots
	RejoinTeam0     int32 // sv_rejoin_team_0
	TeamChangeDelay int32 // sv_team_change_delay: seconds
	Invite          int32 // sv_invite
	InviteFrequency int32 // sv_invite_frequency: seconds between two invitations
	Practice        int32 // sv_practice
	KillDelay       int32 // sv_kill_delay: seconds
	KillProtection  int32 // sv_kill_protection: minutes
	PauseFrequency  int32 // sv_pause_frequency: seconds
	PauseMessages   int32 // sv_pause_messages
	MaxAFK          int32 // sv_max_afk_time: seconds
	ShowOthers      int32 // sv_show_others
	ShowAll         int32 // sv_show_all_default
	TimerType       int32 // sv_default_timer_type
	TimeInterval    int32 // sv_time_in_broadcast_interval: seconds
	SlashMe         int32 // sv_slash_me
	EmotionalTees   int32 // sv_emotional_tees
	TestCommands    int32 // sv_test_cmds
	SaveGames       int32 // sv_savegames
	SaveDelay       int32 // sv_saveswapgames_delay: seconds
	SavePenalty     int32 // sv_saveswapgames_penalty: seconds
	Swap            int32 // sv_swap
	SwapTimeout     int32 // sv_swap_timeout: seconds
	Team0Mode       int32 // sv_team0mode
	PracticeDefault int32 // sv_practice_by_default
}

// declareSettings declares the console variables with the names, limits and defaults of DDNet.
func (m *Mode) declareSettings(setup *game.Setup) {
	m.settings = ddrace.DefaultSettings()
	for _, v := range append(ddrace.Variables(),
		ddrace.Variable{Name: "sv_rescue", Help: "/r returns a tee to its last place on the ground", Max: 1,
			Field: func(s *ddrace.Settings) *int32 { return &s.Rescue }},
		ddrace.Variable{Name: "sv_endless_super_hook", Help: "Hooks of super tees never end", Max: 1,
			Field: func(s *ddrace.Settings) *int32 { return &s.EndlessSuperHook }},
	) {
		setup.IntVar(game.IntVar{
			Name: v.Name, Help: v.Help, Value: v.Field(&m.settings), Default: v.Default, Min: v.Min, Max: v.Max, Late: v.Late(),
			Changed: func(ctx *game.Ctx) {
				s := *ctx.DDRace().Settings()
				*v.Field(&s) = *v.Field(&m.settings)
				ctx.DDRace().SetSettings(s)
				m.warn20(ctx, v.Name)
			},
		})
	}
	options := func(ctx *game.Ctx) { m.setOptions(&ctx.Tx) }
	for _, v := range []game.IntVar{
		{Name: "sv_hide_score", Help: "Hide the scores and finishes of other players", Value: &m.vars.HideScore, Max: 1},
		{Name: "sv_nameless_score", Help: "Finishes of players named \"nameless tee\" count", Value: &m.vars.NamelessScore, Default: 1, Max: 1},
		{Name: "sv_rejoin_team_0", Help: "Players leave an unlocked team when they finish", Value: &m.vars.RejoinTeam0, Default: 1, Max: 1},
		{Name: "sv_team_change_delay", Help: "Seconds between two /team of a player", Value: &m.vars.TeamChangeDelay, Default: 3, Max: 9999},
		{Name: "sv_invite", Help: "/invite lets others into a locked team", Value: &m.vars.Invite, Default: 1, Max: 1},
		{Name: "sv_invite_frequency", Help: "Seconds between two /invite of a player", Value: &m.vars.InviteFrequency, Default: 1, Max: 9999},
		{Name: "sv_practice", Help: "/practice is allowed", Value: &m.vars.Practice, Default: 1, Max: 1},
		{Name: "sv_kill_delay", Help: "Seconds between two suicides of a player", Value: &m.vars.KillDelay, Default: 1, Max: 9999},
		{Name: "sv_kill_protection", Help: "Minutes after which only /kill ends a race, 0 for never", Value: &m.vars.KillProtection, Default: 20, Max: 9999},
		{Name: "sv_pause_frequency", Help: "Seconds between two ends of /spec", Value: &m.vars.PauseFrequency, Default: 1, Max: 9999},
		{Name: "sv_pause_messages", Help: "Announce each use of /spec and /pause to all players", Value: &m.vars.PauseMessages, Max: 1},
		{Name: "sv_max_afk_time", Help: "Seconds until an idle player is shown as away, 0 for never", Value: &m.vars.MaxAFK, Default: 300, Max: 9999,
			Changed: options},
		{Name: "sv_show_others", Help: "Players can use /showothers", Value: &m.vars.ShowOthers, Default: 1, Max: 1, Changed: options},
		{Name: "sv_show_all_default", Help: "New players see distant tees (/showall)", Value: &m.vars.ShowAll, Max: 1},
		{Name: "sv_default_timer_type", Help: "Race time: 0 game timer, 1 broadcast, 2 both, 3 none", Value: &m.vars.TimerType, Max: 3},
		{Name: "sv_time_in_broadcast_interval", Help: "Seconds between two broadcasts of the clock", Value: &m.vars.TimeInterval, Default: 1, Max: 60},
		{Name: "sv_slash_me", Help: "/me is allowed", Value: &m.vars.SlashMe, Max: 1},
		{Name: "sv_emotional_tees", Help: "Emoticons change the eyes of tees; -1 disables /emote, too", Value: &m.vars.EmotionalTees, Default: 1, Min: -1,
			Max: 1},
		{Name: "sv_test_cmds", Help: "Allow test commands for operators, such as super and tele", Value: &m.vars.TestCommands, Max: 1},
		{Name: "sv_savegames", Help: "Teams can be saved and loaded", Value: &m.vars.SaveGames, Default: 1, Max: 1},
		{Name: "sv_saveswapgames_delay", Help: "Seconds before a save can be loaded or a swap accepted", Value: &m.vars.SaveDelay, Default: 30, Max: 10000},
		{Name: "sv_saveswapgames_penalty", Help: "Seconds that a save or a swap adds to the time", Value: &m.vars.SavePenalty, Default: 60, Max: 10000},
		{Name: "sv_swap", Help: "/swap is allowed", Value: &m.vars.Swap, Default: 1, Max: 1},
		{Name: "sv_swap_timeout", Help: "Seconds during which a swap can be accepted", Value: &m.vars.SwapTimeout, Default: 180, Max: 10000},
		{Name: "sv_team0mode", Help: "/team0mode is allowed (needs sv_ddnet_physics 20)", Value: &m.vars.Team0Mode, Default: 1, Max: 1, Late: true},
		{Name: "sv_practice_by_default", Help: "Practice without /practice (DDNet 20, with sv_test_cmds 1)",
			Value: &m.vars.PracticeDefault, Max: 1, Late: true, Changed: func(ctx *game.Ctx) { m.practiceChanged(ctx) }},
	} {
		setup.IntVar(v)
	}
}

// begin applies the settings that only DDNet 20 has to a new match.
func (m *Mode) begin(ctx *game.Ctx) {
	m.warn20(ctx, "")
	if w := ctx.DDRace(); m.practiceByDefault(w) {
		for team := range uint8(numTeams) {
			w.SetPractice(team, true)
		}
	}
}

// warn20 prints which settings have no effect because the match has the rules of an older release
// than DDNet 20. With a name, it prints only that one.
func (m *Mode) warn20(ctx *game.Ctx, name string) {
	s := ctx.DDRace().Settings()
	if s.Release >= 20 {
		return
	}
	for _, v := range []struct {
		name string
		used bool
	}{
		{"sv_no_weak_hook", s.NoWeakHook != 0},
		{"sv_practice_by_default", m.vars.PracticeDefault != 0},
	} {
		if v.used && (name == "" || name == v.name || name == "sv_ddnet_physics") {
			ctx.Print(fmt.Sprintf("%s 1 has no effect with sv_ddnet_physics %d; set sv_ddnet_physics 20", v.name, s.Release))
		}
	}
}

// practiceByDefault reports whether teams without players and team 0 practise.
func (m *Mode) practiceByDefault(w *ddrace.World) bool {
	return m.vars.PracticeDefault != 0 && m.vars.TestCommands != 0 && is20(w)
}

// practiceChanged tells players that sv_practice_by_default has changed, and applies it to teams
// without players.
func (m *Mode) practiceChanged(ctx *game.Ctx) {
	w, on := ctx.DDRace(), m.vars.PracticeDefault != 0
	m.warn20(ctx, "sv_practice_by_default")
	if m.vars.TestCommands == 0 || !is20(w) {
		return
	}
	text := "Practice is disabled by default."
	if on {
		text = "Practice is enabled by default. Join a team and /unpractice to turn it off for your team."
	}
	ctx.Say(text)
	for team := range uint8(numTeams) {
		if team == 0 || w.Members(team) == 0 {
			w.SetPractice(team, on)
		}
	}
}

// setOptions passes the options that the world needs to it.
func (m *Mode) setOptions(tx *game.Tx) {
	tx.SetDDRaceOptions(game.DDRaceOptions{MaxAFK: m.vars.MaxAFK, HideOthers: m.vars.ShowOthers == 0})
}
