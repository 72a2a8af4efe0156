package client

import (
	"os"
	"path/filepath"
	"runtime"
)

// InstalledMapDirs returns the folders on this machine with maps of Teeworlds and DDNet, for
// NewMaps: maps that came with the games and maps that they downloaded.
func InstalledMapDirs() []string {
	var roots, found []string // data folders
	home, err := os.UserHomeDir()
	own := err == nil
	switch runtime.GOOS {
	case "windows":
		if dir, err := os.UserConfigDir(); err == nil {
			roots = append(roots, filepath.Join(dir, "Teeworlds"), filepath.Join(dir, "DDNet"))
		}
	case "darwin":
		if own {
			support := filepath.Join(home, "Library", "Application Support")
			roots = append(roots, filepath.Join(support, "Teeworlds"), filepath.Join(support, "DDNet"))
		}
		for _, app := range []string{"Teeworlds", "DDNet"} {
			roots = append(roots, filepath.Join("/Applications", app+".app", "Contents", "Resources", "data"))
		}
	default:
		data := os.Getenv("XDG_DATA_HOME")
		if data == "" && own {
			data = filepath.Join(home, ".local", "share")
		}
		if data != "" {
			roots = append(roots, filepath.Join(data, "teeworlds"), filepath.Join(data, "ddnet"))
		}
		if own {
			roots = append(roots, filepath.Join(home, ".teeworlds"))
		}
		for _, share := range []string{"/usr/local/share", "/usr/share", "/usr/share/games", "/usr/local/share/games"} {
			roots = append(roots, filepath.Join(share, "teeworlds", "data"), filepath.Join(share, "ddnet", "data"))
		}
	}
	for _, root := range roots {
		for _, name := range []string{"maps", "downloadedmaps"} {
			dir := filepath.Join(root, name)
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				found = append(found, dir)
			}
		}
	}
	return found
}
