package peers

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Client is a real client, Teeworlds or DDNet, on a display.
type Client struct {
	*Process
	*Display
	// Home is the client's home folder; its data is below Home/data.
	Home string
}

// Binds are the keys that a client of [Display.StartTeeworlds] has besides the
// usual ones, for what is otherwise done in menus.
var Binds = []string{
	"bind k kill",
	"bind o team -1",
	"bind p team 0",
	"bind h emote 2",
}

// StartTeeworlds starts the 0.7.5 client on a display, in a new home folder,
// and has it join a server. Settings are further console commands.
func (d *Display) StartTeeworlds(addr, name string, settings ...string) *Client {
	d.t.Helper()
	return d.StartTeeworldsAt(d.t.TempDir(), addr, name, settings...)
}

// StartTeeworldsAt is StartTeeworlds with a home folder that may have been used
// before.
func (d *Display) StartTeeworldsAt(home, addr, name string, settings ...string) *Client {
	d.t.Helper()
	path := Need(d.t, "teeworlds")[0]
	args := slices.Concat([]string{
		"gfx_fullscreen 0", "gfx_borderless 1",
		fmt.Sprintf("gfx_screen_width %d", ScreenWidth), fmt.Sprintf("gfx_screen_height %d", ScreenHeight),
		"gfx_vsync 0", "gfx_limitfps 1", "gfx_maxfps 30", "gfx_fsaa_samples 0", "snd_enable 0",
		"cl_skip_start_menu 1", "cl_show_welcome 0", "inp_grab 1", "player_name " + name,
	}, Binds, settings, []string{"connect " + addr})
	env := append(d.Env(), "HOME="+home, "XDG_DATA_HOME="+filepath.Join(home, "data"), "XDG_CONFIG_HOME="+filepath.Join(home, "config"))
	return &Client{Process: Start(d.t, home, env, path, args...), Display: d, Home: home}
}

// StartDDNet starts DDNet's client on a display, in a new home folder, and has it
// join a server. Settings are further console commands.
func (d *Display) StartDDNet(addr, name string, settings ...string) *Client {
	d.t.Helper()
	path, home := Need(d.t, "DDNet")[0], d.t.TempDir()
	args := slices.Concat([]string{
		"gfx_fullscreen 0", "gfx_borderless 1",
		fmt.Sprintf("gfx_screen_width %d", ScreenWidth), fmt.Sprintf("gfx_screen_height %d", ScreenHeight),
		"gfx_vsync 0", "gfx_refresh_rate 30", "gfx_fsaa_samples 0", "snd_enable 0",
		"cl_skip_start_menu 1", "cl_show_welcome 0", "cl_auto_race_record 0", "inp_grab 1", "player_name " + name,
	}, Binds, settings, []string{"connect " + addr})
	// It asks web servers for news and maps; a proxy that is not there keeps it in.
	nowhere := "http://127.0.0.1:9"
	env := append(d.Env(), "HOME="+home, "XDG_DATA_HOME="+filepath.Join(home, "data"),
		"http_proxy="+nowhere, "https_proxy="+nowhere, "no_proxy=127.0.0.1")
	return &Client{Process: Start(d.t, home, env, path, args...), Display: d, Home: home}
}
