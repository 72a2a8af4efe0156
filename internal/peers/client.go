package peers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Client is a running graphical client, of Teeworlds or DDNet, with its own display.
type Client struct {
	*Process
	*Display
	// Home is the client's home folder; its data is below Home/data.
	Home string
}

// binds are key binds for actions that clients otherwise have in menus.
var binds = []string{
	"bind k kill",
	"bind o team -1",
	"bind p team 0",
	"bind h emote 2",
}

// StartTeeworlds starts the 0.7.5 client on a display, with a new home folder, and makes it join a
// server. The settings are further console commands.
func (d *Display) StartTeeworlds(addr, name string, settings ...string) *Client {
	d.t.Helper()
	return d.StartTeeworldsIn(d.t.TempDir(), addr, name, settings...)
}

// StartTeeworldsIn is StartTeeworlds with a given home folder, which may hold files of an earlier
// client.
func (d *Display) StartTeeworldsIn(home, addr, name string, settings ...string) *Client {
	d.t.Helper()
	return d.startTeeworlds(home, append(settings, "player_name "+name, "bind f10 connect "+addr, "connect "+addr))
}

// PlayDemoInTeeworlds starts the 0.7.5 client with a demo to play.
func (d *Display) PlayDemoInTeeworlds(demo []byte, settings ...string) *Client {
	d.t.Helper()
	home := d.t.TempDir()
	WriteFile(d.t, filepath.Join(home, "data", "teeworlds", "demos", "test.demo"), demo)
	return d.startTeeworlds(home, append([]string{"console_output_level 2"}, append(settings, "play demos/test.demo")...))
}

func (d *Display) startTeeworlds(home string, commands []string) *Client {
	d.t.Helper()
	// Without cl_cpu_throttle the client computes without a pause between two frames.
	commands = append([]string{"gfx_limitfps 1", "gfx_maxfps 30", "cl_cpu_throttle 5"}, commands...)
	return d.startClient("teeworlds", home, []string{"XDG_CONFIG_HOME=" + filepath.Join(home, "config")}, commands)
}

// StartDDNet starts the DDNet client on a display, with a new home folder, and makes it join a
// server. The settings are further console commands.
func (d *Display) StartDDNet(addr, name string, settings ...string) *Client {
	d.t.Helper()
	return d.startDDNet(d.t.TempDir(), append(settings, "player_name "+name, "connect "+addr))
}

// PlayDemoInDDNet starts the DDNet client with a demo to play.
func (d *Display) PlayDemoInDDNet(demo []byte, settings ...string) *Client {
	d.t.Helper()
	home := d.t.TempDir()
	WriteFile(d.t, filepath.Join(home, "data", "ddnet", "demos", "test.demo"), demo)
	return d.startDDNet(home, append([]string{"console_output_level 2", "loglevel 4"}, append(settings, "play demos/test.demo")...))
}

func (d *Display) startDDNet(home string, commands []string) *Client {
	d.t.Helper()
	// Without cl_refresh_rate the client computes without a pause between two frames.
	fifo := "cl_input_fifo " + filepath.Join(home, fifoName)
	commands = append([]string{"gfx_refresh_rate 30", "cl_refresh_rate 100", "cl_auto_race_record 0", fifo}, commands...)
	// DDNet's client asks web servers for news and maps. A proxy that does not exist prevents that.
	const proxy = "http://127.0.0.1:9"
	env := []string{"http_proxy=" + proxy, "https_proxy=" + proxy, "no_proxy=127.0.0.1"}
	// The client of 2022 sometimes crashes or stands still before it has read its own files, long
	// before its first datagram. Then it starts again, with the reason in the test's log.
	for attempt := 1; ; attempt++ {
		c := d.startClient("DDNet", home, env, commands)
		ready := func() bool { return strings.Contains(c.Output(), "client: version ") }
		Within(40*time.Second, func() bool { return ready() || !c.Running() })
		if ready() || attempt == 3 {
			return c
		}
		d.t.Logf("DDNet's client did not start, attempt %d; its output:\n%s", attempt, Tail(c.Output(), 1000))
		c.Stop()
	}
}

// fifoName is the pipe in the home folder from which DDNet's client reads commands.
const fifoName = "commands"

// RetryConnect reconnects the 0.7.5 client if its log shows more than the given number of failed
// connections, and returns the new number. On a busy machine the client draws its first frame of
// the game for 5 to 10 s, reads no datagrams meanwhile, and so times out.
func (c *Client) RetryConnect(times int) int {
	c.t.Helper()
	gaveUp := strings.Count(c.Output(), "offline error='Unable to connect to the server'") + strings.Count(c.Output(), "offline error='Timeout'")
	if gaveUp > times {
		c.TapKey("F10")
	}
	return gaveUp
}

// Run runs a console command in DDNet's client.
func (c *Client) Run(command string) {
	c.t.Helper()
	f, err := os.OpenFile(filepath.Join(c.Home, fifoName), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		_, err = f.WriteString(command + "\n")
		f.Close()
	}
	if err != nil {
		c.t.Fatalf("%s: the client reads no commands: %v", command, err)
	}
}

func (d *Display) startClient(program, home string, env, commands []string) *Client {
	d.t.Helper()
	path := RequirePrograms(d.t, program)[0]
	args := slices.Concat([]string{
		"gfx_fullscreen 0", "gfx_borderless 1",
		fmt.Sprintf("gfx_screen_width %d", ScreenWidth), fmt.Sprintf("gfx_screen_height %d", ScreenHeight),
		"gfx_vsync 0", "gfx_fsaa_samples 0", "snd_enable 0",
		"cl_skip_start_menu 1", "cl_show_welcome 0", "inp_grab 1",
	}, binds, commands)
	env = slices.Concat(d.Env(), []string{"HOME=" + home, "XDG_DATA_HOME=" + filepath.Join(home, "data")}, env)
	return &Client{Process: Start(d.t, home, env, path, args...), Display: d, Home: home}
}
