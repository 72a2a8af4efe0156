package peers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// transcriptSettings are what both servers get. The mode is dm.
const transcriptSettings = "sv_map yard; sv_rcon_password adminpw; sv_rcon_mod_password modpw; sv_motd hello; sv_warmup 0; sv_countdown 0; " +
	"sv_max_clients 12; sv_player_slots 4; sv_max_clients_per_ip 4; console_output_level 2; sv_vote_kick_bantime 0; sv_vote_spectate_rejoindelay 1; " +
	`sv_respawn_delay_tdm 1; add_vote "a warm welcome" say welcome; add_vote "none" say none`

// yard is the map of the tour: so small that everybody sees everything.
const yard = `
########################
#............S.........#
#......................#
#......................#
#x....h..S..........g..#
########################`

// transcriptHome is a folder with the map of the tour where either server looks.
func transcriptHome(t *testing.T) string {
	t.Helper()
	layer, err := twmap.ParseTiles(strings.TrimSpace(yard), map[byte]uint8{
		'.': twmap.Air, '#': twmap.Solid, 'x': twmap.Death, 'S': twmap.Spawn, 'h': twmap.PickupHealth, 'g': twmap.PickupGrenade,
	})
	if err != nil {
		t.Fatal(err)
	}
	m := &twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, layer)}}
	file, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	dir := filepath.Join(home, "maps")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "yard.map"), file, 0o644); err != nil {
		t.Fatal(err)
	}
	return home
}

// The modes of Cl_Say, and the teams.
const (
	sayNone, sayAll, sayTeam, sayWhisper = 0, 1, 2, 3
	watching, playing, blue              = -1, 0, 1
)

// walk takes players through a server and returns what they were told.
func walk(t *testing.T, s *gameServer) []string {
	t.Helper()
	r := &tour{t: t, server: s.addr, arrived: make(chan arrival, 1024), done: make(chan struct{})}
	defer close(r.done)

	r.awaitEmpty()
	r.arrive()
	r.talk()
	r.play()
	r.operate()
	r.vote()
	r.punish()
	r.tune()
	r.end(s)
	return r.out
}

// awaitEmpty waits until the first seat is free: whoever tried whether the server
// was up may be there still.
func (r *tour) awaitEmpty() {
	r.t.Helper()
	for first := false; !first; {
		scout := r.join(visitor{name: "scout", host: 1, hasMap: true})
		r.settle("scout", []func() bool{func() bool { return scout.State() == client.Playing }})
		first = scout.ID() == 0
		r.leave(scout)
		time.Sleep(1200 * time.Millisecond)
	}
	r.out = nil
}

func (r *tour) player(name string) *witness {
	r.t.Helper()
	for _, w := range r.players {
		if w.name == name {
			return w
		}
	}
	r.t.Fatalf("%s is not there", name)
	return nil
}

func (r *tour) alice() *witness { return r.player("alice") }
func (r *tour) bob() *witness   { return r.player("bob") }
func (r *tour) carol() *witness { return r.player("carol") }

// say is a step of chat.
func (r *tour) say(step string, w *witness, mode msg7.ChatMode, target *witness, text string, until ...func() bool) {
	r.t.Helper()
	r.step(step, func() { w.chat(mode, target, text) }, until...)
}

func (w *witness) chat(mode msg7.ChatMode, target *witness, text string) {
	to := int32(-1)
	if target != nil {
		to = int32(target.ID())
	}
	w.ask(&msg7.ClSay{Mode: mode, Target: to, Message: []byte(text)})
}

// rcon is a step of alice's console, named after what she enters.
func (r *tour) rcon(line string, until ...func() bool) {
	r.t.Helper()
	r.step("rcon "+line, func() { r.alice().enter(line) }, until...)
}

