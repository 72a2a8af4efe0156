package client_test

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/fng"
	"github.com/teeyard/teeyard/mods/instagib"
	"github.com/teeyard/teeyard/mods/zcatch"
	"github.com/teeyard/teeyard/server"
)

// TestCommunityModes lets a client of each version shoot at the other.
func TestCommunityModes(t *testing.T) {
	modes := server.Modes{
		{Name: "idm", New: func() game.Mode { return instagib.NewDM(game.WeaponLaser) }},
		{Name: "zcatch", New: zcatch.New},
		{Name: "fng", New: func() game.Mode { return fng.New(game.WeaponLaser, true) }},
	}
	for _, mode := range modes {
		t.Run(mode.Name, func(t *testing.T) {
			tn := newConfiguredNetwork(t, netsim.Link{Delay: time.Millisecond}, server.Config{Modes: modes}, nil, "sv_map testbox; sv_scorelimit 0; sv_gametype "+mode.Name)
			testenv.Check(t, len(tn.srv.Problems()) == 0, "%q", tn.srv.Problems())
			hunts := func(_ *client.Client, v *game.View) game.Input {
				in := game.Input{TargetX: 1, Fire: v.Tick / 10 & 63}
				for _, me := range v.Characters {
					for _, other := range v.Characters {
						if me.Player == v.Viewer && other.Player != v.Viewer {
							in.TargetX, in.TargetY = other.X-me.X, other.Y-me.Y
							in.Direction, in.Jump = min(max(in.TargetX/200, -1), 1), v.Tick%40 < 5
						}
					}
				}
				return in
			}
			players := []*player{
				tn.join(client.Config{Name: "seven", Play: hunts}),
				tn.join(client.Config{Name: "six", Play: hunts, Version: client.Version06}),
			}
			for _, p := range players {
				kill := waitFor(p, 30*time.Second, func(e event.Kill) bool { return e.Killer != e.Victim })
				testenv.Check(t, kill.Weapon == game.WeaponLaser, "weapon %d", kill.Weapon)
			}
			for _, p := range players {
				tn.until(30*time.Second, "shown points and ten rounds", func() bool {
					points, ammo := int32(0), int32(0)
					p.WithView(func(v *game.View) {
						for _, s := range v.Players {
							points = max(points, s.Score)
						}
						for _, c := range v.Characters {
							if c.Player == v.Viewer && c.Weapon == game.WeaponLaser {
								ammo = c.Ammo
							}
						}
					})
					return points > 0 && ammo == 10
				})
			}
		})
	}
}
