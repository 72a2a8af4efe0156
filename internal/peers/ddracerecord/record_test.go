//go:build peers

package ddracerecord

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testenv"
)

func TestMain(m *testing.M) { peers.Main(m) }

func settings(lines ...string) []string { return lines }

// recordings are the recordings that TestRecord can make.
var recordings = map[string]func() (file []byte, cfg Config){
	"plain":   generated(10, "", nil),
	"death":   generated(3, "", nil, "death"),
	"freeze":  generated(8, "", nil, "freeze"),
	"speedup": generated(12, "", nil, "speedup"),
	"newspeedup": generated(12, "", settings("tune_zone 1 velramp_curvature 1", "tune_zone 2 velramp_start 100", "tune_zone 3 velramp_range 500"),
		"newspeedup", "tune"),
	"stopper":     generated(10, "", nil, "stopper"),
	"through":     generated(14, "", nil, "through"),
	"switch":      generated(12, "", settings("switch_open 2"), "switch"),
	"jump":        generated(12, "", nil, "jump"),
	"tele":        generated(10, "", nil, "tele"),
	"weapontele":  generated(8, "", nil, "weapontele", "weapons"),
	"tune":        generated(12, "", nil, "tune"),
	"solo":        generated(8, "", nil, "solo"),
	"weapons":     generated(8, "", nil, "weapons"),
	"telegun":     generated(12, "", nil, "telegun", "telegun", "weapons"),
	"entities":    generated(4, "", nil, "entities"),
	"switched":    generated(8, "", nil, "switched"),
	"movers":      generated(8, "", nil, "movers", "entities", "switched"),
	"race":        generated(6, "", nil, "race"),
	"mixed":       generated(15, "", settings("sv_freeze_delay 1", "switch_open 1"), Kinds...),
	"mixed-light": generated(5, "", settings("sv_freeze_delay 1"), Kinds...),
	"teams":       withTeams(generated(10, "", settings("sv_freeze_delay 1"), Kinds...)),

	"noweakhook": generated(5, "sv_no_weak_hook_and_bounce 1", nil, "weapons", "solo"),
	"settings": generated(8, "", settings("sv_hit 0", "sv_endless_drag 1", "sv_old_laser 1", "sv_deepfly 0", "sv_destroy_bullets_on_death 0",
		"sv_destroy_lasers_on_death 1", "sv_freeze_delay 1"), "weapons", "freeze", "jump", "solo"),
	"oldtele": generated(8, "", settings("sv_old_teleport_hook 1", "sv_old_teleport_weapons 1", "sv_teleport_hold_hook 1", "sv_teleport_lose_weapons 1"),
		"weapontele", "tele", "weapons"),
	"solomap": generated(8, "", settings("sv_solo_server 1"), "weapons", "solo", "tele"),
	"tuned": generated(8, "", settings("tune gravity 0.3", "tune hook_length 500", "tune player_collision 0", "tune laser_bounce_num 2",
		"tune velramp_start 400", "sv_plasma_range 400", "sv_plasma_per_sec 10", "sv_dragger_range 300"), "weapons", "entities", "tune"),
	"wide1":      generated(6, "", settings("sv_freeze_delay 1"), "wide1", "weapons", "weapons", "jump", "freeze"),
	"wide2":      generated(6, "", nil, "wide2", "weapons", "weapons", "telegun"),
	"endless":    generated(6, "", nil, "endless"),
	"hits":       withRcon(generated(5, "", nil, "hits"), "weapons"),
	"collide":    generated(5, "", nil, "collide"),
	"telegun2":   withRcon(generated(20, "", nil, "telegun"), "weapons"),
	"unendless":  generated(1, "", settings("sv_endless_drag 1"), "unendless"),
	"teleguns":   withRcon(generated(60, "", nil, "teleguns"), "weapons"),
	"pickups":    generated(8, "", nil, "pickups"),
	"bluespawns": generated(3, "", nil, "bluespawns", "death"),
	"spawns":     generated(4, "", nil, "spawns", "death"),
	"lights2":    generated(7, "", settings("sv_freeze_delay 1"), "lights"),
	"lights":     generated(4, "", settings("sv_freeze_delay 1"), "lights"),
	"oldlaser":   withRcon(generated(3, "", nil, "wide1"), "weapons"),
	"unhooking":  withRcon(generated(3, "", nil, "wide2"), "weapons"),
	"mixed-long": withRcon(generated(7, "", settings("sv_freeze_delay 1"), Kinds...), "weapons"),
	"mapbug": generated(6, "", settings("mapbug grenade-doubleexplosion@ddnet.tw", "tune grenade_lifetime 0.3", "sv_reset_pickups 1",
		"sv_destroy_bullets_on_death 0"), "weapons"),
	"mandatory": withTeams(generated(8, "", settings("sv_team 2"), Kinds...)),
	"locked":    withLocks(generated(9, "", settings("sv_freeze_delay 1"), "race", "death", "death", "switched", "solo", "weapons")),
	"cheats": withRcon(generated(8, "", nil, Kinds...), "jetpack", "weapons", "left", "up", "ninja", "endless_hook", "unweapons", "unjetpack",
		"livefreeze", "right", "unlivefreeze", "undeep", "unsolo", "down", "unendless_hook", "grenade", "shotgun", "laser", "addweapon 3", "removeweapon 4",
		"move 1 -1", "move_raw 5 -7", "super", "unsuper", "unninja"),
	"rejoin": withRejoin(generated(5, "", settings("sv_freeze_delay 1"), Kinds...)),
	"paused": saying(generated(12, "sv_pauseable 1; sv_chat_delay 0; sv_spamprotection 0", nil, "solo"), nil, "/spec", "/pause", "/spec", "/spec",
		"/pause bot 1", "/r"),
	"practice": withRcon(saying(generated(8, "sv_pauseable 1; sv_chat_delay 0; sv_spamprotection 0", settings("sv_freeze_delay 1"), "freeze", "tele",
		"solo", "race"), alone, "/r", "/spec", "/tp bot 1", "/spec", "/tp", "/pause", "/tp", "/pause", "/tp bot 2"), "up"),
	"rescued": saying(generated(8, "sv_rescue 1; sv_rescue_delay 0; sv_chat_delay 0; sv_spamprotection 0", settings("sv_freeze_delay 1"), "freeze", "tele",
		"jump"), nil, "/r"),
	"unfinished": withoutKill(withRejoin(saying(generated(2, "", nil, "race"), together))),
	"operated": withRcon(generated(8, "sv_pauseable 1", settings("sv_freeze_delay 1"), Kinds...), "tele", "tele 1", "tele 0 1", "totele 1", "totelecp 1",
		"totele 2", "kill_pl 1", "set_team_ddr 0 3", "set_team_ddr 1 3", "freezehammer 1", "unfreezehammer 1", "force_pause 0 2", "super", "unsuper",
		"move 2 -2", "set_team_ddr 0 0", "ninja"),
	"swapped": saying(generated(10, "sv_chat_delay 0; sv_spamprotection 0; sv_saveswapgames_delay 0; sv_swap 1", nil, "race", "weapons"), together,
		"/swap bot 1", "/swap bot 0", "/team 1"),
	"savings": saying(generated(10, "sv_chat_delay 0; sv_spamprotection 0; sv_saveswapgames_delay 0; sv_sqlite_file ddnet.sqlite", nil, "race", "weapons"),
		together, "/save one", "/team 1", "/load one", "/save two", "/team 1", "/load two", "/team 1", "/team 1"),
	"practised": saying(generated(8, "sv_pauseable 1; sv_chat_delay 0; sv_spamprotection 0; sv_spam_mute_duration 0", settings("sv_freeze_delay 1"),
		Kinds...), alone, practised...),
	"unpractised": saying(generated(9, "sv_chat_delay 0; sv_spamprotection 0; sv_spam_mute_duration 0", settings("sv_freeze_delay 1"), Kinds...), together,
		"/practice", "/practice", "/weapons", "/tc", "/spec", "/r", "/lasttp", "/unpractice", "/team 1", "/team 1", "/practice", "/practice", "/practice",
		"/tp bot 1", "/swap bot 1", "/r", "/swap bot 0",
		"/invincible", "/lock 1", "/practice", "/back", "/deep", "/hitothers", "/unpractice", "/solo", "/collision", "/rescuemode manual", "/practice",
		"/spec", "/unpractice"),
	"practisedteam": withoutKill(saying(generated(5, "sv_chat_delay 0; sv_spamprotection 0; sv_spam_mute_duration 0", settings("switch_open 2"), "switch",
		"weapons", "tele", "switch"), func(int) []string { return []string{"/team 1", "/practice"} },
		"/tc bot 1", "/collision", "/hookcollision", "/hitothers", "/shotgun", "/grenade", "/tc bot 0", "/solo", "/laser", "/setswitch 1", "/endless",
		"/jetpack", "/unsolo", "/tp bot 2", "/collision", "/hitothers hammer", "/setswitch 2 1",
		"/setswitch 3 0 3", "/unshotgun", "/addweapon 2", "/tc bot 3", "/hookcollision", "/totelecp 1", "/livefreeze", "/unjetpack", "/ungrenade", "/rifle",
		"/hitothers grenade", "/unendless", "/unlivefreeze", "/ninja", "/tc bot 2",
		"/setswitch 1 1 2", "/unlaser", "/weapons", "/hitothers shotgun", "/setjumps 1", "/unninja", "/removeweapon 3", "/infjump", "/setjumps 3",
		"/uninfjump", "/hitothers laser", "/unweapons", "/collision", "/collision")),
	// DDNet 20 alone has these.
	"team0": saying(generated(8, "sv_chat_delay 0; sv_spamprotection 0; sv_spam_mute_duration 0; sv_saveswapgames_delay 0; sv_max_team_size 3", nil,
		"race", "death", "switched", "weapons"), together,
		"/team0mode 1", "/lock 1", "/swap bot 1", "/team 1", "/swap bot 0", "/unlock", "/team0mode", "/team 1", "/swap bot 2", "/team0mode 1", "/lock 1",
		"/kill", "/team 2", "/unlock", "/practice", "/team 1"),
	"bydefault": withRcon(saying(generated(8, "sv_practice_by_default 1; sv_chat_delay 0; sv_spamprotection 0; sv_spam_mute_duration 0", nil, "race",
		"death", "switched", "freeze"), together,
		"/tc", "/r", "/weapons", "/lock 1", "/unpractice", "/practice", "/team 2", "/unlock", "/lasttp", "/team0mode", "/kill", "/team 1", "/super", "/r"),
		"weapons"),
	"super": withRcon(generated(10, "", nil, Kinds...), "super", "weapons"),
	"elastic": generated(9, "", settings("tune ground_elasticity_x 0.5", "tune gun_fire_delay 1060", "tune ground_elasticity_y 0.8",
		"tune_zone 1 ground_elasticity_x 1", "tune_zone 1 ground_elasticity_y 7", "tune_zone 2 ground_elasticity_y -0.5",
		"tune_zone 2 ground_elasticity_x -1", "tune_zone 3 ground_elasticity_x 0.01", "tune_zone 3 gravity 1.5"), "tune", "jump", "weapons"),
	"bouncing": withRcon(generated(5, "", settings("sv_freeze_delay 1"), Kinds...), "tune ground_elasticity_y 1", "ninja", "tune ground_elasticity_x 0.9",
		"tune gravity 1", "ninja", "tune ground_elasticity_y 0.3", "tune_zone 1 ground_elasticity_x 0.5", "tune_zone 2 ground_elasticity_y 2",
		"tune_reset ground_elasticity_x", "tune_reset"),
	"lasers": withRcon(generated(2, "", settings("tune laser_bounce_delay 700", "tune laser_reach 3000", "tune shotgun_fire_delay 100",
		"tune laser_fire_delay 1"), "weapons", "solo", "hits", "death"), "weapons", "super", "shotgun", "unsuper"),
	// An operator changes variables while others play.
	"variables": withRcon(saying(generated(8, "sv_pauseable 1; sv_rescue 1; sv_chat_delay 0; sv_spamprotection 0", settings("sv_freeze_delay 1"), Kinds...),
		nil, "/team 1", "/r", "/lock 1", "/spec", "/team 2", "/r", "/spec", "/unlock", "/team 0"),
		"sv_freeze_delay 4", "sv_hit 0", "weapons", "sv_endless_drag 1", "sv_team 0", "sv_old_laser 1", "sv_no_weak_hook_and_bounce 1", "sv_hit 1",
		"sv_team 3", "sv_freeze_delay 1", "sv_deepfly 0", "sv_pauseable 0", "sv_old_teleport_hook 1",
		"sv_team 1", "sv_teleport_hold_hook 1", "sv_rescue 0", "sv_teleport_lose_weapons 1", "sv_destroy_bullets_on_death 0", "sv_reset_pickups 1",
		"sv_endless_drag 0", "sv_rescue 1", "sv_destroy_lasers_on_death 1", "weapons",
		"sv_old_teleport_weapons 1", "sv_plasma_per_sec 9", "sv_dragger_range 300", "sv_team 2", "sv_plasma_range 300", "sv_pauseable 1", "sv_solo_server 1",
		"sv_no_weak_hook_and_bounce 0", "sv_old_laser 0", "sv_solo_server 0", "sv_max_team_size 2", "sv_team 1"),
	"moved": withRcon(generated(8, "", settings("sv_freeze_delay 1"), Kinds...), "left 2", "weapons", "up", "tele", "right 1", "super", "move 1 -1",
		"down -1", "unsuper", "move_raw 9 -30", "tele 1", "totele 1", "ninja", "totelecp 1", "tele 0 1", "up 3"),
}

