//go:build peers

package clients

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// trackMap has a spawn point at the left, then weapons and deadly spikes, under a ceiling within
// the hook's reach. On a busy machine a client may move for one more second after a key is
// released. So that second must not lead into the spikes.
const trackMap = `
############################################################################
############################################################################
#..........................................................................#
#..........................................................................#
#..........................................................................#
#..........................................................................#
#..........................................................................#
#..........................................................................#
#......S..............s.....................................g..............#
#################################################################xxxxxxx####
############################################################################
############################################################################
############################################################################
############################################################################`

// TestTeeworldsPlays plays on our server with the 0.7.5 client.
func TestTeeworldsPlays(t *testing.T) {
	file := peers.DrawMap(t, trackMap)
	s := startTestServer(t, "track", file, nil)
	p := s.join("yardy")
	checkDownloaded(t, p.Home, "track", file)
	p.moveAndShoot()
	p.say("hello yard")
	p.dieAndRespawn()

	killed := s.seen(func(ev game.Event) bool {
		return ev.Kind == game.EvKill && ev.Player == p.id && ev.Target == p.id && ev.Weapon == game.WeaponSelf
	})
	p.tryUntil("kill the own tee", func() { p.TapKey("k") }, killed)
	p.clickUntilAlive()
	if score := s.playerState(p.id).Score; score >= 0 {
		t.Errorf("score %d after two deaths without an opponent", score)
	}
	p.spectateAndPlay()
	p.leave()
}

// TestDDNetPlays plays on our server with the DDNet client, beside the 0.7.5 client.
func TestDDNetPlays(t *testing.T) {
	s := startTestServer(t, "track", peers.DrawMap(t, trackMap), nil, `add_vote "say it" "say it was said"`)
	dora := s.joinDDNet("dora", `bind j "callvote option \"say it\" why not"`)
	dora.moveAndShoot()

	vera := s.join("vera")
	dora.say("hello vera")
	vera.say("hello dora")
	dora.awaitScreen("together", "the game", showsGame)
	vera.awaitScreen("together-seen-by-vera", "the game", showsGame)
	// Both players have the same address, so one vote decides.
	passed := s.seen(func(ev game.Event) bool {
		return ev.Kind == game.EvChat && ev.Player == game.Nobody && ev.Text == "it was said"
	})
	dora.tryUntil("call a vote", func() { dora.TapKey("j") }, passed)
	time.Sleep(500 * time.Millisecond)
	dora.Screenshot("vote")
	vera.Screenshot("vote-seen-by-vera")

	dora.dieAndRespawn()
	dora.spectateAndPlay()
	dora.leave()
	vera.Screenshot("after-dora-left")
	// DDNet's client logs everything as information. Missing web servers and missing files of its
	// own are not faults of the server.
	complaint := regexp.MustCompile(`(?i)warning|error|fail|invalid|malformed|unknown|wrong`)
	unrelated := regexp.MustCompile(` I (http|serverbrowse_http|storage|console|chatresp): |fallback font|reason='unknown'`)
	for line := range strings.Lines(dora.Output()) {
		if complaint.MatchString(line) && !unrelated.MatchString(line) {
			t.Errorf("DDNet complains: %s", line)
		}
	}
}

// TestDDNetDummy makes the DDNet client connect its dummy and disconnect it again. The dummy must
// join at the first try.
func TestDDNetDummy(t *testing.T) {
	rounds := 3
	if testenv.Full() {
		rounds = 10
	}
	s := startTestServer(t, "track", peers.DrawMap(t, trackMap), nil)
	dora := s.joinDDNet("dora", "dummy_name twin")
	for i := range rounds {
		began := time.Now()
		dora.Run("dummy_connect")
		peers.Eventually(t, 4*time.Second, fmt.Sprintf("the dummy is in the game, round %d", i+1), func() bool { return s.alive(s.playerID("twin")) })
		if i == 0 {
			dora.awaitScreen("dummy", "the game", showsGame)
		}
		dora.Run("dummy_disconnect")
		peers.Eventually(t, 4*time.Second, "the dummy is gone", func() bool { return s.playerID("twin") == game.Nobody })
		// After a dummy the client waits 250 ticks before it connects another one.
		time.Sleep(time.Until(began.Add(5500 * time.Millisecond)))
	}
	dora.leave()
}

