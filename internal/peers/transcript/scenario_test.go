//go:build peers

package transcript

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// serverSettings are both servers' settings. The mode is dm.
const serverSettings = "sv_map yard; sv_rcon_password adminpw; sv_rcon_mod_password modpw; sv_motd hello; sv_warmup 0; sv_countdown 0; " +
	"sv_max_clients 12; sv_player_slots 4; sv_max_clients_per_ip 4; console_output_level 2; sv_vote_kick_bantime 0; sv_vote_spectate_rejoindelay 1; " +
	`sv_respawn_delay_tdm 1; add_vote "a warm welcome" say welcome; add_vote "none" say none`

// yard is the map of the scenario. It is so small that every player sees all of it.
const yard = `
########################
#............S.........#
#......................#
#......................#
#x....h..S..........g..#
########################`

// tour is a server with a scenario of its players.
type tour struct {
	name     string // prefix of the names of steps, except in the first tour
	gametype string
	settings string
	econ     bool   // a client is at the external console
	drawing  string // drawing of the map "yard"
	play     func(*scenario, *peers.Server)
	least    int // least number of lines in the original's transcript
}

// tours are all tours of TestTranscript.
var tours = []tour{
	{"dm", "dm", serverSettings, false, yard, (*scenario).greet, 300},
	{"play", "dm", serverSettings, false, yard, (*scenario).play, 150},
	{"spectate", "dm", serverSettings, false, yard, (*scenario).spectate, 100},
	{"operate", "dm", serverSettings, false, yard, (*scenario).operate, 300},
	{"vote", "dm", serverSettings, false, yard, (*scenario).vote, 300},
	{"punish", "dm", serverSettings, false, yard, (*scenario).punish, 80},
	{"files", "dm", serverSettings, false, yard, (*scenario).files, 60},
	{"dm-time", "dm", modeSettings, true, yard, (*scenario).timeInDeathmatch, 30},
	{"tdm-time", "tdm", modeSettings, true, flagYard, (*scenario).timeInTeams, 30},
	{"ctf-time", "ctf", modeSettings, true, ctfYard, (*scenario).timeWithWinner, 30},
	{"lms-time", "lms", modeSettings, true, survivalYard, (*scenario).timeInSurvival, 30},
	{"lts-time", "lts", modeSettings, true, survivalYard, (*scenario).timeOfTeams, 30},
	{"tdm", "tdm", modeSettings, true, flagYard, (*scenario).playTeams, 450},
	{"ctf", "ctf", modeSettings, true, ctfYard, (*scenario).playFlags, 250},
	{"lms", "lms", modeSettings, true, survivalYard, (*scenario).playLastMan, 250},
	{"lts", "lts", modeSettings, true, survivalYard, (*scenario).playLastTeam, 300},
}

// run runs a tour on a server and returns the transcript.
func (v *tour) run(t *testing.T, start func(t testing.TB, home, settings string) *peers.Server) []string {
	t.Helper()
	home := t.TempDir()
	peers.WriteFile(t, filepath.Join(home, "maps", "yard.map"), peers.PlainMap(v.drawing))
	peers.WriteFile(t, filepath.Join(home, tourFile), []byte(tourCommands))
	econ := peers.FreeAddr(t)
	s := start(t, home, fmt.Sprintf("%s; sv_gametype %s; ec_bindaddr 127.0.0.1; ec_port %d; ec_password econpw; ec_output_level 2", v.settings, v.gametype,
		econ.Port()))
	sc := &scenario{t: t, server: s.Addr, received: make(chan datagram, 1024), done: make(chan struct{}), lists: map[string][]string{}}
	defer close(sc.done)
	sc.prefix = v.prefix()
	if v.econ {
		sc.econ = dialEcon(t, econ)
	}
	sc.survival = v.gametype == "lms" || v.gametype == "lts"
	sc.awaitEmpty()
	if sc.econ != nil { // the client that waited for the server's start may have scored
		sc.econ.send("restart")
		time.Sleep(500 * time.Millisecond)
		sc.econ.take()
	}
	v.play(sc, s)
	return sc.transcript
}

// greet is the first part: joins, chat, and map changes.
func (sc *scenario) greet(s *peers.Server) {
	sc.arrive()
	sc.talk()
	sc.end(s)
}

