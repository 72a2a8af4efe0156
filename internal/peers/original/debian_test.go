//go:build peers

package original

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestDebianFiles starts our program in place of Debian's teeworlds-server, with Debian's
// configuration, the command line of its service, and a working folder that is not writable.
func TestDebianFiles(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds-server")
	const unit, config = "/lib/systemd/system/teeworlds-server.service", "/etc/teeworlds/server.cfg"
	if b := testenv.Must(os.ReadFile(unit)); !strings.Contains(string(b), "/usr/games/teeworlds-server -f "+config) {
		t.Fatalf("the unit has another command line:\n%s", b)
	}
	home, link := t.TempDir(), filepath.Join(t.TempDir(), "teeworlds-server")
	testenv.NoError(t, os.Symlink(peers.Program(t), link))
	addr := peers.FreeAddr(t)
	p := peers.Start(t, "/", []string{"HOME=" + home, "XDG_DATA_HOME="}, link, "-f", config, "bindaddr 127.0.0.1", peers.PortSetting(addr),
		"sv_register 0", "sv_map dm1", "save_config saved", "bans_save bans.cfg")
	peers.Eventually(t, 20*time.Second, "saved the bans", func() bool {
		out := p.Output()
		return strings.Contains(out, "saved banlist to 'bans.cfg'") || strings.Contains(out, "bans.cfg: written") // the second line appears on a slow disk
	})
	p.Stop()
	out := p.Output()
	for _, want := range []string{"executing '" + config + "'", "server name is 'Teeworlds powered by Debian'", "map dm1, gametype DM"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
	// The original does not know sv_rcon_ban_time either: Debian means sv_rcon_bantime. The value
	// of sv_inactivekick is out of range in the original, too.
	for line := range strings.Lines(out) {
		if strings.Contains(line, config+":") && !strings.Contains(line, "sv_rcon_ban_time") && !strings.Contains(line, "sv_inactivekick: 0 is out of range") {
			t.Errorf("a warning: %s", line)
		}
	}
	for _, name := range []string{"configs/saved.cfg", "bans.cfg"} {
		if _, err := os.Stat(filepath.Join(home, ".local", "share", "teeworlds", name)); err != nil {
			t.Error(err)
		}
	}
	if b := testenv.Must(os.ReadFile(filepath.Join(home, ".local", "share", "teeworlds", "configs/saved.cfg"))); !strings.Contains(string(b),
		"sv_player_slots 14") {
		t.Errorf("two spectator slots of 16 are\n%s", b)
	}
}
