package gamemap_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/gamemap"
)

// TestFilesAreBounded: neither folders nor files that are too large are read.
func TestFilesAreBounded(t *testing.T) {
	files := fstest.MapFS{"maps/dir.map/x": {Data: []byte("x")}}
	_, err := gamemap.ReadFile(files, "maps/dir.map", 10)
	testenv.Check(t, err != nil, "a folder is read")
	b, err := gamemap.ReadFile(files, "maps/dir.map/x", 1)
	testenv.Check(t, err == nil && string(b) == "x", "%q, %v", b, err)
	_, err = gamemap.ReadFile(files, "maps/dir.map/x", 0)
	testenv.Check(t, err != nil, "more than the limit is read")
}

// TestNames: a missing map and a name that can be no map are different errors.
func TestNames(t *testing.T) {
	s := newServer(t, copies("folder/a"))
	for name, want := range map[string]string{"nowhere": gamemap.ErrNoMap.Error(), "../x": "not a map name", `a\b`: "not a map name", "": "not a map name"} {
		s.maps.Settings.Map = name
		_, err := s.maps.Read()
		testenv.Check(t, err != nil && strings.Contains(err.Error(), want) && !s.maps.Has(name), "%q: %v", name, err)
	}
	s.maps.Settings.Map = "nowhere"
	_, err := s.maps.Read()
	testenv.Check(t, errors.Is(err, gamemap.ErrNoMap), "%v", err)
	s.maps.Settings.Map = "folder/a"
	m, err := s.maps.Read()
	testenv.Check(t, err == nil && m.Name == "a" && m.Setting == "folder/a" && s.maps.Has("folder/a"), "%v", err)
}

// TestSettingsOfOperators: the settings of a map come from the configuration, the reset file and
// its own file.
func TestSettingsOfOperators(t *testing.T) {
	files := copies("a", "b")
	files["maps/a.cfg"] = &fstest.MapFile{Data: []byte("\ufefftune gravity 1\r\nsv_hit 0\n")}
	files["reset.cfg"] = &fstest.MapFile{Data: []byte("sv_team 1")}
	s := newServer(t, files, "sv_map a")
	m := s.maps.Played()
	before := m.SHA256
	testenv.NoError(t, m.UseSettingsFile())
	testenv.Check(t, m.SHA256 != before && m.HasSum(fmt.Sprintf("%x", m.SHA256)), "the file is the same")
	name, content, err := m.ResetFile()
	testenv.Check(t, name == "reset.cfg" && string(content) == "sv_team 1" && err == nil, "%s: %q, %v", name, content, err)
	m.PutBefore([]string{"x", "y"}, 1)
	testenv.Check(t, slices.Equal(m.Terrain.Settings, []string{"x", "y", "tune gravity 1", "sv_hit 0"}), "the settings are %q", m.Terrain.Settings)
	parsed := testenv.Must(twmap.Parse(m.File))
	testenv.Check(t, slices.Equal(parsed.Info.Settings, []string{"tune gravity 1", "sv_hit 0"}), "clients get %q", parsed.Info.Settings)

	delete(files, "reset.cfg")
	files["maps/b.cfg"] = &fstest.MapFile{Data: bytes.Repeat([]byte("x"), console.MaxFile+1)}
	s.run("sv_map b")
	s.step(1)
	m = s.maps.Played()
	err = m.UseSettingsFile()
	testenv.Check(t, m.Name == "b" && err != nil &&
		strings.Contains(err.Error(), "map 'b' keeps its own settings, and maps/b.cfg is not used"), "%s: %v", m.Name, err)
	name, _, _ = m.ResetFile()
	testenv.Check(t, name == "", "there is a reset file %s", name)
}

// TestAnnounced: clients may get the map elsewhere.
func TestAnnounced(t *testing.T) {
	s := newServer(t, copies("a b"), `sv_map "a b"`)
	file := &s.maps.Played().Map
	announced := s.maps.Announced(file)
	testenv.Check(t, announced.URL == "", "the address is %s", announced.URL)
	s.run("sv_maps_base_url https://example.org/maps/")
	announced = s.maps.Announced(file)
	want := fmt.Sprintf("https://example.org/maps/a%%20b_%x.map", file.SHA256)
	testenv.Check(t, announced.URL == want && file.URL == "", "the address is %s, want %s", announced.URL, want)
}

// screen is the list of maps that an operator sees.
type screen struct {
	names []string
	sent  int
}

func (s *screen) SendMapListEntry(name string) {
	s.names, s.sent = append(s.names, name), s.sent+1
}

func (s *screen) SendMapListEntryRemoved(name string) {
	s.names, s.sent = slices.DeleteFunc(s.names, func(n string) bool { return n == name }), s.sent+1
}

// TestListing: an operator gets the list piece by piece, and then only changes.
func TestListing(t *testing.T) {
	var names []string
	for i := range 3*gamemap.SentAtOnce + 1 {
		names = append(names, fmt.Sprintf("map%03d", i))
	}
	var l gamemap.Listing
	var to screen
	l.Update(names)
	for i := range 4 {
		l.Send(&to)
		testenv.Check(t, len(to.names) == min(len(names), (i+1)*gamemap.SentAtOnce), "%d maps after %d pieces", len(to.names), i+1)
	}
	to.sent = 0
	names = append([]string{"a"}, names[1:]...)
	l.Update(slices.Clone(names))
	l.Send(&to)
	slices.Sort(to.names)
	testenv.Check(t, to.sent == 2 && slices.Equal(to.names, names), "%d changes were sent", to.sent)
}

