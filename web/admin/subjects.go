package admin

import (
	"cmp"
	"strconv"
	"strings"
)

// subject is a group of settings on the page and in docs/operate/settings.md.
type subject struct {
	title string
	// names are the settings in their order. A name that ends in * stands for all that begin with
	// the rest, unless another subject has their whole name.
	names string
}

// subjects are in the order of the page. Settings without a subject belong to modes and mods.
var subjects = []subject{
	{"Server", "sv_name sv_motd sv_hostname sv_max_clients sv_player_slots password sv_port bindaddr sv_ipv4only sv_high_bandwidth sv_skill_level " +
		"sv_preinput sv_max_preinputs_per_tick " +
		"sv_reload_when_empty sv_shutdown_when_empty sv_term_drain sv_agones sv_agones_* sv_resume sv_storage"},
	{"Fleet", "sv_nats sv_nats_* sv_fleet sv_fleet_*"},
	{"Match", "sv_gametype sv_scorelimit sv_timelimit sv_warmup sv_countdown sv_matches_per_map sv_match_swap sv_teamdamage sv_teambalance_time sv_powerups " +
		"sv_respawn_delay_tdm sv_player_ready_mode sv_tournament_mode sv_strict_spectate_mode sv_silent_spectator_mode sv_mods*"},
	{"Maps", "sv_map sv_maprotation sv_maplist sv_map_* sv_maps_*"},
	{"Bots", "sv_bots sv_bot_* dbg_dummies"},
	{"Chat", "sv_welcome sv_spamprotection sv_spam* sv_chat_* sv_announcement_* sv_rules_* sv_client_suggestion*"},
	{"Votes", "sv_rcon_vote sv_map_vote sv_join_vote_delay sv_vote_*"},
	{"Limits for clients", "sv_max_clients_per_* sv_inactivekick* sv_info_change_delay conn_timeout_protection sv_van*"},
	{"Remote consoles", "sv_rcon_password sv_rcon_mod_password sv_rcon_helper_password sv_rcon_* console_output_level sv_input_fifo ec_*"},
	{"Logs", "logfile* log_* sv_audit_log"},
	{"Web pages", "sv_play sv_websocket* sv_http sv_http_* sv_https* sv_broadcast* sv_live_delay"},
	{"Server list", "sv_register* sv_external_port"},
	{"Half-Life", "sv_hl*"},
	{"Recordings", "sv_auto_demo_* sv_demo_format sv_replay* sv_tee_historian*"},
	{"DDRace and ranks", "sv_ranks sv_sql* sv_use_sql sv_ddrace_* sv_reset_file sv_tune_reset"},
}

// otherSubject is the subject of settings that modes and mods register.
const otherSubject = "Mode and mods"

// place is the place of a setting in the order of the subjects.
type place struct {
	subject, within int
	name            string
	number          int // at the end of the name
}

// placeOf returns the place of a setting.
func placeOf(name string) place {
	stem := strings.TrimRight(name, "0123456789")
	p := place{subject: len(subjects), name: stem}
	p.number, _ = strconv.Atoi(name[len(stem):])
	length := 0 // of the longest pattern so far
	for i := range subjects {
		for j, pattern := range strings.Fields(subjects[i].names) {
			start, open := strings.CutSuffix(pattern, "*")
			if pattern == name {
				p.subject, p.within = i, j
				return p
			}
			if open && len(start) > length && strings.HasPrefix(name, start) {
				p.subject, p.within, length = i, j, len(start)
			}
		}
	}
	return p
}

// Subject returns the subject of a setting, and whether the table has it. Others belong to modes
// and mods.
func Subject(name string) (title string, known bool) {
	if i := placeOf(name).subject; i < len(subjects) {
		return subjects[i].title, true
	}
	return otherSubject, false
}

// CompareSettings compares the names of two settings by their subjects and their order in them.
func CompareSettings(a, b string) int {
	p, q := placeOf(a), placeOf(b)
	return cmp.Or(cmp.Compare(p.subject, q.subject), cmp.Compare(p.within, q.within), cmp.Compare(p.name, q.name), cmp.Compare(p.number, q.number))
}