// wear changes the skin.
func (w *witness) wear(body string, colour int32) {
	var m msg7.ClSkinChange
	for i, s := 0, look(body, colour); i < game.NumSkinParts; i++ {
		m.Skin.Parts[i], m.Skin.UseCustomColors[i], m.Skin.Colors[i] = []byte(s.PartNames[i]), s.UseCustomColors[i], s.PartColors[i]
	}
	w.ask(&m)
}

func (w *witness) enter(line string) { w.ask(&msg7.RconCmd{Command: []byte(line)}) }

func (r *tour) team(step string, w *witness, team msg7.Team, until ...func() bool) {
	r.t.Helper()
	r.step(step, func() { w.ask(&msg7.ClSetTeam{Team: team}) }, until...)
}

// joins is a step in which somebody comes.
func (r *tour) joins(step string, v visitor) {
	r.t.Helper()
	var w *witness
	r.step(step, func() { w = r.join(v) }, func() bool {
		spectates := fmt.Sprintf("Sv_ClientInfo ClientID=%d Local=true Team=-1 ", w.ID())
		return w.State() == client.Offline || w.alive() || w.State() == client.Playing && w.heard(spectates)()
	})
}

// arrive: who joins, with which passwords, and who may use the console.
func (r *tour) arrive() {
	r.t.Helper()
	r.joins("join", visitor{name: "alice", host: 1})
	alice := r.alice()
	if alice.ID() != 0 {
		r.t.Fatalf("alice is %d", alice.ID())
	}
	r.rcon("status") // not logged in
	r.step("wrong rcon password", func() { alice.ask(&msg7.RconAuth{Password: []byte("wrong")}) }, alice.heard("RCON_LINE"))
	r.step("rcon password", func() { alice.ask(&msg7.RconAuth{Password: []byte("adminpw")}) },
		alice.heard("RCON_CMD_ADD vote"), alice.heard("MAPLIST_ENTRY_ADD"))
	r.rcon("status", alice.heard("RCON_LINE"))
	r.rcon("password secret", alice.heard("SERVERINFO"))
	r.joins("join without password", visitor{name: "mallory", host: 1, hasMap: true})
	r.joins("join with a wrong password", visitor{name: "mallory", password: "Secret", host: 1, hasMap: true})
	r.joins("join with the password", visitor{name: "bob", password: "secret", host: 2})
	if id := r.bob().ID(); id != 1 {
		r.t.Fatalf("bob is %d", id)
	}
	r.rcon("password \"\"", alice.heard("SERVERINFO"))
	r.joins("third join", visitor{name: "carol", host: 3, hasMap: true})
	if id := r.carol().ID(); id != 2 {
		r.t.Fatalf("carol is %d", id)
	}
	bob := r.bob()
	r.step("moderator", func() { bob.ask(&msg7.RconAuth{Password: []byte("modpw")}) }, bob.heard("RCON_CMD_ADD"))
	r.step("moderator kicks", func() { bob.enter("kick 2") }, bob.heard("RCON_LINE"))
	r.rcon("mod_command status 1")
	r.step("moderator asks for status", func() { bob.enter("status") }, bob.heard("RCON_LINE"))
	r.rcon("mod_status", alice.heard("RCON_LINE"))
	r.rcon("mod_command status 0")
	r.step("moderator logs out", func() { bob.enter("logout") }, bob.heard("RCON_AUTH_OFF"))
}