// awaitEmpty waits until the first client id is free. The client that waited for the server's start
// may still have it.
func (sc *scenario) awaitEmpty() {
	sc.t.Helper()
	for first := false; !first; {
		scout := sc.join(joinConfig{name: "scout", host: 1, hasMap: true})
		sc.awaitQuiet("scout", []func() bool{func() bool { return scout.State() == client.Playing }})
		first = scout.ID() == 0
		sc.leave(scout)
		time.Sleep(1200 * time.Millisecond)
	}
	sc.econ.take()
	sc.transcript = nil
}

func (sc *scenario) player(name string) *player {
	sc.t.Helper()
	for _, p := range sc.players {
		if p.name == name {
			return p
		}
	}
	sc.t.Fatalf("%s is not there", name)
	return nil
}

func (sc *scenario) alice() *player { return sc.player("alice") }
func (sc *scenario) bob() *player   { return sc.player("bob") }
func (sc *scenario) carol() *player { return sc.player("carol") }

// say is a step in which a player chats.
func (sc *scenario) say(step string, p *player, mode msg7.ChatMode, target *player, text string, until ...func() bool) {
	sc.t.Helper()
	sc.step(step, func() { p.chat(mode, target, text) }, until...)
}

func (p *player) chat(mode msg7.ChatMode, target *player, text string) {
	to := int32(-1)
	if target != nil {
		to = int32(target.ID())
	}
	p.send(&msg7.ClSay{Mode: mode, Target: to, Message: []byte(text)})
}

// rcon is a step in which alice runs a console command. The step has the command's name.
func (sc *scenario) rcon(line string, until ...func() bool) {
	sc.t.Helper()
	sc.step("rcon "+line, func() { sc.alice().sendRcon(line) }, until...)
}

// rconEach is rcon for several commands with the same effect.
func (sc *scenario) rconEach(until func() bool, lines ...string) {
	sc.t.Helper()
	for _, line := range lines {
		sc.rcon(line, until)
	}
}

// changeSkin sends a message with a new skin.
func (p *player) changeSkin(body string, color int32) {
	var m msg7.ClSkinChange
	for i, s := 0, newSkin(body, color); i < game.NumSkinParts; i++ {
		m.Skin.Parts[i], m.Skin.UseCustomColors[i], m.Skin.Colors[i] = []byte(s.PartNames[i]), s.UseCustomColors[i], s.PartColors[i]
	}
	p.send(&m)
}

func (p *player) sendRcon(line string) { p.send(&msg7.RconCmd{Command: []byte(line)}) }

func (sc *scenario) team(step string, p *player, team msg7.Team, until ...func() bool) {
	sc.t.Helper()
	sc.step(step, func() { p.send(&msg7.ClSetTeam{Team: team}) }, until...)
}

// joins is a step in which a player joins.
func (sc *scenario) joins(step string, v joinConfig) {
	sc.t.Helper()
	var p *player
	sc.step(step, func() { p = sc.join(v) }, func() bool {
		spectates := fmt.Sprintf("Sv_ClientInfo ClientID=%d Local=true ", p.ID())
		if !sc.survival {
			spectates += "Team=-1 "
		}
		return p.State() == client.Offline || p.isAlive() || p.State() == client.Playing && p.got(spectates)()
	})
}

// arrive is the part about joins, passwords and console access.
func (sc *scenario) arrive() {
	sc.t.Helper()
	sc.joins("join", joinConfig{name: "alice", host: 1})
	alice := sc.alice()
	if alice.ID() != 0 {
		sc.t.Fatalf("alice is %d", alice.ID())
	}
	sc.rcon("status") // alice is not logged in yet
	sc.step("wrong rcon password", func() { alice.send(&msg7.RconAuth{Password: []byte("wrong")}) }, alice.got("RCON_LINE"))
	sc.step("rcon password", func() { alice.send(&msg7.RconAuth{Password: []byte("adminpw")}) },
		alice.got("RCON_CMD_ADD vote"), alice.got("MAPLIST_ENTRY_ADD"))
	sc.rcon("status", alice.got("RCON_LINE"))
	sc.rcon("password secret", alice.got("SERVERINFO"))
	sc.joins("join without password", joinConfig{name: "mallory", host: 1, hasMap: true})
	sc.joins("join with a wrong password", joinConfig{name: "mallory", password: "Secret", host: 1, hasMap: true})
	sc.joins("join with the password", joinConfig{name: "bob", password: "secret", host: 2})
	if id := sc.bob().ID(); id != 1 {
		sc.t.Fatalf("bob is %d", id)
	}
	sc.rcon("password \"\"", alice.got("SERVERINFO"))
	sc.joins("third join", joinConfig{name: "carol", host: 3, hasMap: true})
	if id := sc.carol().ID(); id != 2 {
		sc.t.Fatalf("carol is %d", id)
	}
	bob := sc.bob()
	sc.step("moderator", func() { bob.send(&msg7.RconAuth{Password: []byte("modpw")}) }, bob.got("RCON_CMD_ADD"))
	sc.step("moderator kicks", func() { bob.sendRcon("kick 2") }, bob.got("RCON_LINE"))
	sc.rcon("mod_command status 1")
	sc.step("moderator asks for status", func() { bob.sendRcon("status") }, bob.got("RCON_LINE"))
	sc.rcon("mod_status", alice.got("RCON_LINE"))
	sc.rcon("mod_command status 0")
	sc.step("moderator logs out", func() { bob.sendRcon("logout") }, bob.got("RCON_AUTH_OFF"))
}

