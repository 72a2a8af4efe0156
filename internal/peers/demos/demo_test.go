//go:build peers

package demos

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/demotest"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// demoMap is small because every demo contains its map.
const demoMap = `
##############################
#............................#
#............................#
#............................#
#...........#####............#
#............................#
#.R..1.S..s.......g..h..2..B.#
##############################
##############################`

// TestDemosOfRealPrograms makes the real programs record demos, and writes each one again with our
// package. If TEEYARD_DEMOS names a folder, the recordings are kept there; format/demo/testdata
// comes from it. Only the full run starts the graphical clients.
func TestDemosOfRealPrograms(t *testing.T) {
	if !testenv.Full() {
		t.Parallel() // only without graphical clients
	}
	peers.RequirePrograms(t, "teeworlds-server", "DDNet-Server", "teeworlds", "DDNet")
	file := peers.DrawMap(t, demoMap)
	for _, c := range []struct {
		name    string
		maps    string // maps folder in the server's home folder
		demos   string // pattern of the demos in the recording program's home folder
		start   func(home string) *peers.Server
		version client.Version
		client  func(d *peers.Display, addr string) *peers.Client
	}{
		{name: "teeworlds-server-0.7.5", maps: "teeworlds/maps", demos: "teeworlds/demos/golden.demo", version: client.Version07,
			start: func(home string) *peers.Server { return peers.StartOriginalIn(t, home, demoSettings) }},
		{name: "teeworlds-0.7.5", maps: "teeworlds/maps", demos: "data/teeworlds/demos/auto/*.demo", version: client.Version07,
			start: func(home string) *peers.Server { return peers.StartOriginalIn(t, home, demoSettings) },
			client: func(d *peers.Display, addr string) *peers.Client {
				return d.StartTeeworlds(addr, "recorder", "cl_auto_demo_record 1", "bind m add_demomarker")
			}},
		{name: "ddnet-server-16.4", maps: ".local/share/ddnet/maps", demos: ".local/share/ddnet/demos/golden.demo", version: client.Version06,
			start: func(home string) *peers.Server { return peers.StartDDNetIn(t, home, demoSettings) }},
		{name: "ddnet-16.4", maps: ".local/share/ddnet/maps", demos: "data/ddnet/demos/auto/*.demo", version: client.Version06,
			start: func(home string) *peers.Server { return peers.StartDDNetIn(t, home, demoSettings) },
			client: func(d *peers.Display, addr string) *peers.Client {
				return d.StartDDNet(addr, "recorder", "cl_auto_demo_record 1", "bind m add_demomarker")
			}},
	} {
		if c.client != nil && !testenv.Full() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			peers.WriteFile(t, filepath.Join(home, c.maps, "demoroom.map"), file)
			s := c.start(home)
			alice := peers.Dial(t, s, client.Config{Name: "alice", Clan: "yard", Version: c.version, RconPassword: "adminpw"})
			var recorder *peers.Client
			if c.client != nil {
				recorder = c.client(peers.NewDisplay(t), s.Addr.String())
				home = recorder.Home
				peers.Eventually(t, 20*time.Second, "the client joins", func() bool { _, ok := alice.FindPlayer("recorder"); return ok })
				time.Sleep(2 * time.Second)
				recorder.TapKey("m")
			}
			alice.Rcon("record golden")
			demoMatch(t, s, alice, c.version)
			alice.Rcon("stoprecord")
			// The client completes its demo when the server kicks it, DDNet's client when it
			// leaves.
			if p, ok := alice.FindPlayer("recorder"); ok && c.version == client.Version07 {
				alice.Rcon(fmt.Sprintf("kick %d", p.ID))
			} else if recorder != nil {
				recorder.Run("disconnect")
			}
			var recorded []byte
			peers.Eventually(t, 10*time.Second, "a demo in "+home, func() bool {
				names, _ := filepath.Glob(filepath.Join(home, c.demos))
				if len(names) == 0 {
					return false
				}
				recorded, _ = os.ReadFile(names[0])
				r, err := demo.NewReader(bytes.NewReader(recorded))
				return err == nil && r.Header().Length > 0 // the file is complete
			})
			if dir := os.Getenv("TEEYARD_DEMOS"); dir != "" {
				peers.WriteFile(t, filepath.Join(dir, c.name+".demo"), recorded)
			}
			r, err := demo.NewReader(bytes.NewReader(recorded))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(r.Header().Markers); n != 1 && recorder != nil {
				t.Errorf("%d markers", n)
			}
			snapshots, messages := demotest.Check(t, recorded)
			t.Logf("%d bytes, %d snapshots, %d messages", len(recorded), snapshots, messages)
			if snapshots < 40 || messages < 4 { // an idle machine records 150 and more
				t.Errorf("%d snapshots, %d messages", snapshots, messages)
			}
		})
	}
}