// talk: chat, emoticons and their limits.
func (r *tour) talk() {
	alice, bob, carol := r.alice(), r.bob(), r.carol()
	r.say("chat", alice, sayAll, nil, "  good day  ", bob.heard("Sv_Chat"))
	r.say("chat in two languages", bob, sayAll, nil, "schön 日本 \x01", alice.heard("Sv_Chat"))
	r.say("empty chat", bob, sayAll, nil, "   ")
	r.say("long chat", bob, sayAll, nil, strings.Repeat("long ", 40), alice.heard("Sv_Chat"))
	r.say("team chat", bob, sayTeam, nil, "team", alice.heard("Sv_Chat"))
	r.say("whisper", bob, sayWhisper, alice, "psst", alice.heard("Sv_Chat"))
	r.say("whisper to oneself", bob, sayWhisper, bob, "psst", bob.heard("Sv_Chat"))
	r.step("whisper to nobody", func() { bob.ask(&msg7.ClSay{Mode: sayWhisper, Target: 9, Message: []byte("psst")}) })
	r.say("chat of mode none", bob, sayNone, nil, "none")
	r.step("emoticon", func() { bob.ask(&msg7.ClEmoticon{Emoticon: 3}) }, alice.heard("Sv_Emoticon"))
	r.rcon("say from the console", carol.heard("Sv_Chat"))
	r.rcon("broadcast to all", carol.heard("Sv_Broadcast"))
	r.rcon("sv_spamprotection 1")
	r.pass(1200 * time.Millisecond)
	r.step("chat twice at once", func() {
		carol.chat(sayAll, nil, "once")
		carol.chat(sayAll, nil, "twice")
	}, alice.heard("Sv_Chat"))
	r.pass(3200 * time.Millisecond) // since bob's emoticon
	r.step("emoticon twice at once", func() {
		bob.ask(&msg7.ClEmoticon{Emoticon: 4})
		bob.ask(&msg7.ClEmoticon{Emoticon: 5})
	}, alice.heard("Sv_Emoticon"))
	r.rcon("sv_spamprotection 0")
	r.step("skin", func() { carol.wear("bear", 0x112233) }, alice.heard("Sv_SkinChange"))
	r.step("skin too soon", func() { carol.wear("kitty", 0) })
	r.step("chatting", func() { bob.do(func(in *game.Input) { in.Flags = 2 }) }, alice.shows("PlayerInfo 1 PlayerFlags=10 Score=0"))
	r.step("not chatting", func() { bob.do(func(in *game.Input) { in.Flags = 0 }) }, alice.shows("PlayerInfo 1 PlayerFlags=8 Score=0"))
}