// talk is the part about chat, emoticons and their limits.
func (sc *scenario) talk() {
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	sc.say("chat", alice, msg7.ChatAll, nil, "  good day  ", bob.got("Sv_Chat"))
	sc.say("chat in two languages", bob, msg7.ChatAll, nil, "schön 日本 \x01", alice.got("Sv_Chat"))
	sc.say("empty chat", bob, msg7.ChatAll, nil, "   ")
	sc.say("long chat", bob, msg7.ChatAll, nil, strings.Repeat("long ", 40), alice.got("Sv_Chat"))
	sc.say("team chat", bob, msg7.ChatTeam, nil, "team", alice.got("Sv_Chat"))
	sc.say("whisper", bob, msg7.ChatWhisper, alice, "psst", alice.got("Sv_Chat"))
	sc.say("whisper to oneself", bob, msg7.ChatWhisper, bob, "psst", bob.got("Sv_Chat"))
	sc.step("whisper to nobody", func() { bob.send(&msg7.ClSay{Mode: msg7.ChatWhisper, Target: 9, Message: []byte("psst")}) })
	sc.say("chat of mode none", bob, msg7.ChatNone, nil, "none")
	sc.say("chat command", bob, msg7.ChatAll, nil, "/help info")
	sc.say("unknown chat command", bob, msg7.ChatAll, nil, "/nothing of the kind")
	sc.step("command", func() { bob.send(&msg7.ClCommand{Name: []byte("help")}) })
	sc.rcon("sv_player_ready_mode 1") // the server announces the chat command
	sc.rcon("sv_player_ready_mode 0")
	sc.step("unknown command", func() { bob.send(&msg7.ClCommand{Name: []byte("nothing")}) })
	sc.step("emoticon", func() { bob.send(&msg7.ClEmoticon{Emoticon: 3}) }, alice.got("Sv_Emoticon"))
	sc.rcon("say from the console", carol.got("Sv_Chat"))
	sc.rcon("broadcast to all", carol.got("Sv_Broadcast"))
	sc.rcon("sv_spamprotection 1")
	sc.sleep(1200 * time.Millisecond)
	sc.step("chat twice at once", func() {
		carol.chat(msg7.ChatAll, nil, "once")
		carol.chat(msg7.ChatAll, nil, "twice")
	}, alice.got("Sv_Chat"))
	sc.sleep(3200 * time.Millisecond) // time since bob's emoticon
	sc.step("emoticon twice at once", func() {
		bob.send(&msg7.ClEmoticon{Emoticon: 4})
		bob.send(&msg7.ClEmoticon{Emoticon: 5})
	}, alice.got("Sv_Emoticon"))
	sc.rcon("sv_spamprotection 0")
	sc.step("skin", func() { carol.changeSkin("bear", 0x112233) }, alice.got("Sv_SkinChange"))
	sc.step("skin too soon", func() { carol.changeSkin("kitty", 0) })
	sc.step("chatting", func() { bob.changeInput(func(in *game.Input) { in.Flags = 2 }) }, alice.hasItem("PlayerInfo 1 PlayerFlags=10 Score=0"))
	sc.step("not chatting", func() { bob.changeInput(func(in *game.Input) { in.Flags = 0 }) }, alice.hasItem("PlayerInfo 1 PlayerFlags=8 Score=0"))
}

