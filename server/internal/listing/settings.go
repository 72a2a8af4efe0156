package listing

import (
	"slices"

	"github.com/teeyard/teeyard/server/console"
)

// Settings holds the variables. Switches are 0 or 1. The comments name the variables; "ours" and
// "DDNet's" mark names that Teeworlds 0.7.5 lacks.
type Settings struct {
	Name                   string // sv_name
	Hostname               string // sv_hostname
	SkillLevel             int    // sv_skill_level
	ExternalPort           int    // sv_external_port
	Announce               string // sv_register
	RegisterURL            string // sv_register_url, DDNet's
	RegisterUDP            string // sv_register_udp, ours
	RegisterCommunityToken string // sv_register_community_token, DDNet's
	RegisterExtra          string // sv_register_extra, DDNet's
	HalfLife               int    // sv_hl, ours
	HalfLifeLegacy         string // sv_hl_legacy_queries, ours
	HalfLifeMaster         string // sv_hl_master, ours
	HalfLifeRcon           int    // sv_hl_rcon, ours
	HalfLifeRconAllow      string // sv_hl_rcon_allow, ours
	HalfLifeRconFailures   int    // sv_hl_rcon_failures, ours
	HalfLifeRconBanTime    int    // sv_hl_rcon_bantime, ours
	HalfLifeRconExempt     string // sv_hl_rcon_exempt, ours
}

// register adds the variables to a console and sets them to their defaults.
func (s *Settings) register(c *console.Console) error {
	const sv, secret = console.Server | console.Save, console.Server | console.Save | console.Secret
	for _, v := range []console.StringVar{
		{Name: "sv_name", Help: "Server name", Flags: sv, Value: &s.Name, Default: "unnamed server", Size: 128},
		{Name: "sv_hostname", Help: "Server hostname", Flags: sv, Value: &s.Hostname, Size: 128},
		{Name: "sv_register", Help: "Announce the server to the masters (0, 1, or a list such as ipv4,ipv6 or tw0.7)",
			Flags: sv, Value: &s.Announce, Default: "0", Size: 64},
		{Name: "sv_register_url", Help: "HTTP master to announce the server to",
			Flags: sv, Value: &s.RegisterURL, Default: "https://master1.ddnet.org/ddnet/15/register", Size: 128},
		{Name: "sv_register_udp", Help: "UDP masters to announce the server to, separated by commas", Flags: sv, Value: &s.RegisterUDP, Size: 256,
			Default: "master1.teeworlds.com,master2.teeworlds.com,master3.teeworlds.com,master4.teeworlds.com"},
		{Name: "sv_register_community_token", Help: "Token of the server's community, for the HTTP master",
			Flags: secret, Value: &s.RegisterCommunityToken, Size: 65},
		{Name: "sv_register_extra", Help: "HTTP headers to add for the HTTP master, 'Header: Value' separated by commas",
			Flags: secret, Value: &s.RegisterExtra, Size: 256},
		{Name: "sv_hl_legacy_queries", Help: "Answer Half-Life queries without a challenge: off, lan (local networks) or on (all)",
			Flags: sv, Value: &s.HalfLifeLegacy, Default: "lan", Size: 8},
		{Name: "sv_hl_master", Help: "Half-Life masters to announce the server to, separated by commas", Flags: sv, Value: &s.HalfLifeMaster, Size: 256},
		{Name: "sv_hl_rcon_allow", Help: "Networks that may use the Half-Life remote console, separated by commas (empty = all)",
			Flags: sv, Value: &s.HalfLifeRconAllow, Size: 256},
		{Name: "sv_hl_rcon_exempt", Help: "Networks that are never banned from the Half-Life remote console, separated by commas",
			Flags: sv, Value: &s.HalfLifeRconExempt, Size: 256},
	} {
		if err := c.RegisterString(v); err != nil {
			return err
		}
	}
	for _, v := range []console.IntVar{
		{Name: "sv_external_port", Help: "Port to report to the masters (0 = sv_port)", Flags: sv, Value: &s.ExternalPort},
		// DDNet's name for the same variable.
		{Name: "sv_register_port", Help: "Port to report to the masters (0 = sv_port)", Flags: console.Server | console.Hidden, Value: &s.ExternalPort},
		{Name: "sv_hl", Help: "Answer the Half-Life queries of trackers and panels", Flags: sv, Value: &s.HalfLife, Default: 1, Max: 1},
		{Name: "sv_hl_rcon", Help: "Open the remote console for Half-Life programs; the password is not encrypted",
			Flags: sv, Value: &s.HalfLifeRcon, Default: 1, Max: 1},
		{Name: "sv_hl_rcon_failures", Help: "Wrong passwords within 30 seconds that ban from the Half-Life remote console (0 = never)",
			Flags: sv, Value: &s.HalfLifeRconFailures, Default: 5, Max: 20},
		{Name: "sv_hl_rcon_bantime", Help: "Minutes of a ban from the Half-Life remote console (0 = forever)",
			Flags: sv, Value: &s.HalfLifeRconBanTime, Default: 15, Max: 525600},
		{Name: "sv_skill_level", Help: "Skill level shown in the server browser (0 to 2)", Flags: sv, Value: &s.SkillLevel, Default: 1, Max: 2},
	} {
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	return nil
}

// Register adds the variables and commands to a console, after the variables of package access.
func (l *Listing) Register(c *console.Console) error {
	l.console = c
	if err := l.Settings.register(c); err != nil {
		return err
	}
	for _, cmd := range l.ipFilterCommands() {
		if err := c.Register(cmd); err != nil {
			return err
		}
	}
	passwords := []string{}
	for _, p := range l.access.Logins.LevelPasswords() {
		passwords = append(passwords, p.Variable)
	}
	for _, hook := range []struct {
		run       func(*console.Call)
		variables []string
	}{
		{func(*console.Call) { l.masters.outdated = true }, []string{
			"sv_register", "sv_register_url", "sv_register_udp", "sv_register_extra", "sv_register_community_token",
			"sv_register_port", "sv_external_port",
		}},
		{l.HalfLife.checkSetting, []string{"sv_hl_legacy_queries", "sv_hl_rcon_allow", "sv_hl_rcon_exempt"}},
		{func(call *console.Call) { l.HalfLife.configure(call.Caller) }, slices.Concat([]string{
			"sv_hl", "sv_hl_legacy_queries", "sv_hl_rcon", "sv_hl_rcon_allow", "sv_hl_rcon_failures", "sv_hl_rcon_bantime",
			"sv_hl_rcon_exempt",
		}, passwords)},
	} {
		for _, name := range hook.variables {
			if err := c.After(name, hook.run); err != nil {
				return err
			}
		}
	}
	return nil
}