// play: moving, weapons, pickups, dying, teams, watching, being ready.
func (r *tour) play() {
	alice, bob, carol := r.alice(), r.bob(), r.carol()
	r.team("carol spectates", carol, watching, alice.heard("Sv_Team"))
	right := func(in *game.Input) { in.Direction, in.TargetX, in.TargetY = 1, 100, 0 }
	left := func(in *game.Input) { in.Direction, in.TargetX, in.TargetY = -1, -100, 0 }
	stop := func(in *game.Input) { in.Direction = 0 }
	takes := func(w *witness, weapon int32) { w.do(func(in *game.Input) { in.WantedWeapon = weapon + 1 }) }
	press := func(w *witness) {
		w.do(func(in *game.Input) { in.Fire++ })
		r.pass(100 * time.Millisecond)
		w.do(func(in *game.Input) { in.Fire++ })
	}
	// Pickups come back after 15 s. Nobody passes one at a time when it may be there
	// or not, and could take it.
	launcher, health := "Pickup X=656 Y=144 Type=2", "Pickup X=208 Y=144 Type=0"
	r.step("alice walks to the right and finds a grenade launcher", func() { alice.do(right) }, alice.heard("Sv_WeaponPickup"))
	r.pass(15 * time.Second)
	r.step("alice stops", func() { alice.do(stop) }, alice.shows(launcher))
	r.step("bob walks to the right and finds it, too", func() { bob.do(right) }, bob.heard("Sv_WeaponPickup"))
	r.pass(time.Second)
	r.step("bob stops", func() { bob.do(stop) })
	r.step("bob takes the grenade launcher", func() { takes(bob, 3) }, bob.shows("Character 1 Health=10 Armor=0 Ammo=10 Weapon=3"))
	r.step("bob launches a grenade", func() {
		bob.do(func(in *game.Input) { in.TargetX = -100 })
		press(bob)
	}, alice.felt("Explosion"), bob.shows("Character 1 Health=10 Armor=0 Ammo=9 Weapon=3"))
	r.step("bob takes the hammer", func() { takes(bob, 0) }, bob.felt("SoundWorld Sound=10"))
	r.step("bob hammers", func() {
		bob.do(func(in *game.Input) { in.TargetX = 100 })
		press(bob)
		r.pass(time.Second)
	}, bob.felt("HammerHit"), bob.felt("SoundWorld Sound=3"))
	r.step("bob takes the gun", func() { takes(bob, 1) }, bob.felt("SoundWorld Sound=10"))
	r.step("bob shoots", func() {
		press(bob)
		r.pass(1500 * time.Millisecond) // the gun gets its ammunition back
	}, alice.felt("SoundWorld Sound=0"))
	r.team("bob spectates", bob, watching, alice.heard("Sv_Team"))
	r.step("alice walks to the left, finds health, and dies", func() {
		alice.do(left)
		r.await(alice.heard("Sv_KillMsg"))
		alice.do(stop)
	}, alice.felt("Death ClientID=0"), bob.heard("Sv_KillMsg"))
	r.step("alice kills herself", func() { alice.ask(&msg7.ClKill{}) }, alice.felt("Death ClientID=0"), bob.heard("Sv_KillMsg"))
	r.pass(12 * time.Second)
	r.step("pickups are back", func() {}, alice.shows(launcher), alice.shows(health))
	r.team("bob plays again", bob, playing, alice.heard("Sv_Team"), bob.alive)

	r.step("carol follows bob", func() { carol.ask(&msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: 1}) }, carol.shows("SpectatorInfo Mode=1 ID=1"))
	r.step("carol follows nobody", func() { carol.ask(&msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: 7}) })
	r.step("carol follows a flag", func() { carol.ask(&msg7.ClSetSpectatorMode{Mode: 2, SpectatorID: -1}) })
	r.step("carol looks around", func() { carol.ask(&msg7.ClSetSpectatorMode{Mode: 0, SpectatorID: -1}) }, carol.shows("SpectatorInfo Mode=0 ID=-1"))
	r.say("spectator chat", carol, sayTeam, nil, "they do not hear", carol.heard("Sv_Chat"))
	r.say("spectator to all", carol, sayAll, nil, "they do", alice.heard("Sv_Chat"))
	r.pass(3200 * time.Millisecond)
	r.team("carol plays", carol, playing, alice.heard("Sv_Team"), carol.alive)
	r.step("too soon", func() { carol.ask(&msg7.ClSetTeam{Team: watching}) })
	r.team("the team one is in", alice, playing)
	r.team("blue without teams", bob, blue)

	r.step("ready without ready mode", func() { bob.ask(&msg7.ClReadyChange{}) })
	r.rcon("sv_player_ready_mode 1")
	r.pass(1200 * time.Millisecond)
	r.step("bob asks for a pause", func() { bob.ask(&msg7.ClReadyChange{}) }, alice.heard("Sv_GameMsg"))
	r.step("emoticon in the pause", func() { carol.ask(&msg7.ClEmoticon{Emoticon: 1}) })
	r.step("kill in the pause", func() { carol.ask(&msg7.ClKill{}) })
	r.team("team in the pause", carol, watching)
	r.say("chat in the pause", carol, sayAll, nil, "paused", alice.heard("Sv_Chat"))
	r.step("alice is ready", func() { alice.ask(&msg7.ClReadyChange{}) })
	r.step("all are ready", func() {
		bob.ask(&msg7.ClReadyChange{})
		carol.ask(&msg7.ClReadyChange{})
	}, alice.shows("GameData State=0 Ends=false"))
	r.rcon("sv_player_ready_mode 0")
	r.rcon("pause", alice.shows("GameData State=16 Ends=false"))
	r.rcon("pause", alice.shows("GameData State=0 Ends=false"))
	r.rcon("pause 60", alice.shows("GameData State=16 Ends=true"))
	r.rcon("pause 0", alice.shows("GameData State=0 Ends=false"))
}