// TestDDNetTimeoutCode ends a DDNet client without a disconnect message. A new client with the same
// timeout code must get its tee.
func TestDDNetTimeoutCode(t *testing.T) {
	s := startTestServer(t, "track", peers.DrawMap(t, trackMap), nil)
	const secret = "cl_timeout_seed nobodyknowsthis1"
	first := s.joinDDNet("first", secret)
	first.awaitScreen("first", "the game", showsGame)
	time.Sleep(4 * time.Second) // the client sends the code after 50 snapshots
	if err := first.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	time.Sleep(12 * time.Second)
	if !s.alive(first.id) {
		t.Fatal("the tee is gone")
	}
	second := s.joinDDNet("second", secret)
	left := s.seen(func(ev game.Event) bool { return ev.Kind == game.EvPlayerLeft && ev.Player == second.id })
	peers.Eventually(t, 10*time.Second, "the second seat is empty", left)
	second.id = first.id
	at := second.tee().Pos
	second.holdUntil("d", "walk right as the first", func() bool { return second.tee().Pos.X > at.X+60 })
	second.awaitScreen("second", "the game", showsGame)
	if said := s.eventsSince(0, func(ev game.Event) bool { return ev.Kind == game.EvChat && ev.Player != game.Nobody }); len(said) > 0 {
		t.Errorf("all were told %+v", said)
	}
	second.leave()
}

// moveAndShoot walks, jumps, hooks the ceiling, shoots and shows an emoticon.
func (p *realPlayer) moveAndShoot() {
	p.server.t.Helper()
	p.awaitScreen("joined", "the game", showsGame)
	p.aim(1, 0)
	start := p.tee().Pos
	p.holdUntil("d", "walk right", func() bool { return p.tee().Pos.X > start.X+60 && p.tee().Direction == 1 })
	turn := p.tee().Pos
	p.holdUntil("a", "walk left", func() bool { return p.tee().Pos.X < turn.X-20 && p.tee().Direction == -1 })

	ground := p.tee().Pos.Y
	jumped := p.seenCoreEvent(coreEventJump)
	p.tryUntil("jump", func() { p.TapKey("space") }, func() bool { return jumped() && p.tee().Pos.Y < ground-40 })

	p.aim(0, -1)
	attached := p.seenCoreEvent(coreEventHookGround)
	p.holdUntil("mouse3", "hang on the ceiling", func() bool { return attached() && p.tee().Pos.Y <= 3*32 })
	p.awaitScreen("hooked", "the game", showsGame)

	p.aim(1, -0.3)
	flying := false
	fired := p.server.seen(func(ev game.Event) bool { return ev.Kind == game.EvSound && ev.Sound == game.SoundGunFire })
	p.tryUntil("shoot the gun", p.Click, func() bool {
		flying = flying || p.server.projectiles(game.WeaponGun) > 0
		return flying && fired()
	})

	p.tryUntil("show an emoticon", func() { p.TapKey("h") }, p.seenOf(game.EvEmoticon, func(ev game.Event) bool { return ev.Value == 2 }))
	p.awaitScreen("emoticon", "the game", showsGame)

	p.holdUntil("Tab", "show the scoreboard", func() bool { return p.server.hasFlag(p.id, game.PlayerFlagScoreboard) })
	p.Xdotool("keydown", "Tab")
	p.awaitScreen("scoreboard", "the scoreboard", func(img *image.NRGBA) bool {
		return peers.PixelShare(img, scoreboardArea, peers.IsColor(peers.SkyColor)) < 0.1
	})
	p.Xdotool("keyup", "Tab")
}

