package console

import (
	"slices"
	"strings"
)

// The commands and variables of DDNet-Server 16.4 and 20.1 that configurations contain and that
// this server does not have, or not always. A test compares these with all that both list
// (testdata/ddnet16.txt and ddnet20.txt).

// ddnetModes are names from the modes that play DDRace.
var ddnetModes = strings.Fields(`
addweapon down endless_hook force_pause force_unpause freezehammer grenade jetpack kill_pl laser left
livefreeze move move_raw ninja removeweapon rifle right set_team_ddr shotgun super sv_deepfly
sv_default_timer_type sv_destroy_bullets_on_death sv_destroy_lasers_on_death sv_dragger_range
sv_emotional_tees sv_endless_drag sv_endless_super_hook sv_freeze_delay sv_hide_score sv_hit sv_invite
sv_invite_frequency sv_kill_delay sv_kill_protection sv_max_afk_time sv_max_team_size sv_min_team_size
sv_nameless_score sv_no_weak_hook sv_no_weak_hook_and_bounce sv_old_laser sv_old_teleport_hook sv_old_teleport_weapons
sv_pause_frequency sv_pause_messages sv_pauseable sv_plasma_per_sec sv_plasma_range sv_practice sv_practice_by_default
sv_rejoin_team_0 sv_rescue sv_reset_pickups sv_save_worse_scores sv_savegames sv_saveswapgames_delay
sv_saveswapgames_penalty sv_show_all_default sv_show_others sv_show_others_default sv_slash_me sv_solo_server
sv_swap sv_swap_timeout sv_team sv_team0mode sv_team_change_delay sv_teleport_hold_hook sv_teleport_lose_weapons
sv_test_cmds sv_time_in_broadcast_interval tele totele totelecp undeep unendless_hook unfreezehammer ungrenade
uninvite unjetpack unlaser unlivefreeze unrifle unshotgun unsolo unsuper unweapons up weapons
`)

// ddnetGroup is a group of names that have no effect here for the same reason.
type ddnetGroup struct {
	why   string
	names []string
}

var ddnetGroups = [...]ddnetGroup{
	{"bans have no regions", strings.Fields("ban_region ban_region_range sv_region_name")},
	{"sv_ranks sets the file of the ranks; teeyard-fleet logs at the start which database it uses",
		strings.Fields("add_sqlserver dump_sqlservers sv_sqlite_file sv_use_sql")},
	{"teeyard-fleet connects to the database of add_sqlserver from any local address", strings.Fields("sv_sql_bindaddr")},
	{"addresses are not looked up in DNS blocklists",
		strings.Fields("sv_dnsbl sv_dnsbl_ban sv_dnsbl_chat sv_dnsbl_host sv_dnsbl_key sv_dnsbl_vote sv_dnsbl_ban_reason")},
	{"floods are limited without settings", strings.Fields(`conn_resend_requests_per_second sv_ban_replies_per_second
sv_max_packets_per_recv sv_preconn_decompress_per_second sv_server_info_replies_per_second sv_van_conn_replies_per_second
sv_connlimit sv_connlimit_time sv_netlimit sv_netlimit_alpha sv_server_info_per_second`)},
	{"downloads, votes and the list of players are paced without settings",
		strings.Fields("sv_fast_download sv_map_window sv_mapupdaterate sv_send_votes_per_tick")},
	{"the limits of sv_spamprotection for emoticons are fixed",
		strings.Fields("sv_emoticon_delay sv_eye_emote_change_delay sv_emoticon_ms_delay sv_global_emoticon_ms_delay")},
	{"clients of all versions may play", strings.Fields("sv_banned_versions sv_sixup sv_vanilla_connections")},
	{"no seats are reserved", strings.Fields("sv_reserved_slots sv_reserved_slots_pass sv_reserved_slots_auth_level")},
	{"a client times out after 10 seconds without a datagram, or 100 while it loads the map", strings.Fields("conn_timeout")},
	{"only teeyard serve reads a pipe", strings.Fields("sv_input_fifo")},
	{"the log always has the addresses of clients", strings.Fields("sv_conn_logging_server")},
	{"log_dialect, console_output_level and ec_output_level control the log",
		strings.Fields("console_enable_colors dbg_curl dbg_lognetwork loglevel dbg_http dbg_sql stdout_output_level logappend")},
	{"sv_replay and sv_auto_demo_record record the whole match", strings.Fields("sv_demo_chat sv_player_demo_record")},
	{"access_level sets who may run a command", strings.Fields("sv_tele_others_auth_level")},
	{"random_map chooses from the maps that players can vote for", strings.Fields("sv_server_type")},
	{"sv_register_url sets http or https for the master", strings.Fields("http_allow_insecure")},
	{"/save shows what is kept", strings.Fields("save_dry")},
	{"this server has no holiday events", strings.Fields("events")},
	{"this server does not use UPnP", strings.Fields("sv_use_upnp")},
	{"crazy bullets have no sound", strings.Fields("sv_shotgun_bullet_sound")},
	{"DDNet-Server 16.4 ignores it, too", strings.Fields("sv_rank_cheats sv_rescue_delay sv_score_folder sv_suicide_penalty")},
	{"the server loads no library against cheats", strings.Fields("antibot")},
	{"bans lists all bans", strings.Fields("bans_find")},
	{"logfile and the external console have the log", strings.Fields("dump_log")},
	{"spectators get as many snapshots as players", strings.Fields("force_high_bandwidth_on_spectate")},
	{"players see who is an operator", strings.Fields("hide_auth_status")},
	{"reload begins the match again", strings.Fields("hot_reload")},
	{"say and broadcast reach players", strings.Fields("mod_alert server_alert")},
	{"the server reads its files when it needs them", strings.Fields("reload_announcement reload_maplist")},
	{"the chat is not censored", strings.Fields("reload_censorlist")},
	{"set the value itself", strings.Fields("reset")},
	{"the server is in no community's list", strings.Fields("sv_flag sv_official_tutorial")},
	{"ranks have no regions", strings.Fields("sv_regional_rankings")},
	{"connections to the database have no TLS", strings.Fields("sv_sql_ssl_ca sv_sql_ssl_cert sv_sql_ssl_key")},
	{"all players may vote", strings.Fields("sv_vote_kick_mutetime vote_muteid vote_muteip vote_unmuteid vote_unmuteip")},
	{"clients show the votes", strings.Fields("votes")},
	{"players use it in the chat", strings.Fields(`
c cmdlist converse credits dnd emote eyeemote invite kill load lock map mapinfo me ninjajetpack pausevoted
points practice r rank rankteam rescue rules save saytime saytimeall settings showall showothers spec specteam
specvoted swap team team0mode teamrank teamtop5 teleport time timecp timeout timer times top top5 top5points top5team tp
unlock w whisper`)},
}