// TestList: operators get the list again when it changes.
func TestList(t *testing.T) {
	files := copies("dm1", "b", "sub/c", ".hidden/d", "1/2/3/4/deep")
	s := newServer(t, files, "sv_maplist standard")
	list := s.maps.List(console.LevelAdmin)
	testenv.Check(t, slices.Equal(list(), []string{"dm1"}), "the standard maps are %q", list())
	s.run("sv_maplist all")
	list = s.maps.List(console.LevelAdmin)
	all := list()
	testenv.Check(t, slices.Contains(all, "sub/c") && slices.Contains(all, "testbox") && !slices.Contains(all, "1/2/3/4/deep") &&
		len(all) == 3+len(maps.All()), "all maps are %q", all)
	testenv.Check(t, s.maps.List(console.LevelMod)() == nil, "moderators get the list")

	var to screen
	listing := new(gamemap.Listing)
	s.listings = []*gamemap.Listing{listing}
	s.maps.ReadList()
	s.step(1)
	listing.Send(&to)
	testenv.Check(t, slices.Equal(to.names, all), "an operator gets %q", to.names)
	delete(files, "maps/b.map")
	s.step(int(gamemap.ListInterval/tick) + 1)
	listing.Send(&to)
	testenv.Check(t, len(to.names) == len(all)-1 && !slices.Contains(to.names, "b"), "an operator still gets %q", to.names)
}

// answers are ranks that answer for some maps.
type answers map[string]game.RankAnswer

func (a answers) Submit(r *game.RankRequest, _ game.RankOrigin, answer func(game.RankAnswer)) {
	answer(a[fmt.Sprintf("%d %s", r.Op, r.Name)])
}

// TestRandomMap: a random map is one that players can vote for, and that fits.
func TestRandomMap(t *testing.T) {
	s := newServer(t, copies("a", "b"))
	s.isDDRace = true
	s.run("random_map")
	testenv.Check(t, strings.Contains(s.log(), "no random map: No maps found on this server!"), "the log is %s", s.log())
	s.options = []string{"x: change_map teeyard1", `y: change_map "a"`, "z: change_map b"}
	s.ranks = answers{fmt.Sprintf("%d b", game.RankMapInfo): {Info: &game.RankMap{Name: "b", Stars: 3}}}
	s.run("random_map 3")
	s.step(1)
	testenv.Check(t, s.maps.Played().Name == "b", "playing %s", s.maps.Played().Name)
	s.deciding = 5
	s.run("random_unfinished_map 4")
	s.step(1)
	testenv.Check(t, slices.Equal(s.replies, []string{"5: You have no more unfinished maps on this server!"}), "the caller reads %q", s.replies)
}

// receiver is a client that counts chunks.
type receiver struct{ chunks []int }

func (r *receiver) SendMapData(_ *bridge.Map, chunk int) { r.chunks = append(r.chunks, chunk) }

func (r *receiver) MapChunkSize() int { return 1000 }

// TestDownload: chunks come in order within the budget, from where the client asks, and not
// forever.
func TestDownload(t *testing.T) {
	s := newServer(t, nil)
	file := &bridge.Map{File: make([]byte, 40_500), ChunksPerRequest: 1}
	const chunks = 41
	var c conn.Conn
	testenv.NoError(t, c.Init(conn.Config{Send: func([]byte) {}, ResendBuffer: 1 << 20}))
	var d gamemap.Download
	var to receiver
	d.Announce(file)
	s.tick = 1
	for round := range gamemap.MaxSends {
		for _, chunk := range []int{0, 1 << 30} {
			s.maps.Downloads.Request(&d, &c, &to, chunk)
			progress, flood := s.maps.Downloads.Send(&d, &c, &to)
			testenv.Check(t, progress == (round == 0 && chunk == 0) && !flood, "round %d, chunk %d: progress %v, flood %v", round, chunk, progress, flood)
		}
		testenv.Check(t, len(to.chunks) == (round+1)*chunks && !d.Active() && d.Chunk() == chunks, "round %d: %d chunks", round, len(to.chunks))
		s.tick++
	}
	s.maps.Downloads.Request(&d, &c, &to, 0)
	_, flood := s.maps.Downloads.Send(&d, &c, &to)
	testenv.Check(t, flood && !d.Active() && len(to.chunks) == gamemap.MaxSends*chunks, "%d chunks, flood %v", len(to.chunks), flood)

	// Downloads in the same tick share what may be sent.
	file.File = make([]byte, 2*gamemap.BytesPerTick)
	var clients [20]struct {
		d  gamemap.Download
		to receiver
	}
	for range 3 {
		s.tick++
		sent := 0
		for i := range clients {
			r := &clients[i]
			if r.d.File() == nil {
				r.d.Announce(file)
			}
			r.to.chunks = nil
			s.maps.Downloads.Request(&r.d, &c, &r.to, -1)
			s.maps.Downloads.Send(&r.d, &c, &r.to)
			sent += len(r.to.chunks)
		}
		testenv.Check(t, sent*1000 <= gamemap.BytesPerTick && sent > 0, "%d chunks in a tick", sent)
	}
	least := slices.MinFunc(clients[:], func(a, b struct {
		d  gamemap.Download
		to receiver
	}) int {
		return len(a.to.chunks) - len(b.to.chunks)
	})
	testenv.Check(t, len(least.to.chunks) > 0, "a client gets nothing")
	testenv.Check(t, !s.maps.Downloads.BurstDue(s.now.Add(time.Hour)), "there is a burst")
}
