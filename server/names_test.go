package server_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/servertest"
)

// TestNames checks that names are unique in races, as on DDNet-Server, but not in other modes.
// Players with clients of 0.6 can change their names in all modes.
func TestNames(t *testing.T) {
	for mode, want := range map[string][4]string{"dm": {"Tw", "Tw", "Ｔw", "/x"}, "race": {"Tw", "(1)Tw", "(2)Ｔw", "(1)/x"}} {
		var s servertest.Folder
		tn := newRecordedNetwork(t, &s, 5, "sv_inactivekick_time 0; sv_gametype "+mode)
		for i, name := range [...]string{"Tw", "Tw", "Ｔw", "/x"} {
			kind := player06DDNet
			if i == 3 {
				kind = player07
			}
			p := tn.dial(1+i, named(kind, name))
			p.moveRandomly()
			tn.untilPlaying(p)
		}
		players := tn.players
		expect := func(what string) {
			t.Helper()
			for i, name := range want {
				for j, p := range players {
					got := p.names()[players[i].id()]
					testenv.Check(t, got == name, "%s, %s: player %d sees %q, want %q", mode, what, j, got, name)
				}
			}
		}
		rename := func(p *player, name string) {
			t.Helper()
			p.command(game.Command{Kind: game.CmdProfile, Profile: &game.Profile{Name: name, Clan: "yard", Country: 276}})
			tn.Wait(time.Second)
		}
		tn.Wait(5 * time.Second)
		expect("at first")

		rename(players[0], "Anna")
		want[0] = "Anna"
		expect("renamed")
		for j, p := range players {
			testenv.Check(t, p.heard("'Tw' changed name to 'Anna'"), "%s: player %d was not told", mode, j)
		}
		info, _ := players[3].ClientSide().Player(players[0].id())
		testenv.Check(t, info.Profile.Clan == "yard" && info.Profile.Country == 276, "%s: the others see %+v", mode, info.Profile)
		rename(players[0], "Berta")
		expect("renamed too soon")
		rename(players[1], "Anna")
		if want[1] = "Anna"; mode == "race" {
			want[1] = "(1)Anna"
		}
		expect("renamed to another's name")
		tn.Wait(5 * time.Second)
		rename(players[1], "Anna") // which clients repeat as long as they have another name
		testenv.Check(t, !players[0].heard("'(1)Anna' changed name to '(1)Anna'"), "%s: a repeated request was told", mode)
		tn.Execute(fmt.Sprintf("muteid %d 60", players[2].id()))
		rename(players[2], "Carla")
		expect("renamed while muted")
		tn.Execute("name_ban Dora 0")
		tn.Wait(5 * time.Second)
		rename(players[0], "Dora")
		expect("renamed to a name that is banned")

		tn.Shutdown(tn.Now(), "")
		log := verify(t, &s, 1)[0]
		testenv.Check(t, log.commands[game.CmdProfile] == 4+4, "%s: %d profiles are in the log", mode, log.commands[game.CmdProfile])
	}
}