// practised are commands of DDNet 20 for players in practice.
var practised = []string{
	"/weapons", "/tc", "/infjump", "/lasttp", "/setswitch 1", "/totele 1", "/rescuemode manual", "/r", "/tpxy ~3 ~-2", "/r", "/deep", "/undeep",
	"/invincible", "/totelecp 1", "/collision",
	"/invincible 0", "/team -1", "/practice", "/back", "/setjumps 5", "/tc bot 1", "/hookcollision", "/r", "/tpxy 20 12", "/back", "/livefreeze",
	"/setswitch 2 0 2", "/unlivefreeze", "/ninja", "/lasttp", "/hitothers", "/solo",
	"/rescuemode auto", "/team -1", "/practice", "/back", "/spec", "/tp", "/r", "/unsolo", "/uninfjump", "/jetpack", "/setswitch 3 1 1", "/unweapons",
	"/addweapon 4", "/pause", "/tc", "/lasttp", "/endless", "/totele 2",
	"/team -1", "/practice", "/hitothers laser", "/removeweapon -1", "/setjumps 0", "/spec", "/back", "/unjetpack", "/setjumps -1", "/addweapon 5",
	"/unninja", "/totele 3", "/grenade", "/laser", "/shotgun", "/ungrenade", "/unendless", "/setjumps 2", "/telecursor",
	"/team -1", "/practice", "/collision", "/hookcollision", "/hitothers", "/tpxy ~ ~-4", "/rescue", "/invincible 1", "/setswitch 1 1", "/back", "/invincible",
}

