//go:build peers

package ddracerecord

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
)

// predictedKinds are the kinds of tiles on which the predictions of clients are compared.
var predictedKinds = map[string][]string{
	"plain": nil, "freeze": {"freeze"}, "tele": {"tele"}, "speedup": {"speedup"}, "tune": {"tune"}, "switch": {"switch"},
	"jump": {"jump"}, "stopper": {"stopper"}, "solo": {"solo"}, "weapons": {"weapons"},
	"mixed": {"freeze", "speedup", "tune", "switch", "jump", "weapons"},
	"told":  {"tune"}, "release 20": {"newspeedup", "weapontele"}, "elastic": {"tune", "newspeedup"},
}

// predictedSettings are settings of the servers. Clients learn of them only from messages.
var predictedSettings = map[string]string{
	"told":    "; tune gravity 0.3; tune ground_control_speed 12; tune hook_length 500; tune hammer_strength 3",
	"elastic": "; sv_ddnet_physics 20; tune ground_elasticity_x 0.5; tune ground_elasticity_y 0.8", // 16.4 knows none of these settings
}

// predictedMapSettings are settings inside the map.
var predictedMapSettings = map[string][]string{"release 20": {"sv_ddnet_physics 20"}}

// TestPredictions makes clients do the same on our server and on DDNet-Server. It counts how often
// a client's own tee differs from the prediction out of the snapshot before. -v prints the numbers,
// and TEEYARD_FULL=1 prints them for each kind of tile.
func TestPredictions(t *testing.T) {
	peers.RequirePrograms(t, "DDNet-Server")
	tees, span, names := 2, 3*time.Second, []string{"mixed"}
	if os.Getenv("TEEYARD_FULL") != "" {
		tees, span, names = 4, 10*time.Second, slices.Sorted(maps.Keys(predictedKinds))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			kinds := predictedKinds[name]
			file := Generate(uint64(100+len(name)), 10, predictedMapSettings[name], kinds...)
			home := t.TempDir()
			data := filepath.Join(home, ".local", "share", "ddnet")
			peers.WriteFile(t, filepath.Join(data, "maps", "predicted.map"), file)
			peers.WriteFile(t, filepath.Join(data, "autoexec_server.cfg"), nil)
			peers.WriteFile(t, filepath.Join(home, "maps", "predicted.map"), file)
			settings := "sv_map predicted; sv_rcon_password " + rconPassword + predictedSettings[name]
			theirs := peers.StartDDNetIn(t, home, settings+"; sv_test_cmds 0; sv_kill_protection 0")
			ours := peers.StartTeeyardIn(t, home, settings+"; sv_gametype ddrace")
			corrected := func(s *peers.Server) (share float64, total load.Stats) {
				cfg := Config{Tees: tees, Seed: uint64(len(name))}
				swarm := peers.Join(t, s, load.Config{Clients: tees, Versions: []client.Version{client.Version06}, Configure: func(i int, c *client.Config) {
					c.Name = fmt.Sprintf("bot %d", i)
					c.LocalAddr = fmt.Sprintf("127.0.3.%d", 1+i)
					c.NoMap, c.Maps = false, client.NewMaps("-")
					c.Play = newPlayer(&cfg, i).play
				}})
				defer swarm.Stop()
				time.Sleep(span)
				// On a busy machine the clients may have joined only now.
				peers.Eventually(t, 20*time.Second, "some predictions", func() bool {
					total = load.Total(swarm.Stats())
					return total.Predictions >= 50*tees
				})
				return float64(total.Corrections) / float64(max(total.Predictions, 1)), total
			}
			share, our := corrected(ours)
			theirShare, their := corrected(theirs)
			t.Logf("%-8s ours %4d of %4d (%.4f, %d late), theirs %4d of %4d (%.4f, %d late)", name,
				our.Corrections, our.Predictions, share, our.InputsLate, their.Corrections, their.Predictions, theirShare, their.InputsLate)
			// A busy machine causes late inputs, and a teleporter's exit is random.
			if name != "tele" && our.Corrections > their.Corrections+3*our.InputsLate+our.Predictions/50 {
				t.Error("our server causes more corrections")
			}
		})
	}
}