// operate: the console, and what settings tell the players.
func (r *tour) operate() {
	alice, bob, carol := r.alice(), r.bob(), r.carol()
	r.rcon("status", alice.heard("RCON_LINE"))
	r.rcon("nonsense 1 2", alice.heard("RCON_LINE"))
	r.rcon("kick", alice.heard("RCON_LINE"))
	r.rcon("echo a; echo \"b;c\" d", alice.heard("RCON_LINE"))
	r.rcon("sv_scorelimit", alice.heard("RCON_LINE"))
	r.rcon("sv_name a yard", bob.heard("SERVERINFO"))
	r.rcon("sv_motd another day", bob.heard("Sv_Motd"))
	r.rcon("sv_scorelimit 7", bob.heard("Sv_GameInfo"))
	r.rcon("sv_scorelimit 7")
	r.rcon("sv_timelimit 5", bob.heard("Sv_GameInfo"))
	r.rcon("sv_timelimit 0", bob.heard("Sv_GameInfo"))
	r.rcon("sv_scorelimit 9999", bob.heard("Sv_GameInfo"))
	r.rcon("sv_scorelimit 0", bob.heard("Sv_GameInfo"))
	r.rcon("sv_matches_per_map 3")
	r.rcon("sv_matches_per_map 1")
	r.rcon("sv_player_slots 3", bob.heard("Sv_ServerSettings"))
	r.joins("a spectator for lack of slots", visitor{name: "dave", host: 4, hasMap: true})
	dave := r.player("dave")
	r.team("dave wants to play", dave, playing)
	r.rcon("sv_player_slots 4", bob.heard("Sv_ServerSettings"))
	r.team("dave plays", dave, playing, bob.heard("Sv_Team"), dave.alive)
	r.pass(1200 * time.Millisecond)
	r.step("dave leaves", func() { r.leave(dave) }, bob.heard("Sv_ClientDrop"))
	r.rcon("sv_max_clients 10", bob.heard("SERVERINFO"))
	r.rcon("sv_teambalance_time 0", bob.heard("Sv_ServerSettings"))
	r.rcon("sv_teambalance_time 1", bob.heard("Sv_ServerSettings"))
	r.rcon("lock_teams", bob.heard("Sv_ServerSettings"))
	r.pass(3200 * time.Millisecond)
	r.team("leave in spite of the lock", carol, watching, bob.heard("Sv_Team"))
	r.pass(3200 * time.Millisecond)
	r.team("join in spite of the lock", carol, playing)
	r.rcon("set_team 2 0", bob.heard("Sv_Team"), carol.alive)
	r.rcon("lock_teams", bob.heard("Sv_ServerSettings"))
	r.rcon("set_team 1 -1", alice.heard("Sv_Team"))
	r.rcon("set_team 1 1", alice.heard("Sv_Team"), bob.alive)
	r.rcon("set_team 2 -1 1", alice.heard("Sv_Team"))
	r.team("back before the minute is over", carol, playing)
	r.rcon("set_team 2 0", bob.heard("Sv_Team"), carol.alive)
	r.rcon("set_team 9 0")
	r.rcon("set_team_all -1", alice.heard("Sv_Team"))
	r.rcon("set_team_all 0", alice.heard("Sv_Team"), alice.alive, bob.alive, carol.alive)
	r.rcon("swap_teams")
	r.rcon("shuffle_teams")
	r.rcon("force_teambalance")
	r.rcon("sv_tournament_mode 1")
	r.joins("join a tournament", visitor{name: "dave", host: 4, hasMap: true})
	r.pass(1200 * time.Millisecond)
	r.step("dave leaves the tournament", func() { r.leave(r.player("dave")) })
	r.rcon("sv_tournament_mode 0")
	r.rcon("restart", alice.alive, bob.alive, carol.alive)
	r.rcon("restart 60", alice.shows("GameData State=1 Ends=true"))
	r.rcon("restart", alice.shows("GameData State=0 Ends=false"), alice.alive, bob.alive, carol.alive)
	r.rcon("toggle sv_powerups 0 1")
	r.rcon("exec nothing.cfg", alice.heard("RCON_LINE"))
}

