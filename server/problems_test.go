package server

import (
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game/physics"
)

// TestMissingGameType: a game type that does not exist is said last at the start, at once to an
// operator who sets one, once for each, and in status while it lasts.
func TestMissingGameType(t *testing.T) {
	const there = "(there are dm, tdm, ctf, lms, lts, "
	ts := newTestServer(t, nil, "sv_gametype ctff; sv_map testbox")
	lines := strings.Split(strings.TrimSpace(ts.log.String()), "\n")
	if n := strings.Count(ts.log.String(), "ctff"); n != 1 || !strings.Contains(lines[len(lines)-2], "[server]: sv_gametype 'ctff' does not exist: dm is played instead "+there) {
		t.Errorf("%d times, at the end of\n%s", n, ts.log.String())
	}
	if p := ts.srv.Problems(); len(p) != 1 || !strings.HasPrefix(p[0], "sv_gametype 'ctff' does not exist") || ts.srv.world.ModeName() != "DM" {
		t.Errorf("problems %q", p)
	}
	p := ts.join(local(1), "boss")
	p.Login("adminpw")
	ts.idle(20, p)
	run := func(line string, want ...string) {
		t.Helper()
		p.RconLines = nil
		p.Rcon(line)
		ts.idle(20, p)
		var got []string
		for _, l := range p.RconLines {
			if _, text, ok := strings.Cut(l, "][server]: "); ok && !strings.HasPrefix(text, "id=0 ") {
				got = append(got, text)
			}
		}
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	run("status", "sv_gametype 'ctff' does not exist: dm is played instead "+there)
	run("sv_gametype ctff; reload")
	run("sv_gametype tdmm", "sv_gametype 'tdmm' does not exist: the next map will play dm "+there)
	run("sv_gametype tdmm; reload")
	run("status", "sv_gametype 'tdmm' does not exist: dm is played instead")
	run("sv_gametype tdm", "sv_gametype is used with the next map, or after reload")
	run("reload")
	run("status")
	if p := ts.srv.Problems(); len(p) != 0 || ts.srv.world.ModeName() != "TDM" {
		t.Errorf("problems %q of %s", p, ts.srv.world.ModeName())
	}
	run("sv_gametype mod; reload", "sv_gametype is used with the next map, or after reload")
	run("tune gravity 1")
	if got, g := ts.srv.world.ModeName(), ts.srv.tuning[physics.TuneParamIndex("gravity")]; got != "MOD" || g != 100 || len(ts.srv.Problems()) != 0 {
		t.Errorf("%s, gravity %d", got, g)
	}
}
