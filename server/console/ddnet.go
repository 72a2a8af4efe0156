package console

import (
	"slices"
	"strings"
)

// ddnetNames are the commands and variables of DDNet-Server 16.4 that configurations contain and that
// this server does not always have, as it lists them. Modes and mods may have them.
var ddnetNames = strings.Fields(`
add_sqlserver addweapon auth_add auth_add_p auth_change auth_change_p auth_list auth_remove ban_region
ban_region_range c cmdlist conn_timeout console_enable_colors converse credits dbg_curl dbg_lognetwork dnd
down dump_antibot dump_sqlservers emote endless_hook eyeemote force_pause force_unpause freezehammer grenade
help http_allow_insecure invite jetpack kill kill_pl laser left livefreeze load lock loglevel map mapbug
mapinfo me moderate move move_raw mute name_ban name_bans name_unban ninja ninjajetpack pause_game pausevoted
points practice r random_map random_unfinished_map rank rankteam removeweapon rescue rifle right save save_dry
saytime saytimeall set_team_ddr settings shotgun show_ips showall showothers spec specteam specvoted super
sv_banned_versions sv_chat_delay sv_chat_initial_delay sv_chat_penalty sv_chat_threshold sv_client_suggestion
sv_client_suggestion_bot sv_client_suggestion_old sv_conn_logging_server sv_connlimit sv_connlimit_time
sv_ddrace_tune_reset sv_deepfly sv_default_timer_type sv_demo_chat sv_destroy_bullets_on_death
sv_destroy_lasers_on_death sv_dnsbl sv_dnsbl_ban sv_dnsbl_chat sv_dnsbl_host sv_dnsbl_key sv_dnsbl_vote
sv_dragger_range sv_emoticon_delay sv_emotional_tees sv_endless_drag sv_endless_super_hook
sv_eye_emote_change_delay sv_fast_download sv_freeze_delay sv_hide_score sv_hit sv_info_change_delay
sv_input_fifo sv_invite sv_invite_frequency sv_ipv4only sv_join_vote_delay sv_kill_delay sv_kill_protection
sv_map_vote sv_map_window sv_mapupdaterate sv_max_afk_time sv_max_team_size sv_min_team_size sv_nameless_score
sv_netlimit sv_netlimit_alpha sv_no_weak_hook_and_bounce sv_old_laser sv_old_teleport_hook
sv_old_teleport_weapons sv_pause_frequency sv_pause_messages sv_pauseable sv_plasma_per_sec sv_plasma_range
sv_player_demo_record sv_practice sv_rank_cheats sv_rcon_vote sv_region_name sv_rejoin_team_0
sv_reload_when_empty sv_rescue sv_rescue_delay sv_reserved_slots sv_reserved_slots_pass sv_reset_file
sv_reset_pickups sv_save_worse_scores sv_savegames sv_saveswapgames_delay sv_saveswapgames_penalty
sv_score_folder sv_send_votes_per_tick sv_server_info_per_second sv_server_type sv_shotgun_bullet_sound
sv_show_all_default sv_show_others sv_show_others_default sv_shutdown_when_empty sv_sixup sv_slash_me
sv_solo_server sv_spam_mute_duration sv_sql_bindaddr sv_sqlite_file
sv_suicide_penalty sv_swap sv_swap_timeout sv_team sv_team_change_delay sv_tee_historian
sv_tele_others_auth_level sv_teleport_hold_hook sv_teleport_lose_weapons sv_test_cmds
sv_time_in_broadcast_interval sv_tune_reset sv_use_sql sv_vote_delay sv_vote_kick_delay sv_vote_majority
sv_vote_map_delay sv_vote_max_total sv_vote_pause sv_vote_pause_time sv_vote_time sv_vote_veto_time
sv_vote_yes_percentage swap switch_open team teamrank teamtop5 tele teleport time timecp timeout timer times
toggle_tune top top5 top5points top5team totele totelecp tp tune_zone tune_zone_dump tune_zone_enter
tune_zone_leave tune_zone_reset undeep unendless_hook unfreezehammer ungrenade uninvite unjetpack unlaser
unlivefreeze unlock unmute unrifle unshotgun unsolo unsuper unweapons up vote_mute vote_mutes vote_no
vote_unmute w weapons whisper
`)

// isOfDDNet reports whether a name is one of DDNet's.
func isOfDDNet(name string) bool {
	_, found := slices.BinarySearch(ddnetNames, strings.ToLower(name))
	return found
}

// maxListedNames is how many names reportDDNet prints in a line.
const maxListedNames = 12

// reportDDNet prints which names of DDNet the configuration has used without effect.
func (c *Console) reportDDNet() {
	names := c.withoutEffect
	c.withoutEffect = nil
	for len(names) > 0 {
		n := min(len(names), maxListedNames)
		c.warn(Operator, "Console", "of DDNet, without effect here: %s", strings.Join(names[:n], ", "))
		names = names[n:]
	}
}

// ignore notes that the configuration has used a name of DDNet that does not exist.
func (c *Console) ignore(name string) {
	if name = strings.ToLower(name); !slices.Contains(c.withoutEffect, name) {
		c.withoutEffect = append(c.withoutEffect, name)
	}
}
