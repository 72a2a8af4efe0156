package console

import (
	"fmt"
	"strings"
)

// oldNames maps names in configurations of other servers to names here, for suggestions.
var oldNames = map[string]string{
	// earlier Teeworlds and its mods: InstaGib, zCatch, FNG and infection
	"sv_rounds_per_map":  "sv_matches_per_map",
	"sv_round_swap":      "sv_match_swap",
	"sv_rcon_ban_time":   "sv_rcon_bantime",
	"sv_respawn_delay":   "sv_respawn_delay_tdm",
	"sv_bindaddr":        "bindaddr",
	"sv_instagib":        "sv_gametype",
	"sv_insta":           "sv_gametype",
	"sv_mode":            "sv_gametype",
	"sv_zcatch_mode":     "sv_spawn_weapons",
	"sv_color_indicator": "sv_zcatch_colors",
	// names from other games
	"sv_password":     "password",
	"rcon_password":   "sv_rcon_password",
	"sv_max_players":  "sv_player_slots",
	"sv_maxplayers":   "sv_player_slots",
	"maxplayers":      "sv_max_clients",
	"hostname":        "sv_name",
	"mp_timelimit":    "sv_timelimit",
	"mp_fraglimit":    "sv_scorelimit",
	"mp_friendlyfire": "sv_teamdamage",
}

// suggest returns the command that a name that does not exist stands for: what another server
// calls so, or else a similar one. It is "" if there is none that who may run.
func (c *Console) suggest(name string, who Caller) string {
	if len(name) > 64 {
		return ""
	}
	may := func(name string) bool {
		e := c.find(name, who.Flags)
		return e != nil && e.level >= who.Level
	}
	if meant, ok := oldNames[strings.ToLower(name)]; ok && may(meant) {
		return meant
	}
	names := make([]string, 0, len(c.sorted))
	for _, e := range c.sorted {
		if e.cmd.Flags&Hidden == 0 && may(e.cmd.Name) {
			names = append(names, e.cmd.Name)
		}
	}
	return Similar(name, names)
}

// maxSuggestions is how many names of a line or file are compared with all that there are.
const maxSuggestions = 16

// suggestion returns "" or a sentence with a command that a name may stand for.
func (c *Console) suggestion(name string, who Caller) string {
	if c.suggestions++; c.nesting > 0 && c.suggestions > maxSuggestions {
		return ""
	}
	if meant := c.suggest(name, who); meant != "" {
		return " Is it " + meant + "?"
	}
	return ""
}

// unknownArgument returns the error about an argument that is almost a command.
func unknownArgument(name, meant string) error {
	return fmt.Errorf("no such command: %s; is it %s?", name, meant)
}