// play is the part about movement, weapons, pickups and deaths.
func (sc *scenario) play(*peers.Server) {
	sc.arriveAgain()
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	sc.team("carol spectates", carol, msg7.TeamSpectators, alice.got("Sv_Team"))
	right := func(in *game.Input) { in.Direction, in.TargetX, in.TargetY = 1, 100, 0 }
	left := func(in *game.Input) { in.Direction, in.TargetX, in.TargetY = -1, -100, 0 }
	stop := func(in *game.Input) { in.Direction = 0 }
	takes := func(p *player, weapon int32) { p.changeInput(func(in *game.Input) { in.WantedWeapon = weapon + 1 }) }
	press := func(p *player) {
		p.changeInput(func(in *game.Input) { in.Fire++ })
		sc.sleep(100 * time.Millisecond)
		p.changeInput(func(in *game.Input) { in.Fire++ })
	}
	// Pickups come back after 15 s. No player may pass a pickup around that time, since it could
	// take it by chance.
	launcher, health := "Pickup X=656 Y=144 Type=2", "Pickup X=208 Y=144 Type=0"
	sc.step("alice walks to the right and finds a grenade launcher", func() { alice.changeInput(right) }, alice.got("Sv_WeaponPickup"))
	sc.sleep(15 * time.Second)
	sc.step("alice stops", func() { alice.changeInput(stop) }, alice.hasItem(launcher))
	sc.step("bob walks to the right and finds it, too", func() { bob.changeInput(right) }, bob.got("Sv_WeaponPickup"))
	sc.sleep(time.Second)
	sc.step("bob stops", func() { bob.changeInput(stop) })
	sc.step("bob takes the grenade launcher", func() { takes(bob, 3) }, bob.hasItem("Character 1 Health=10 Armor=0 Ammo=10 Weapon=3"))
	sc.step("bob launches a grenade", func() {
		bob.changeInput(func(in *game.Input) { in.TargetX = -100 })
		press(bob)
	}, alice.gotEvent("Explosion"), bob.hasItem("Character 1 Health=10 Armor=0 Ammo=9 Weapon=3"))
	sc.step("bob takes the hammer", func() { takes(bob, 0) }, bob.gotEvent("SoundWorld Sound=10"))
	sc.step("bob hammers", func() {
		bob.changeInput(func(in *game.Input) { in.TargetX = 100 })
		press(bob)
		sc.sleep(time.Second)
	}, bob.gotEvent("HammerHit"), bob.gotEvent("SoundWorld Sound=3"))
	sc.step("bob takes the gun", func() { takes(bob, 1) }, bob.gotEvent("SoundWorld Sound=10"))
	sc.step("bob shoots", func() {
		press(bob)
		sc.sleep(1500 * time.Millisecond) // the gun regains its ammunition
	}, alice.gotEvent("SoundWorld Sound=0"))
	sc.team("bob spectates", bob, msg7.TeamSpectators, alice.got("Sv_Team"))
	sc.step("alice walks to the left, finds health, and dies", func() {
		alice.changeInput(left)
		sc.await(alice.got("Sv_KillMsg"))
		alice.changeInput(stop)
	}, alice.gotEvent("Death ClientID=0"), bob.got("Sv_KillMsg"))
	sc.step("alice kills herself", func() { alice.send(&msg7.ClKill{}) }, alice.gotEvent("Death ClientID=0"), bob.got("Sv_KillMsg"))
	sc.sleep(12 * time.Second)
	sc.step("pickups are back", func() {}, alice.hasItem(launcher), alice.hasItem(health))
	sc.team("bob plays again", bob, msg7.TeamRed, alice.got("Sv_Team"), bob.isAlive)
}

