//go:build peers

package ddnet

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank/ddnetdb"
)

// TestDatabaseSharedWithDDNet makes DDNet-Server 16.4 and our server keep ranks and saves in one
// MariaDB. Players and a team finish on both servers, and both servers give the same answers. A
// team that saves on one server loads on the other. The tables that we create equal DDNet's.
func TestDatabaseSharedWithDDNet(t *testing.T) {
	t.Parallel()
	sql := peers.RequirePrograms(t, "mariadb")[0]
	m := peers.NewMariaDB(t)
	m.Start()
	_, dbPort, _ := strings.Cut(m.Addr(), ":")
	run := func(query string) string {
		t.Helper()
		out, err := exec.Command(sql, "--no-defaults", "-h127.0.0.1", "-P"+dbPort, "-uroot", "-N", "-e", query).CombinedOutput()
		testenv.Require(t, err == nil, "%s: %v\n%s", query, err, out)
		return string(out)
	}
	database := func(modes string, setup int) (all string) {
		for _, mode := range strings.Split(modes, "") {
			all += fmt.Sprintf(`; add_sqlserver %s "teeworlds" "record" "root" "" "127.0.0.1" "%s" %d`, mode, dbPort, setup)
		}
		return all
	}
	const settings = "sv_map teams; sv_spamprotection 0; sv_sql_queries_delay 0; sv_sql_servername GER; sv_saveswapgames_delay 0; sv_team_change_delay 0"
	file := teamsMap(t)
	home, folder := t.TempDir(), t.TempDir()
	data := filepath.Join(home, ".local", "share", "ddnet")
	peers.WriteFile(t, filepath.Join(data, "maps", "teams.map"), file)
	peers.WriteFile(t, filepath.Join(data, "autoexec_server.cfg"), nil) // replaces Debian's
	peers.WriteFile(t, filepath.Join(folder, "maps", "teams.map"), file)
	theirs := peers.StartDDNetIn(t, home, "sv_use_sql 1; sv_chat_penalty 50; sv_chat_threshold 10000; "+settings+database("rw", 1))
	peers.Eventually(t, 20*time.Second, "DDNet-Server has made its tables", func() bool {
		return strings.Contains(run("SHOW DATABASES"), "teeworlds") && strings.Contains(run("SHOW TABLES FROM teeworlds"), "record_points")
	})
	own := testenv.Must(ddnetdb.Open(ddnetdb.Config{Addr: m.Addr(), User: "root", Database: "made_by_us"}))
	defer own.Close()
	testenv.NoError(t, own.Setup(t.Context()))
	columns := func(database string) string {
		return run("SELECT table_name, column_name, column_type, is_nullable, column_default, character_set_name, collation_name, column_key " +
			"FROM information_schema.columns WHERE table_schema = '" + database +
			"' AND table_name != 'record_delivered' ORDER BY table_name, ordinal_position")
	}
	if diff := cmp.Diff(columns("teeworlds"), columns("made_by_us")); diff != "" {
		t.Errorf("tables (-DDNet-Server's, +ours):\n%s", diff)
	}
	run("INSERT INTO teeworlds.record_maps(Map, Server, Mapper, Points, Stars) " +
		"VALUES ('teams', 'Novice', 'deen', 3, 2), ('Out of Castle', 'Brutal', 'x', 9, 5)")
	ours := peers.StartTeeyardWithDatabase(t, folder, "sv_gametype ddrace; "+settings+database("w", 1))

	// On each server one player finishes alone, two finish as a team, and another team saves.
	names := 0
	walk := func(s *peers.Server, commands ...string) []*racer {
		racers := make([]*racer, 2)
		for i := range racers {
			racers[i] = joinRacer(t, s, names)
			names++
			for _, c := range commands {
				testenv.NoError(t, racers[i].Say(c))
			}
		}
		time.Sleep(200 * time.Millisecond)
		return racers
	}
	reach := func(column int32, racers ...*racer) {
		t.Helper()
		for _, r := range racers {
			r.goal.Store(column)
		}
		for _, r := range racers {
			peers.Eventually(t, 10*time.Second, "the tee is there", func() bool { return r.at.Load() == column })
		}
	}
	type party struct {
		server   *peers.Server
		solo     []*racer
		together []*racer
		saving   []*racer
	}
	parties := []*party{{server: theirs}, {server: ours}}
	for _, p := range parties {
		p.solo, p.together, p.saving = walk(p.server), walk(p.server, "/team 5"), walk(p.server, "/team 7")
	}
	for _, p := range parties {
		reach(atFinish+2, append(p.together, p.solo[0])...)
		reach(atStart+4, p.saving...)
		for _, r := range p.saving {
			r.goal.Store(0)
		}
		testenv.NoError(t, p.saving[0].Say("/save from "+p.server.Name()))
	}
	peers.Eventually(t, 20*time.Second, "all is in the tables", func() bool {
		return run("SELECT (SELECT COUNT(*) FROM teeworlds.record_race), (SELECT COUNT(*) FROM teeworlds.record_teamrace), "+
			"(SELECT COUNT(*) FROM teeworlds.record_saves)") == "6\t4\t2\n"
	})

	// Give every finish a different time.
	run("UPDATE teeworlds.record_race SET Time = 1 + 0.02 * SUBSTRING(Name, 7); " +
		"UPDATE teeworlds.record_teamrace SET Time = IF(Name IN ('racer 2', 'racer 3'), 3, 2)")
	ages := regexp.MustCompile(`(\d+ secs?|moments) ago`)
	ask := func(r *racer) (all []string) {
		for len(r.lines) > 0 {
			<-r.lines
		}
		lines := []string{"/rank racer 0", "/rank racer 2", "/rank racer 6", "/rank racer 8", "/top5", "/top5 -1", "/times", `/times "racer 6"`,
			"/points racer 2", "/points racer 8", "/top5points",
			"/teamrank racer 2", "/teamrank racer 9", "/top5team", `/top5team "racer 2"`, `/top5team "racer 8"`, "/mapinfo", "/mapinfo castle",
			"/mapinfo %castle", "/load"}
		for _, line := range lines {
			testenv.NoError(t, r.Say(line))
			all = append(all, "> "+line)
			for silence := 3 * time.Second; ; silence = 300 * time.Millisecond {
				select {
				case text := <-r.lines:
					all = append(all, ages.ReplaceAllString(text, "AGO"))
					continue
				case <-time.After(silence):
				}
				break
			}
		}
		return all
	}
	answers := make(chan []string, 1)
	go func() { answers <- ask(parties[0].solo[1]) }()
	got := ask(parties[1].solo[1])
	want := <-answers
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], "racer 1", "asker")
	}
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], "racer 7", "asker")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-DDNet-Server, +ours):\n%s", diff)
	}

	// Both servers try to load each save at the same time, and exactly one succeeds.
	for i, p := range parties {
		other := parties[1-i]
		guests := []*racer{joinRacerAs(t, other.server, p.saving[0].name), joinRacerAs(t, other.server, p.saving[1].name)}
		all := append(guests, p.saving...)
		for _, r := range all {
			peers.Eventually(t, 10*time.Second, "a player joins a team", func() bool {
				for len(r.lines) > 0 {
					if <-r.lines == fmt.Sprintf("%s joined team %d", r.name, 9+i) {
						return true
					}
				}
				testenv.NoError(t, r.Say(fmt.Sprint("/team ", 9+i)))
				time.Sleep(200 * time.Millisecond)
				return false
			})
		}
		time.Sleep(300 * time.Millisecond)
		for _, r := range all {
			for len(r.lines) > 0 {
				<-r.lines
			}
		}
		testenv.NoError(t, errors.Join(guests[0].Say("/load from "+p.server.Name()), p.saving[0].Say("/load from "+p.server.Name())))
		loaded := 0
		for _, r := range []*racer{guests[0], p.saving[0]} {
			text := <-r.lines
			switch text {
			case "Loading successfully done":
				loaded++
			case "No such savegame for this map", "Unable to load savegame: loaded on a different server":
			default:
				t.Errorf("told %q", text)
			}
		}
		testenv.Check(t, loaded == 1, "a save was loaded %d times", loaded)
	}
	left := run("SELECT COUNT(*) FROM teeworlds.record_saves")
	testenv.Check(t, left == "0\n", "%s saves are left", left)
}