// onInstalled are the recordings on maps that are installed with DDNet.
var onInstalled = map[string]func() (file []byte, cfg Config){
	"sixup":     sixup,
	"tutorial0": installed("Tutorial", 0), "goldmine0": installed("Gold Mine", 0), "tsunami0": installed("Tsunami", 0),
	"dm1": installed("dm1", 0), "ctf5": installed("ctf5", 0), "ctf2": installed("ctf2", 0), "coverage": installed("coverage", 1),
	"ctf1": typing(installed("ctf1", 0)), "ctf3": typing(installed("ctf3", 0)), "ctf4": typing(installed("ctf4", 0)), "ctf6": typing(installed("ctf6", 0)),
	"ctf7": typing(installed("ctf7", 0)),
	"dm2":  typing(installed("dm2", 0)), "dm6": typing(installed("dm6", 0)), "dm7": typing(installed("dm7", 0)), "dm8": typing(installed("dm8", 0)),
	"dm9":      typing(installed("dm9", 0)),
	"tutorial": installed("Tutorial", 1), "tsunami": installed("Tsunami", 1), "goldmine": installed("Gold Mine", 1),
	"learntoplay": installed("LearnToPlay", 1), "sunny": installed("Sunny Side Up", 1),
}

// generated records a generated map, with settings of the server and of the map.
func generated(share int, server string, inMap []string, of ...string) func() ([]byte, Config) {
	return func() ([]byte, Config) {
		n := 0
		for _, k := range of {
			n += len(k)
		}
		cfg := Config{Kill: true, Settings: server}
		return Generate(uint64(share*1000+n), share, inMap, of...), cfg
	}
}