func (w *witness) call(kind, value, reason string, force bool) {
	w.ask(&msg7.ClCallVote{Type: []byte(kind), Value: []byte(value), Reason: []byte(reason), Force: force})
}

func (w *witness) votes(v msg7.VoteChoice) { w.ask(&msg7.ClVote{Vote: v}) }

// vote: options, kicks, moving to the spectators; how votes end.
func (r *tour) vote() {
	alice, bob, carol := r.alice(), r.bob(), r.carol()
	set, status := bob.heard("Sv_VoteSet"), bob.heard("Sv_VoteStatus")
	ended := bob.heard("Sv_VoteSet ClientID=1 Type=")
	call := func(step string, w *witness, kind, value, reason string, until ...func() bool) {
		r.step(step, func() { w.call(kind, value, reason, false) }, until...)
	}
	cast := func(step string, w *witness, v msg7.VoteChoice, until ...func() bool) {
		r.step(step, func() { w.votes(v) }, until...)
	}
	r.rcon(`add_vote "  an option" say voted`, bob.heard("Sv_VoteOptionAdd"))
	r.rcon(`add_vote "An Option" say again`, alice.heard("RCON_LINE"))
	r.rcon(`add_vote "broken" nonsense`, alice.heard("RCON_LINE"))
	r.rcon(`add_vote "two" say one; say two`, alice.heard("RCON_LINE"))
	r.rcon(`add_vote "" say empty`, alice.heard("RCON_LINE"))
	r.rcon(`add_vote empty ""`, alice.heard("RCON_LINE"))
	r.rcon(`remove_vote nothing`, alice.heard("RCON_LINE"))
	r.rcon(`remove_vote none`, bob.heard("Sv_VoteOptionRemove"))
	r.rcon("vote yes")

	call("vote on an option", bob, "option", "AN OPTION", "", set, status)
	call("vote on another meanwhile", carol, "option", "a warm welcome", "")
	r.joins("join in the middle of it", visitor{name: "dave", host: 4, hasMap: true})
	cast("a vote of no meaning", carol, 0)
	cast("carol says no", carol, -1, status)
	cast("carol changes her mind", carol, 1)
	cast("alice says yes", alice, 1, status)
	cast("dave says yes", r.player("dave"), 1, ended)
	r.pass(1200 * time.Millisecond)
	r.step("dave has voted and leaves", func() { r.leave(r.player("dave")) }, bob.heard("Sv_ClientDrop"))

	call("vote on an option for a reason", bob, "Option", "an option", "a reason of more than 15 bytes", set, status)
	cast("alice says no", alice, -1, status)
	cast("carol says no as well", carol, -1, ended)
	call("vote on nothing", bob, "option", "nothing", "")
	call("vote of no kind", bob, "something", "an option", "")
	call("vote to call off", bob, "option", "an option", "", set, status)
	cast("bob calls it off", bob, -1, ended)
	call("vote to force", bob, "option", "an option", "", set, status)
	r.rcon("vote yes", bob.heard("Sv_VoteSet"))
	call("vote to force again", bob, "option", "an option", "", set, status)
	r.rcon("vote no", bob.heard("Sv_VoteSet"))
	r.rcon("sv_spamprotection 1")
	r.pass(3200 * time.Millisecond)
	call("vote with a limit", carol, "option", "an option", "", set, status)
	r.rcon("vote no", bob.heard("Sv_VoteSet"))
	r.pass(3200 * time.Millisecond)
	call("vote within the minute", carol, "option", "an option", "")
	r.rcon("sv_spamprotection 0")

	call("vote to spectate", bob, "spectate", "2", "asleep", set, status)
	cast("alice says yes to that", alice, 1, alice.heard("Sv_Team"))
	call("a spectator calls a vote", carol, "option", "an option", "")
	call("vote without the spectator", bob, "option", "an option", "", set, status)
	cast("a spectator votes", carol, 1)
	cast("alice's yes is enough", alice, 1, ended)
	r.team("back before the time", carol, playing)
	call("vote a spectator to spectate", bob, "spectate", "2", "")
	r.rcon("set_team 2 0", bob.heard("Sv_Team"), carol.alive)
	call("vote oneself to spectate", bob, "spectate", "1", "")
	call("vote to spectate who goes anyway", bob, "spectate", "2", "", set, status)
	r.rcon("set_team 2 -1", bob.heard("Sv_Team"), bob.heard("Sv_VoteSet"))
	r.rcon("set_team 2 0", bob.heard("Sv_Team"), carol.alive)

	call("vote to kick an admin", bob, "kick", "0", "")
	call("vote to kick oneself", bob, "kick", "1", "")
	call("vote to kick nobody", bob, "kick", "9", "")
	call("vote to kick", bob, "kick", "2", "rude", set, status)
	cast("no kick, says alice", alice, -1, status)
	cast("no kick, says carol", carol, -1, ended)
	r.rcon("sv_vote_kick_min 4", bob.heard("Sv_ServerSettings"))
	call("vote to kick with too few", bob, "kick", "2", "")
	r.rcon("sv_vote_kick_min 0", bob.heard("Sv_ServerSettings"))
	r.rcon("sv_vote_kick 0", bob.heard("Sv_ServerSettings"))
	call("vote to kick when not allowed", bob, "kick", "2", "")
	r.rcon("sv_vote_kick 1", bob.heard("Sv_ServerSettings"))
	r.rcon("sv_vote_spectate 0", bob.heard("Sv_ServerSettings"))
	call("vote to spectate when not allowed", bob, "spectate", "2", "")
	r.rcon("sv_vote_spectate 1", bob.heard("Sv_ServerSettings"))
	call("vote to kick who leaves", bob, "kick", "2", "", set, status)
	r.step("carol leaves before it", func() { r.leave(carol) }, bob.heard("Sv_ClientDrop"), bob.heard("Sv_VoteSet"))
	r.joins("carol is back", visitor{name: "carol", host: 3, hasMap: true})
	carol = r.carol()
	call("vote to kick for real", bob, "kick", "2", "", set, status)
	cast("kick, says alice", alice, 1, bob.heard("Sv_ClientDrop"))
	r.joins("carol is back again", visitor{name: "carol", host: 3, hasMap: true})
	carol = r.carol()

	r.step("bob forces without right", func() { bob.call("option", "an option", "", true) })
	r.rcon("vote no")
	r.step("alice forces an option", func() { alice.call("option", "an option", "because", true) }, bob.heard("Sv_Chat"))
	r.step("alice forces carol to spectate", func() { alice.call("spectate", "2", "", true) }, bob.heard("Sv_Team"))
	r.step("alice forces carol out", func() { alice.call("kick", "2", "", true) }, bob.heard("Sv_ClientDrop"))
	r.joins("carol is back once more", visitor{name: "carol", host: 3, hasMap: true})
	r.rcon("clear_votes", bob.heard("Sv_VoteClearOptions"))
	call("vote on what is gone", bob, "option", "an option", "")
}