const demoSettings = "sv_map demoroom; sv_rcon_password adminpw; sv_gametype ctf; sv_warmup 0; sv_high_bandwidth 0"

// demoMatch makes players join, fight, chat and leave within about six seconds.
func demoMatch(t *testing.T, s *peers.Server, alice *client.Client, version client.Version) {
	swarm := peers.Join(t, s, load.Config{Clients: 2, Versions: []client.Version{version}})
	alice.Say("hello demo")
	time.Sleep(2500 * time.Millisecond)
	alice.SayTeam("team talk")
	alice.Emote(2)
	alice.Kill()
	alice.Rcon("tune gravity 0.4")
	time.Sleep(2500 * time.Millisecond)
	swarm.Stop()
	time.Sleep(500 * time.Millisecond)
	alice.Say("bye")
	time.Sleep(500 * time.Millisecond)
}

// TestRealClientsPlayCutDemos cuts recordings of the real programs, and the real clients must play
// the results to the end.
func TestRealClientsPlayCutDemos(t *testing.T) {
	testenv.OnlyFull(t)
	peers.RequirePrograms(t, "teeworlds", "DDNet")
	for _, c := range []struct {
		name string
		play func(d *peers.Display, file []byte) *peers.Client
		full bool // only in the full run
	}{
		{"teeworlds-server-0.7.5", func(d *peers.Display, b []byte) *peers.Client { return d.PlayDemoInTeeworlds(b) }, false},
		{"teeworlds-0.7.5", func(d *peers.Display, b []byte) *peers.Client { return d.PlayDemoInTeeworlds(b) }, true},
		{"ddnet-server-16.4", func(d *peers.Display, b []byte) *peers.Client { return d.PlayDemoInDDNet(b) }, true},
		{"ddnet-16.4", func(d *peers.Display, b []byte) *peers.Client { return d.PlayDemoInDDNet(b) }, false},
	} {
		if c.full && !testenv.Full() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			file, err := os.ReadFile("../../../format/demo/testdata/" + c.name + ".demo")
			if err != nil {
				t.Fatal(err)
			}
			r, err := demo.NewReader(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(t.TempDir(), "cut.demo")
			out, err := os.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			// The cut begins between two keyframes.
			if first, last, err := demo.Cut(out, r, 70, 270); err != nil || last-first < 150 {
				t.Fatalf("%d to %d: %v", first, last, err)
			}
			cut, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			d := peers.NewDisplay(t)
			awaitDemoEnd(t, c.play(d, cut))
			time.Sleep(500 * time.Millisecond)
			d.Screenshot("end") // playback stops at the last picture
		})
	}
}

var demoTrouble = regexp.MustCompile(`(?m)^.*demo_player.*(error|invalid|not supported|not a demo|empty demo|tick error|[Uu]nable|[Ff]ailed).*$`)

// awaitDemoEnd waits until a client has played a demo to its end. It fails the test if the client
// logs a fault of the demo.
func awaitDemoEnd(t *testing.T, c *peers.Client) {
	t.Helper()
	// On a busy machine DDNet's client loads for up to a minute.
	peers.Eventually(t, 90*time.Second, "the end of the demo", func() bool {
		return !c.Running() || strings.Contains(c.Output(), "end of file")
	})
	if !c.Running() {
		t.Error("the client has ended")
	}
	// Both clients log a missing tick when they reach the end, so only the output before that
	// counts.
	played, _, _ := strings.Cut(c.Output(), "end of file")
	for _, line := range demoTrouble.FindAllString(played, -1) {
		t.Errorf("the client complains: %s", line)
	}
}