func withRcon(f func() ([]byte, Config), lines ...string) func() ([]byte, Config) {
	return func() ([]byte, Config) {
		file, cfg := f()
		cfg.Settings = strings.TrimPrefix(cfg.Settings+"; sv_test_cmds 1", "; ")
		cfg.Rcon = lines
		return file, cfg
	}
}

// saying makes the players send chat lines: first(i) after joining, then one of lines every
// second.
func saying(f func() ([]byte, Config), first func(i int) []string, lines ...string) func() ([]byte, Config) {
	return func() ([]byte, Config) {
		file, cfg := f()
		cfg.Chat, cfg.Says = first, lines
		return file, cfg
	}
}

// typing makes the players send all kinds of commands in turn.
func typing(f func() ([]byte, Config)) func() ([]byte, Config) {
	return func() ([]byte, Config) {
		file, cfg := saying(f, nil, "/team 1", "/pause", "/r", "/lock", "/spec", "/practice", "/tp", "/kill", "/swap bot 1", "/pause bot 2", "/tp bot 0",
			"/team 2",
			"/unlock", "/save one", "/load one", "/ninjajetpack", "/swap bot 0", "/spec bot 3", "/emote happy 5", "/practice", "/team 3", "/invite bot 1",
			"/rescue",
			"/top5", "/rank", "/saytime", "/timer both", "/showothers 1", "/specteam", "/me waves", "/w bot 1 hello", "/pause", "/team 0", "/tp bot 5")()
		cfg.Settings = "sv_rescue 1; sv_pauseable 1; sv_chat_delay 0; sv_spamprotection 0; sv_saveswapgames_delay 0; sv_sqlite_file ddnet.sqlite"
		return file, cfg
	}
}