// spectate is the part about spectators, team commands in a mode without teams, pauses and
// readiness.
func (sc *scenario) spectate(*peers.Server) {
	sc.arriveAgain()
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	sc.team("carol spectates", carol, msg7.TeamSpectators, alice.got("Sv_Team"))
	sc.step("carol follows bob", func() { carol.send(&msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: 1}) }, carol.hasItem("SpectatorInfo Mode=1 ID=1"))
	sc.step("carol follows nobody", func() { carol.send(&msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: 7}) })
	sc.step("carol follows a flag", func() { carol.send(&msg7.ClSetSpectatorMode{Mode: 2, SpectatorID: -1}) })
	sc.step("carol looks around", func() { carol.send(&msg7.ClSetSpectatorMode{Mode: 0, SpectatorID: -1}) }, carol.hasItem("SpectatorInfo Mode=0 ID=-1"))
	sc.say("spectator chat", carol, msg7.ChatTeam, nil, "they do not hear", carol.got("Sv_Chat"))
	sc.say("spectator to all", carol, msg7.ChatAll, nil, "they do", alice.got("Sv_Chat"))
	sc.sleep(3200 * time.Millisecond)
	sc.team("carol plays", carol, msg7.TeamRed, alice.got("Sv_Team"), carol.isAlive)
	sc.step("too soon", func() { carol.send(&msg7.ClSetTeam{Team: msg7.TeamSpectators}) })
	sc.team("the team one is in", alice, msg7.TeamRed)
	sc.team("blue without teams", bob, msg7.TeamBlue)

	sc.step("ready without ready mode", func() { bob.send(&msg7.ClReadyChange{}) })
	sc.rcon("sv_player_ready_mode 1")
	sc.sleep(1200 * time.Millisecond)
	sc.step("bob asks for a pause", func() { bob.send(&msg7.ClReadyChange{}) }, alice.got("Sv_GameMsg"))
	sc.step("emoticon in the pause", func() { carol.send(&msg7.ClEmoticon{Emoticon: 1}) })
	sc.step("kill in the pause", func() { carol.send(&msg7.ClKill{}) })
	sc.team("team in the pause", carol, msg7.TeamSpectators)
	sc.say("chat in the pause", carol, msg7.ChatAll, nil, "paused", alice.got("Sv_Chat"))
	sc.step("alice is ready", func() { alice.send(&msg7.ClReadyChange{}) })
	sc.step("all are ready", func() {
		bob.send(&msg7.ClReadyChange{})
		carol.send(&msg7.ClReadyChange{})
	}, alice.hasItem("GameData State=0 Ends=false"))
	sc.rcon("sv_player_ready_mode 0")
	sc.rcon("pause", alice.hasItem("GameData State=16 Ends=false"))
	sc.rcon("pause", alice.hasItem("GameData State=0 Ends=false"))
	sc.rcon("pause 60", alice.hasItem("GameData State=16 Ends=true"))
	sc.rcon("pause 0", alice.hasItem("GameData State=0 Ends=false"))
}

// operate is the part about the console, and about settings that the server announces to players.
func (sc *scenario) operate(*peers.Server) {
	sc.arriveAgain()
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	sc.rconEach(alice.got("RCON_LINE"), "status", "nonsense 1 2", "kick", "echo a; echo \"b;c\" d", "sv_scorelimit")
	sc.rcon("sv_name a yard", bob.got("SERVERINFO"))
	sc.rcon("sv_motd another day", bob.got("Sv_Motd"))
	sc.rcon("sv_scorelimit 7", bob.got("Sv_GameInfo"))
	sc.rcon("sv_scorelimit 7")
	sc.rconEach(bob.got("Sv_GameInfo"), "sv_timelimit 5", "sv_timelimit 0", "sv_scorelimit 9999", "sv_scorelimit 0")
	sc.rcon("sv_matches_per_map 3")
	sc.rcon("sv_matches_per_map 1")
	sc.rcon("sv_player_slots 3", bob.got("Sv_ServerSettings"))
	sc.joins("a spectator for lack of slots", joinConfig{name: "dave", host: 4, hasMap: true})
	dave := sc.player("dave")
	sc.team("dave wants to play", dave, msg7.TeamRed)
	sc.rcon("sv_player_slots 4", bob.got("Sv_ServerSettings"))
	sc.team("dave plays", dave, msg7.TeamRed, bob.got("Sv_Team"), dave.isAlive)
	sc.sleep(1200 * time.Millisecond)
	sc.step("dave leaves", func() { sc.leave(dave) }, bob.got("Sv_ClientDrop"))
	sc.rcon("sv_max_clients 10", bob.got("SERVERINFO"))
	sc.rconEach(bob.got("Sv_ServerSettings"), "sv_teambalance_time 0", "sv_teambalance_time 1", "lock_teams")
	sc.sleep(3200 * time.Millisecond)
	sc.team("leave in spite of the lock", carol, msg7.TeamSpectators, bob.got("Sv_Team"))
	sc.sleep(3200 * time.Millisecond)
	sc.team("join in spite of the lock", carol, msg7.TeamRed)
	sc.rcon("set_team 2 0", bob.got("Sv_Team"), carol.isAlive)
	sc.rcon("lock_teams", bob.got("Sv_ServerSettings"))
	sc.rcon("set_team 1 -1", alice.got("Sv_Team"))
	sc.rcon("set_team 1 1", alice.got("Sv_Team"), bob.isAlive)
	sc.rcon("set_team 2 -1 1", alice.got("Sv_Team"))
	sc.team("back before the minute is over", carol, msg7.TeamRed)
	sc.rcon("set_team 2 0", bob.got("Sv_Team"), carol.isAlive)
	sc.rcon("set_team 9 0")
	sc.rcon("set_team_all -1", alice.got("Sv_Team"))
	sc.rcon("set_team_all 0", alice.got("Sv_Team"), alice.isAlive, bob.isAlive, carol.isAlive)
	sc.rcon("swap_teams")
	sc.rcon("shuffle_teams")
	sc.rcon("force_teambalance")
	sc.rcon("sv_tournament_mode 1")
	sc.joins("join a tournament", joinConfig{name: "dave", host: 4, hasMap: true})
	sc.sleep(1200 * time.Millisecond)
	sc.step("dave leaves the tournament", func() { sc.leave(sc.player("dave")) })
	sc.rcon("sv_tournament_mode 0")
	sc.rcon("restart", alice.isAlive, bob.isAlive, carol.isAlive)
	sc.rcon("restart 60", alice.hasItem("GameData State=1 Ends=true"))
	sc.rcon("restart", alice.hasItem("GameData State=0 Ends=false"), alice.isAlive, bob.isAlive, carol.isAlive)
	sc.rcon("toggle sv_powerups 0 1")
	sc.rcon("exec nothing.cfg", alice.got("RCON_LINE"))
	sc.step("the values of all variables", func() {
		for _, name := range variables {
			alice.sendRcon(name)
		}
	}, alice.got("RCON_LINE"))
	sc.step("commands without their arguments", func() {
		for _, name := range []string{"add_vote", "ban", "broadcast", "echo", "exec", "kick", "mod_command", "remove_vote", "say", "set_team", "set_team_all",
			"toggle", "unban", "vote"} {
			alice.sendRcon(name)
		}
	}, alice.got("RCON_LINE"))
}