// scoreboardArea is a part of the screen. For a client at the left end of trackMap it shows the
// sky, or the scoreboard.
var scoreboardArea = image.Rect(320, 110, 700, 160)

func (p *realPlayer) say(text string) {
	p.server.t.Helper()
	p.tryUntil("say "+text, func() {
		p.TapKey("t")
		time.Sleep(200 * time.Millisecond)
		p.Type(text)
		p.TapKey("Return")
	}, p.seenOf(game.EvChat, func(ev game.Event) bool { return ev.Chat == game.ChatAll && ev.Text == text }))
}

// dieAndRespawn walks along trackMap, past the weapons, into the spikes.
func (p *realPlayer) dieAndRespawn() {
	t := p.server.t
	t.Helper()
	took := func(kind game.PickupKind) func() bool {
		return p.seenOf(game.EvPickup, func(ev game.Event) bool { return ev.Pickup == kind })
	}
	p.holdUntil("d", "pick up the shotgun", took(game.PickupShotgun))
	p.tryUntil("change to the shotgun", func() { p.TapKey("3") }, func() bool { return p.tee().Weapon == game.WeaponShotgun })
	p.tryUntil("shoot the shotgun", p.Click, func() bool {
		return p.server.projectiles(game.WeaponShotgun) >= 3 && p.tee().Ammo < 10
	})
	tookLauncher := took(game.PickupGrenade)
	died := p.server.seen(func(ev game.Event) bool {
		return ev.Kind == game.EvKill && ev.Target == p.id && ev.Weapon == game.WeaponWorld
	})
	p.holdUntil("d", "fall on the spikes", died)
	if !tookLauncher() {
		t.Error("walked through the grenade launcher without taking it")
	}
	p.clickUntilAlive()
	p.awaitScreen("respawned", "the game", showsGame)
	if c := p.tee(); c.Weapon != game.WeaponGun || c.Pos.X > 12*32 {
		t.Errorf("respawned at %v with weapon %d", c.Pos, c.Weapon)
	}
}

// clickUntilAlive clicks until the player has a tee with full health.
func (p *realPlayer) clickUntilAlive() {
	p.server.t.Helper()
	p.tryUntil("respawn", p.Click, func() bool { return p.tee().Health == 10 })
}

// spectateAndPlay joins the spectators and then the game again.
func (p *realPlayer) spectateAndPlay() {
	p.server.t.Helper()
	inTeam := func(team game.Team) bool { return p.server.playerState(p.id).Team == team }
	p.tryUntil("spectate", func() { p.TapKey("o") }, func() bool { return inTeam(game.TeamSpectators) })
	if p.server.alive(p.id) {
		p.server.t.Error("a spectator has a tee")
	}
	p.awaitScreen("spectator", "the game without a HUD", func(img *image.NRGBA) bool {
		return peers.PixelShare(img, peers.HealthBar, peers.IsHeart) == 0 && peers.PixelShare(img, image.Rectangle{}, peers.IsColor(peers.RockColor)) > 0.1
	})
	p.tryUntil("play again", func() { p.TapKey("p") }, func() bool { return p.server.alive(p.id) && inTeam(game.TeamRed) })
}

// leave ends the client. The server must notice without a timeout.
func (p *realPlayer) leave() {
	p.server.t.Helper()
	left := p.seenOf(game.EvPlayerLeft, nil)
	p.Stop()
	peers.Eventually(p.server.t, 5*time.Second, "the client said that it leaves", left)
}