// alone puts each player into a practice team of its own.
func alone(i int) []string { return []string{fmt.Sprintf("/team %d", i+1), "/practice"} }

// together puts all players into one team.
func together(int) []string { return []string{"/team 1"} }

// withLocks makes the players lock their teams.
func withLocks(f func() ([]byte, Config)) func() ([]byte, Config) {
	return func() ([]byte, Config) {
		file, cfg := f()
		cfg.Chat = func(i int) []string { return []string{fmt.Sprintf("/team %d", 1+i%3), "/lock 1"} }
		return file, cfg
	}
}

// withoutKill stops the players from killing themselves.
func withoutKill(f func() ([]byte, Config)) func() ([]byte, Config) {
	return func() ([]byte, Config) {
		file, cfg := f()
		cfg.Kill = false
		return file, cfg
	}
}

func withRejoin(f func() ([]byte, Config)) func() ([]byte, Config) {
	return func() ([]byte, Config) {
		file, cfg := f()
		cfg.Rejoin = true
		return file, cfg
	}
}

// sixup mixes players of 0.7 with players of 0.6.
func sixup() ([]byte, Config) {
	return nil, Config{Map: "dm1", Kill: true, Versions: []client.Version{client.Version07, client.Version06}}
}

func withTeams(f func() ([]byte, Config)) func() ([]byte, Config) {
	return func() ([]byte, Config) {
		file, cfg := f()
		cfg.Chat = func(i int) []string { return []string{fmt.Sprintf("/team %d", []int{0, 3, 3, 4}[i%4])} }
		return file, cfg
	}
}

// installed records a map that is installed with DDNet. A seed above 0 adds spawns to it.
func installed(name string, seed uint64) func() ([]byte, Config) {
	return func() ([]byte, Config) {
		cfg := Config{Map: name, Kill: true}
		if seed == 0 {
			return nil, cfg
		}
		m := testenv.Must(twmap.Parse(testenv.Must(os.ReadFile(filepath.Join(peers.DDNetMaps, name+".map")))))
		AddSpawns(m, seed)
		cfg.Map = ""
		return testenv.Must(m.Bytes()), cfg
	}
}