// variables are the variables of teeworlds-server 0.7.5, except for the port and the variables of
// its debug build.
var variables = []string{
	"bindaddr", "console_output_level", "ec_auth_timeout", "ec_bantime", "ec_bindaddr", "ec_output_level", "ec_password", "ec_port",
	"logfile", "logfile_timestamp", "password", "sv_auto_demo_max", "sv_auto_demo_record", "sv_countdown", "sv_external_port",
	"sv_gametype", "sv_high_bandwidth", "sv_hostname", "sv_inactivekick", "sv_inactivekick_spec", "sv_inactivekick_time", "sv_map",
	"sv_map_download_speed", "sv_maprotation", "sv_match_swap", "sv_matches_per_map", "sv_max_clients", "sv_max_clients_per_ip",
	"sv_motd", "sv_name", "sv_player_ready_mode", "sv_player_slots", "sv_powerups", "sv_rcon_bantime", "sv_rcon_max_tries",
	"sv_rcon_mod_password", "sv_rcon_password", "sv_register", "sv_respawn_delay_tdm", "sv_scorelimit", "sv_silent_spectator_mode",
	"sv_skill_level", "sv_spamprotection", "sv_strict_spectate_mode", "sv_teambalance_time", "sv_teamdamage", "sv_timelimit",
	"sv_tournament_mode", "sv_vote_kick", "sv_vote_kick_bantime", "sv_vote_kick_min", "sv_vote_spectate",
	"sv_vote_spectate_rejoindelay", "sv_warmup",
}

func (p *player) call(kind, value, reason string, force bool) {
	p.send(&msg7.ClCallVote{Type: []byte(kind), Value: []byte(value), Reason: []byte(reason), Force: force})
}

func (p *player) votes(v msg7.VoteChoice) { p.send(&msg7.ClVote{Vote: v}) }

