package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/server"
)

// writeReplay writes the log of ten seconds in which two players come, one with a
// name that means harm to terminals, and one kills himself.
func writeReplay(name, program string) error {
	m, _ := maps.Find("testbox")
	parsed, err := twmap.Parse(m.Data)
	if err != nil {
		return err
	}
	layer := parsed.GameLayer()
	h := &replay.Header{
		Program: program, StartTime: 1795231813000, Map: "testbox",
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Rules:   game.DefaultRules(), Seed: 1, IdleTicks: 100,
	}
	mode, _ := server.BuiltinModes("dm")
	h.SetMode("dm", mode, nil)
	w, err := h.NewWorld(replay.VerifyConfig{Modes: server.BuiltinModes})
	if err != nil {
		return err
	}
	var out bytes.Buffer
	wr, err := replay.NewWriter(&out, h)
	if err != nil {
		return err
	}
	for i := range 500 {
		var cmds []game.Command
		switch i {
		case 0, 50:
			id := game.PlayerID(i / 50)
			cmds = []game.Command{
				{Kind: game.CmdJoin, Player: id},
				{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: []string{"nameless tee", "evil\x1b[2J"}[id]}},
				{Kind: game.CmdEnterGame, Player: id},
			}
		case 300:
			cmds = []game.Command{{Kind: game.CmdKill, Player: 1}, {Kind: game.CmdSay, Player: 0, Chat: game.ChatAll, Text: "ha"}}
		}
		if err := wr.RecordTick(cmds); err != nil {
			return err
		}
		w.Step(cmds)
		if err := wr.AfterStep(w); err != nil {
			return err
		}
	}
	if err := wr.Close(w, replay.EndMapChange); err != nil {
		return err
	}
	return os.WriteFile(name, out.Bytes(), 0o600)
}

// TestKilledServer plays on a server that is killed without warning. What it
// leaves behind has to verify up to the last second.
func TestKilledServer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds of real time")
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), "TEEYARD_SERVE_CHILD="+dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var log bytes.Buffer
	port := regexp.MustCompile(`using port (\d+)`)
	buf := make([]byte, 4096)
	for !port.Match(log.Bytes()) {
		n, err := stdout.Read(buf)
		log.Write(buf[:n])
		if err != nil {
			t.Fatalf("%v\n%s", err, &log)
		}
	}
	go func() { // let it log
		for {
			if _, err := stdout.Read(buf); err != nil {
				return
			}
		}
	}()
	last, at := playOn(t, "127.0.0.1:"+string(port.FindSubmatch(log.Bytes())[1]), 3500*time.Millisecond)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Since(at)
	cmd.Wait()

	files, err := filepath.Glob(filepath.Join(dir, "replays", "*"+server.ReplaySuffix))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d logs, %v", len(files), err)
	}
	f, r, err := openReplay(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	res, err := replay.Verify(r, replay.VerifyConfig{Modes: server.BuiltinModes})
	if err != nil || res.End != replay.EndNone || res.HashesMatched < 2 {
		t.Errorf("%+v, %v", res, err)
	}
	// The snapshot of tick `last` was seen some time before the server was killed.
	// Half a second is what a block takes; the rest is for a busy machine.
	if res.LastGoodTick < last-game.TickRate {
		t.Errorf("verified to tick %d, the client had seen tick %d", res.LastGoodTick, last)
	}
	t.Logf("verified to tick %d, the client had seen %d %v before the kill", res.LastGoodTick, last, killed)
}

// serveChild is the server of TestKilledServer, in a process of its own.
func serveChild(dir string) {
	serve := serveCmd{Dir: dir, Console: []string{"bindaddr 127.0.0.1", "sv_port 0"}}
	if err := serve.Run(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// playOn joins a server and moves about for a while. It returns the tick of the
// last snapshot and when it came.
func playOn(t *testing.T, addr string, length time.Duration) (last int32, at time.Time) {
	t.Helper()
	i := int32(0)
	c, err := client.Dial(t.Context(), addr, client.Config{
		NoMap:      true,
		OnSnapshot: func(_ *client.Client, v *game.View, _ []game.Event) { last, at = v.Tick, time.Now() },
		Play: func(*client.Client, *game.View) game.Input {
			i++
			return game.Input{Direction: i/10%3 - 1, TargetX: i % 300, TargetY: 100, Fire: i / 5 & 63}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(length)
	c.Close()
	<-c.Done()
	return last, at
}