// record makes the recording NAME:PLAYERS, such as "freeze:4". The file of the map is nil if the
// map is installed.
func record(t *testing.T, full string, length time.Duration) (name string, file, recording []byte) {
	t.Helper()
	name, number, _ := strings.Cut(full, ":")
	tees, err := strconv.Atoi(number)
	f := recordings[name]
	if f == nil {
		f = onInstalled[name]
	}
	if f == nil || err != nil {
		t.Fatalf("%s is not a known recording", full)
	}
	file, cfg := f()
	cfg.File, cfg.Time, cfg.Seed, cfg.Tees = file, length, uint64(len(full)), tees
	if cfg.Map == "" {
		cfg.Map = name
	}
	return name + "-" + number, file, Record(t, cfg)
}

// TestRecord makes the recordings that TEEYARD_RECORD names, such as "freeze:4 tele:16". Each lasts
// TEEYARD_RECORD_TIME and goes into the folder TEEYARD_RECORDINGS. Without these variables the test
// records a minute in all and verifies it.
func TestRecord(t *testing.T) {
	peers.RequirePrograms(t, "DDNet-Server")
	folder := os.Getenv("TEEYARD_RECORDINGS")
	if folder == "" {
		for _, full := range []string{"mixed-light:4", "switched:4", "goldmine0:4", "dm1:4"} {
			t.Run(full, func(t *testing.T) {
				t.Parallel()
				verifyFresh(t, full, 15*time.Second)
			})
		}
		return
	}
	length := testenv.Must(time.ParseDuration(os.Getenv("TEEYARD_RECORD_TIME")))
	for _, full := range strings.Fields(os.Getenv("TEEYARD_RECORD")) {
		t.Run(full, func(t *testing.T) {
			t.Parallel()
			name, file, recording := record(t, full, length)
			out := filepath.Join(folder, name)
			if file != nil {
				peers.WriteFile(t, out+".map", file)
			}
			peers.WriteFile(t, out+".teehistorian", recording)
		})
	}
}

// verifyFresh makes a recording and verifies it. The players act differently each time, depending
// on the load of the machine, so a rare difference may turn up for the first time. A second
// recording shows whether the difference is general.
func verifyFresh(t *testing.T, full string, length time.Duration) {
	var res *teeverify.Result
	for range 2 {
		_, file, recording := record(t, full, length)
		if file == nil {
			_, cfg := onInstalled[strings.Split(full, ":")[0]]()
			file = testenv.Must(os.ReadFile(filepath.Join(peers.DDNetMaps, cfg.Map+".map")))
		}
		m := testenv.Must(twmap.Parse(file))
		res = testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(recording), Terrain: testenv.Must(m.Terrain())}))
		if res.Difference == nil && res.TeeTicks > int(length/time.Second)*100 {
			t.Logf("%d places of tees are equal, repeated inputs %v", res.TeeTicks, res.Repeated)
			return
		}
		kept := testenv.Must(os.CreateTemp("", "*.teehistorian"))
		kept.Write(recording)
		kept.Close()
		t.Logf("%d places of tees are equal, then %v; the recording is %s", res.TeeTicks, res.Difference, kept.Name())
	}
	t.Errorf("twice: %v", res.Difference)
}

// TestGenerate checks that all kinds of tiles make maps that the simulation knows, and that
// Generate returns the same map for the same seed.
func TestGenerate(t *testing.T) {
	s := ddrace.DefaultSettings()
	s.Release = 20 // release 20 has the most tiles
	for name, f := range recordings {
		file, _ := f()
		again, _ := f()
		if !bytes.Equal(file, again) {
			t.Errorf("%s: another map each time", name)
		}
		tr := testenv.Must(testenv.Must(twmap.Parse(file)).Terrain())
		m := testenv.Must(ddrace.NewMap(&tr, s))
		if len(m.Faults.List) > 0 {
			t.Errorf("%s: %v", name, m.Faults)
		}
		if len(m.Spawns[0])+len(m.Spawns[1])+len(m.Spawns[2]) < 10 {
			t.Errorf("%s: %d, %d and %d spawns", name, len(m.Spawns[0]), len(m.Spawns[1]), len(m.Spawns[2]))
		}
	}
}