// vote is the part about options, kick votes and spectator votes, and how votes end.
func (sc *scenario) vote(*peers.Server) {
	sc.arriveAgain()
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	set, status := bob.got("Sv_VoteSet"), bob.got("Sv_VoteStatus")
	ended := bob.got("Sv_VoteSet ClientID=1 Type=")
	call := func(step string, p *player, kind, value, reason string, until ...func() bool) {
		sc.step(step, func() { p.call(kind, value, reason, false) }, until...)
	}
	cast := func(step string, p *player, v msg7.VoteChoice, until ...func() bool) {
		sc.step(step, func() { p.votes(v) }, until...)
	}
	sc.rcon(`add_vote "  an option" say voted`, bob.got("Sv_VoteOptionAdd"))
	sc.rconEach(alice.got("RCON_LINE"),
		`add_vote "An Option" say again`, `add_vote "broken" nonsense`, `add_vote "two" say one; say two`,
		`add_vote "" say empty`, `add_vote empty ""`, `remove_vote nothing`)
	sc.rcon(`remove_vote none`, bob.got("Sv_VoteOptionRemove"))
	sc.rcon("vote yes")

	call("vote on an option", bob, "option", "AN OPTION", "", set, status)
	call("vote on another meanwhile", carol, "option", "a warm welcome", "")
	sc.joins("join in the middle of it", joinConfig{name: "dave", host: 4, hasMap: true})
	cast("a vote of no meaning", carol, 0)
	cast("carol says no", carol, -1, status)
	cast("carol changes her mind", carol, 1)
	cast("alice says yes", alice, 1, status)
	cast("dave says yes", sc.player("dave"), 1, ended)
	sc.sleep(1200 * time.Millisecond)
	sc.step("dave has voted and leaves", func() { sc.leave(sc.player("dave")) }, bob.got("Sv_ClientDrop"))

	call("vote on an option for a reason", bob, "Option", "an option", "a reason of more than 15 bytes", set, status)
	cast("alice says no", alice, -1, status)
	cast("carol says no as well", carol, -1, ended)
	call("vote on nothing", bob, "option", "nothing", "")
	call("vote of no kind", bob, "something", "an option", "")
	call("vote to call off", bob, "option", "an option", "", set, status)
	cast("bob calls it off", bob, -1, ended)
	call("vote to force", bob, "option", "an option", "", set, status)
	sc.rcon("vote yes", bob.got("Sv_VoteSet"))
	call("vote to force again", bob, "option", "an option", "", set, status)
	sc.rcon("vote no", bob.got("Sv_VoteSet"))
	sc.rcon("sv_spamprotection 1")
	sc.sleep(3200 * time.Millisecond)
	call("vote with a limit", carol, "option", "an option", "", set, status)
	sc.rcon("vote no", bob.got("Sv_VoteSet"))
	sc.sleep(3200 * time.Millisecond)
	call("vote within the minute", carol, "option", "an option", "")
	sc.rcon("sv_spamprotection 0")

	call("vote to spectate", bob, "spectate", "2", "asleep", set, status)
	cast("alice says yes to that", alice, 1, alice.got("Sv_Team"))
	call("a spectator calls a vote", carol, "option", "an option", "")
	call("vote without the spectator", bob, "option", "an option", "", set, status)
	cast("a spectator votes", carol, 1)
	cast("alice's yes is enough", alice, 1, ended)
	sc.team("back before the time", carol, msg7.TeamRed)
	call("vote a spectator to spectate", bob, "spectate", "2", "")
	sc.rcon("set_team 2 0", bob.got("Sv_Team"), carol.isAlive)
	call("vote oneself to spectate", bob, "spectate", "1", "")
	call("vote to spectate who goes anyway", bob, "spectate", "2", "", set, status)
	sc.rcon("set_team 2 -1", bob.got("Sv_Team"), bob.got("Sv_VoteSet"))
	sc.rcon("set_team 2 0", bob.got("Sv_Team"), carol.isAlive)

	call("vote to kick an admin", bob, "kick", "0", "")
	call("vote to kick oneself", bob, "kick", "1", "")
	call("vote to kick nobody", bob, "kick", "9", "")
	call("vote to kick", bob, "kick", "2", "rude", set, status)
	cast("no kick, says alice", alice, -1, status)
	cast("no kick, says carol", carol, -1, ended)
	sc.rcon("sv_vote_kick_min 4", bob.got("Sv_ServerSettings"))
	call("vote to kick with too few", bob, "kick", "2", "")
	sc.rconEach(bob.got("Sv_ServerSettings"), "sv_vote_kick_min 0", "sv_vote_kick 0")
	call("vote to kick when not allowed", bob, "kick", "2", "")
	sc.rconEach(bob.got("Sv_ServerSettings"), "sv_vote_kick 1", "sv_vote_spectate 0")
	call("vote to spectate when not allowed", bob, "spectate", "2", "")
	sc.rcon("sv_vote_spectate 1", bob.got("Sv_ServerSettings"))
	call("vote to kick who leaves", bob, "kick", "2", "", set, status)
	sc.step("carol leaves before it", func() { sc.leave(carol) }, bob.got("Sv_ClientDrop"), bob.got("Sv_VoteSet"))
	sc.joins("carol is back", joinConfig{name: "carol", host: 3, hasMap: true})
	carol = sc.carol()
	call("vote to kick for real", bob, "kick", "2", "", set, status)
	cast("kick, says alice", alice, 1, bob.got("Sv_ClientDrop"))
	sc.joins("carol is back again", joinConfig{name: "carol", host: 3, hasMap: true})
	carol = sc.carol()

	sc.step("bob forces without right", func() { bob.call("option", "an option", "", true) })
	sc.rcon("vote no")
	sc.step("alice forces an option", func() { alice.call("option", "an option", "because", true) }, bob.got("Sv_Chat"))
	sc.step("alice forces carol to spectate", func() { alice.call("spectate", "2", "", true) }, bob.got("Sv_Team"))
	sc.step("alice forces carol out", func() { alice.call("kick", "2", "", true) }, bob.got("Sv_ClientDrop"))
	sc.joins("carol is back once more", joinConfig{name: "carol", host: 3, hasMap: true})
	sc.rcon("clear_votes", bob.got("Sv_VoteClearOptions"))
	call("vote on what is gone", bob, "option", "an option", "")
}