// inModes is what DDNetReason says of ddnetModes.
const inModes = "only in DDRace"

// DDNetReason returns the reason why a setting or command of DDNet has no effect here. isDDNet
// reports whether the name is one of DDNet's.
func DDNetReason(name string) (why string, isDDNet bool) {
	name = strings.ToLower(name)
	for i := range ddnetGroups {
		if slices.Contains(ddnetGroups[i].names, name) {
			return ddnetGroups[i].why, true
		}
	}
	return inModes, slices.Contains(ddnetModes, name)
}

// isOfDDNet reports whether a name is one of DDNet's that has no effect.
func isOfDDNet(name string) bool {
	_, is := DDNetReason(name)
	return is
}

// warnUnknown prints that a command does not exist. In files, it warns once about each name of
// DDNet.
func (c *Console) warnUnknown(name string, who Caller) {
	why, isDDNet := DDNetReason(name)
	switch {
	case !isDDNet, len(name) < 3:
		c.warn(who, "Console", "No such command: %s.%s", name, c.suggestion(name, who))
		return
	case len(c.openFiles) > 0:
		if name = strings.ToLower(name); slices.Contains(c.toldDDNet, name) {
			return
		}
		c.toldDDNet = append(c.toldDDNet, name)
	}
	c.warn(who, "Console", "%s has no effect here (%s)", name, why)
}

// reportDDNet prints which names of DDNet the configuration has used without effect, and why.
func (c *Console) reportDDNet() {
	names := c.withoutEffect
	c.withoutEffect = nil
	c.toldDDNet = append(c.toldDDNet, names...)
	report := func(why string) {
		var list []string
		for _, name := range names {
			if w, _ := DDNetReason(name); w == why {
				list = append(list, name)
			}
		}
		if len(list) > 0 {
			c.warn(Operator, "Console", "DDNet names without effect here: %s (%s)", strings.Join(list, ", "), why)
		}
	}
	for i := range ddnetGroups {
		report(ddnetGroups[i].why)
	}
	report(inModes)
}

// ignore notes that the configuration has used a name of DDNet that does not exist.
func (c *Console) ignore(name string) {
	if name = strings.ToLower(name); !slices.Contains(c.withoutEffect, name) {
		c.withoutEffect = append(c.withoutEffect, name)
	}
}