// checkDownloaded fails the test unless a client has downloaded a map.
func checkDownloaded(t *testing.T, home, mapName string, file []byte) {
	t.Helper()
	name := fmt.Sprintf("%s_%x.map", mapName, sha256.Sum256(file))
	var got []byte
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.EqualFold(d.Name(), name) {
			got, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil || !bytes.Equal(got, file) {
		t.Errorf("downloaded map %s: %v, %d bytes of %d", name, err, len(got), len(file))
	}
}

// TestTeeworldsKeepsMap checks that the 0.7.5 client downloads our map only once.
func TestTeeworldsKeepsMap(t *testing.T) {
	s := startTestServer(t, "teeyard1", nil, nil)
	d, home := peers.NewDisplay(t), t.TempDir()
	for i, want := range []bool{true, false} {
		name := fmt.Sprintf("visit%d", i)
		p := s.awaitPlayer(d.StartTeeworldsIn(home, s.addr, name), name)
		if got := strings.Contains(p.Output(), "starting to download map"); got != want {
			t.Errorf("visit %d: downloads the map: %v", i, got)
		}
		p.awaitScreen(name, "the game", showsHUD)
		p.leave()
	}
	checkDownloaded(t, home, "teeyard1", maps.Default().Data)
}

// TestDownloadAtLowSpeed checks that real clients finish a download that the server slows down.
func TestDownloadAtLowSpeed(t *testing.T) {
	testenv.OnlyFull(t)
	file := slices.Clone(maps.Default().Data)
	file = append(file, bytes.Repeat([]byte("teeyard!"), (200_000-len(file))/8)...) // bytes after the end of a map file do no harm
	s := startTestServer(t, "padded", file, nil, "sv_map_download_speed 1")
	for name, join := range map[string]func(string, ...string) *realPlayer{"vera": s.join, "dora": s.joinDDNet} {
		begun := time.Now()
		p := join(name)
		took := time.Since(begun)
		t.Logf("%s plays after %v", name, took)
		if took < time.Duration(len(file))*time.Second/(33<<10) {
			t.Errorf("%s got %d bytes in %v", name, len(file), took)
		}
		if name == "vera" { // DDNet's client gets a converted map
			checkDownloaded(t, p.Home, "padded", file)
		}
		p.leave()
	}
}

// TestDDNetOnMapOf07 joins with the DDNet client, which cannot read 0.7 maps. Our server sends it a
// converted map.
func TestDDNetOnMapOf07(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds", "DDNet")
	file, err := os.ReadFile(filepath.Join(peers.OriginalMaps, "dm1.map"))
	if err != nil {
		t.Fatal(err)
	}
	s := startTestServer(t, "dm1", file, nil, "sv_bots 3")
	dora := s.joinDDNet("dora")
	dora.awaitScreen("dm1", "the game", showsHUD)
	s.join("vera").awaitScreen("dm1-vera", "the game", showsHUD)
	dora.Screenshot("dm1-later")
	if !dora.Running() {
		t.Errorf("DDNet's client ended:\n%s", dora.Output())
	}
}

// TestTeeworldsOnMapOfDDNet joins with the 0.7.5 client. DDNet's dm1 is not the dm1 of 0.7, and the
// client leaves servers with such a map, so our server sends it under another name.
func TestTeeworldsOnMapOfDDNet(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds", "DDNet")
	for _, name := range []string{"dm1", "ctf5"} {
		file := testenv.Must(os.ReadFile(filepath.Join(peers.DDNetMaps, name+".map")))
		s := startServerOf(t, mode.List{{Name: "ddrace", New: ddrace.New}}, name, file, nil, "sv_gametype ddrace")
		vera := s.join("vera")
		checkDownloaded(t, vera.Home, name+"_6", file)
		vera.Screenshot(name)
		vera.leave()
	}
}

// TestDDNetFetchesMapFromWeb checks that the DDNet client downloads a map from the web server that
// our server announces, under a name with the map's hash.
func TestDDNetFetchesMapFromWeb(t *testing.T) {
	peers.RequirePrograms(t, "DDNet")
	file := peers.DrawMap(t, trackMap)
	var requests atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != fmt.Sprintf("/maps/track_%x.map", sha256.Sum256(file)) {
			http.NotFound(w, r)
			return
		}
		requests.Add(1)
		w.Write(file)
	}))
	defer web.Close()
	s := startTestServer(t, "track", file, nil, "sv_maps_base_url "+web.URL+"/maps")
	p := s.joinDDNet("dora", "http_allow_insecure 1")
	p.awaitScreen("joined", "the game", showsGame)
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests for the map", n)
	}
	checkDownloaded(t, p.Home, "track", file)
}