// punish is the part about kicks, bans and tuning.
func (sc *scenario) punish(*peers.Server) {
	sc.arriveAgain()
	alice, bob := sc.alice(), sc.bob()
	sc.rconEach(alice.got("RCON_LINE"), "kick 9", "kick 0")
	sc.rcon("kick 2 be nice", bob.got("Sv_ClientDrop"))
	sc.joins("carol, kicked, is back", joinConfig{name: "carol", host: 3, hasMap: true})
	sc.rcon("kick 2", bob.got("Sv_ClientDrop"))
	sc.joins("carol, kicked twice, is back", joinConfig{name: "carol", host: 3, hasMap: true})
	sc.rconEach(alice.got("RCON_LINE"), "ban 127.0.0.1 5 no", "ban 10.1.2.3 60 an address", "ban nonsense")
	sc.rcon("ban 2 5 be good", bob.got("Sv_ClientDrop"))
	sc.rcon("bans", alice.got("RCON_LINE"))
	sc.sleep(7 * time.Second) // the server answers a banned address every 5 s
	sc.joins("carol, banned, tries", joinConfig{name: "carol", host: 3, hasMap: true})
	sc.rconEach(alice.got("RCON_LINE"),
		"unban 127.0.0.3", "unban 127.0.0.3", "unban 0", "ban 10.1.2.3 60 an address", "unban_all", "bans")
	sc.joins("carol, forgiven", joinConfig{name: "carol", host: 3, hasMap: true})
	for i := range 3 {
		sc.step(fmt.Sprintf("carol guesses the password, %d", i+1), func() { sc.carol().send(&msg7.RconAuth{Password: []byte("guess")}) })
		if sc.players[len(sc.players)-1].name != "carol" {
			break
		}
	}
	sc.rcon("unban_all", alice.got("RCON_LINE"))

	// Tuning. The modes of the original reset it at once.
	sc.rconEach(alice.got("RCON_LINE"), "tune gravity 0.4", "tune nonsense 1", "tune", "tunes")
	sc.rcon("tune_reset", alice.got("Sv_TuneParams"))
}

// end changes the map and ends the server. Only one player is left, because with two the order of
// their return would be random.
func (sc *scenario) end(s *peers.Server) {
	alice := sc.alice()
	sc.step("bob leaves", func() { sc.leave(sc.bob()) }, alice.got("Sv_ClientDrop"))
	for _, p := range slices.Clone(sc.players[1:]) {
		sc.step(p.name+" leaves", func() { sc.leave(p) }, alice.got("Sv_ClientDrop"))
	}
	back := func() bool { return alice.got("Sv_ClientInfo")() && alice.State() == client.Playing }
	sc.rcon("sv_map nowhere", alice.got("RCON_LINE"))
	sc.rcon("sv_map dm1", back, alice.isAlive)
	sc.rcon("reload", back, alice.isAlive)
	sc.rcon("sv_gametype mod; reload", back, alice.isAlive)
	sc.rconEach(alice.got("Sv_TuneParams"), "tune gravity 0.4", "tune_reset")
	sc.rcon("sv_gametype dm; sv_map yard", back, alice.isAlive)
	sc.rcon("sv_maprotation yard dm1; change_map", alice.hasItem("GameData State=8 Ends=true"))
	sc.sleep(9 * time.Second)
	sc.step("the next map", func() {}, back, alice.isAlive)
	sc.rcon("logout", alice.got("RCON_AUTH_OFF"))
	sc.step("rcon password again", func() { alice.send(&msg7.RconAuth{Password: []byte("adminpw")}) },
		alice.got("RCON_CMD_ADD vote"), alice.got("MAPLIST_ENTRY_ADD"))
	sc.rcon("shutdown", func() bool { return alice.State() == client.Offline })
	peers.Eventually(sc.t, 10*time.Second, "the server ended", func() bool { return !s.Running() })
}