// punish: kicks and bans.
func (r *tour) punish() {
	alice, bob := r.alice(), r.bob()
	r.rcon("kick 9", alice.heard("RCON_LINE"))
	r.rcon("kick 0", alice.heard("RCON_LINE"))
	r.rcon("kick 2 be nice", bob.heard("Sv_ClientDrop"))
	r.joins("carol, kicked, is back", visitor{name: "carol", host: 3, hasMap: true})
	r.rcon("kick 2", bob.heard("Sv_ClientDrop"))
	r.joins("carol, kicked twice, is back", visitor{name: "carol", host: 3, hasMap: true})
	r.rcon("ban 127.0.0.1 5 no", alice.heard("RCON_LINE"))
	r.rcon("ban 10.1.2.3 60 an address", alice.heard("RCON_LINE"))
	r.rcon("ban nonsense", alice.heard("RCON_LINE"))
	r.rcon("ban 2 5 be good", bob.heard("Sv_ClientDrop"))
	r.rcon("bans", alice.heard("RCON_LINE"))
	r.pass(7 * time.Second) // the banned are told every five
	r.joins("carol, banned, tries", visitor{name: "carol", host: 3, hasMap: true})
	r.rcon("unban 127.0.0.3", alice.heard("RCON_LINE"))
	r.rcon("unban 127.0.0.3", alice.heard("RCON_LINE"))
	r.rcon("unban 0", alice.heard("RCON_LINE"))
	r.rcon("ban 10.1.2.3 60 an address", alice.heard("RCON_LINE"))
	r.rcon("unban_all", alice.heard("RCON_LINE"))
	r.rcon("bans", alice.heard("RCON_LINE"))
	r.joins("carol, forgiven", visitor{name: "carol", host: 3, hasMap: true})
	for i := range 3 {
		r.step(fmt.Sprintf("carol guesses the password, %d", i+1), func() { r.carol().ask(&msg7.RconAuth{Password: []byte("guess")}) })
		if r.players[len(r.players)-1].name != "carol" {
			break
		}
	}
	r.rcon("unban_all", alice.heard("RCON_LINE"))
}