// pitMap has two spawn points in sight of each other.
const pitMap = `
########################
########################
#......................#
#......................#
#......................#
#......................#
#......................#
#.......S.....S........#
########################
########################
########################`

// TestTwoTeeworldsFight has two 0.7.5 clients fight until one tee dies.
func TestTwoTeeworldsFight(t *testing.T) {
	s := startTestServer(t, "pit", peers.DrawMap(t, pitMap), nil)
	var players [2]*realPlayer
	var clients [2]*peers.Client
	for i := range clients { // start both at the same time
		clients[i] = peers.NewDisplay(t).StartTeeworlds(s.addr, fmt.Sprintf("tee%d", i), "player_color_body 1", "player_use_custom_color_body 1")
	}
	for i, c := range clients {
		players[i] = s.awaitPlayer(c, fmt.Sprintf("tee%d", i))
	}
	peers.Eventually(t, 10*time.Second, "the match goes on with two players", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.frame.Game.State == 0
	})
	begin := s.numEvents()
	kills := func() []game.Event {
		return s.eventsSince(begin, func(ev game.Event) bool {
			return ev.Kind == game.EvKill && ev.Player >= 0 && ev.Player != ev.Target && ev.Weapon == game.WeaponGun
		})
	}
	for i, p := range players {
		from, to := p.tee().Pos, players[1-i].tee().Pos
		p.aim(float64(to.X-from.X)/200, float64(to.Y-from.Y)/200)
	}
	// The first player hits three times before the second one shoots. Otherwise both often die at
	// once, since a shot in flight outlives its player.
	a, b := players[0], players[1]
	for range 3 {
		a.tryUntil("hit the other", a.Click, s.seen(func(ev game.Event) bool {
			return ev.Kind == game.EvDamage && ev.Player == b.id && ev.Target == a.id
		}))
	}
	for end := time.Now().Add(30 * time.Second); len(kills()) == 0; {
		if time.Now().After(end) {
			t.Fatal("nobody died")
		}
		a.Click()
		b.Click()
	}
	kill := kills()[0]
	if kill.Player != a.id && kill.Player != b.id || kill.Player+kill.Target != a.id+b.id {
		t.Errorf("%d killed %d, the players are %d and %d", kill.Player, kill.Target, a.id, b.id)
	}
	if hits := s.eventsSince(begin, func(ev game.Event) bool {
		return ev.Kind == game.EvDamage && ev.Player == kill.Target && ev.Target == kill.Player && ev.Value > 0
	}); len(hits) == 0 {
		t.Error("the player who died was not hurt before")
	}
	for _, p := range players {
		points := 0
		for _, k := range kills() {
			if k.Player == p.id {
				points++
			}
		}
		peers.Eventually(t, time.Second, fmt.Sprintf("%s has %d points", p.name, points), func() bool {
			return int(s.playerState(p.id).Score) == points
		})
		p.awaitScreen(p.name+"-kill-message", "the kill message", func(img *image.NRGBA) bool {
			return peers.PixelShare(img, killMessageArea, peers.IsColor(peers.SkyColor)) < 0.97 &&
				peers.PixelShare(img, image.Rectangle{}, peers.IsColor(peers.RockColor)) > 0.1
		})
	}
	peers.Eventually(t, 10*time.Second, "the dead player is back", func() bool { return s.alive(kill.Target) })
}

// killMessageArea is where clients show kill messages, in front of pitMap's sky.
var killMessageArea = image.Rect(700, 8, 1020, 44)