// tune: tuning, which a mode of the original does not keep.
func (r *tour) tune() {
	alice := r.alice()
	r.rcon("tune gravity 0.4", alice.heard("RCON_LINE"))
	r.rcon("tune nonsense 1", alice.heard("RCON_LINE"))
	r.rcon("tune", alice.heard("RCON_LINE"))
	r.rcon("tunes", alice.heard("RCON_LINE"))
	r.rcon("tune_reset", alice.heard("Sv_TuneParams"))
}

// end: changes of the map, with one player, for which of two is back first is by
// chance, and the end of the server.
func (r *tour) end(s *gameServer) {
	alice := r.alice()
	r.step("bob leaves", func() { r.leave(r.bob()) }, alice.heard("Sv_ClientDrop"))
	for _, w := range slices.Clone(r.players[1:]) {
		r.step(w.name+" leaves", func() { r.leave(w) }, alice.heard("Sv_ClientDrop"))
	}
	back := func() bool { return alice.heard("Sv_ClientInfo")() && alice.State() == client.Playing }
	r.rcon("sv_map nowhere", alice.heard("RCON_LINE"))
	r.rcon("sv_map dm1", back, alice.alive)
	r.rcon("reload", back, alice.alive)
	r.rcon("sv_gametype mod; reload", back, alice.alive)
	r.rcon("tune gravity 0.4", alice.heard("Sv_TuneParams"))
	r.rcon("tune_reset", alice.heard("Sv_TuneParams"))
	r.rcon("sv_gametype dm; sv_map yard", back, alice.alive)
	r.rcon("sv_maprotation yard dm1; change_map", alice.shows("GameData State=8 Ends=true"))
	r.pass(9 * time.Second)
	r.step("the next map", func() {}, back, alice.alive)
	r.rcon("logout", alice.heard("RCON_AUTH_OFF"))
	r.step("rcon password again", func() { alice.ask(&msg7.RconAuth{Password: []byte("adminpw")}) },
		alice.heard("RCON_CMD_ADD vote"), alice.heard("MAPLIST_ENTRY_ADD"))
	r.rcon("shutdown", func() bool { return alice.State() == client.Offline })
	Eventually(r.t, 10*time.Second, "the server ended", func() bool { return !s.Running() })
}
