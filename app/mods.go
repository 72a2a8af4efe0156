package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"sync"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/mods/fng"
	"github.com/teeyard/teeyard/mods/foot"
	"github.com/teeyard/teeyard/mods/instagib"
	"github.com/teeyard/teeyard/mods/zcatch"
	"github.com/teeyard/teeyard/script"
	"github.com/teeyard/teeyard/server"
)

// ownModes are the modes of sv_gametype that are not the server's.
var ownModes = server.Modes{
	{Name: "idm", New: func() game.Mode { return instagib.NewDM(game.WeaponLaser) }},
	{Name: "itdm", New: func() game.Mode { return instagib.NewTDM(game.WeaponLaser) }},
	{Name: "ictf", New: func() game.Mode { return instagib.NewCTF(game.WeaponLaser) }},
	{Name: "gdm", New: func() game.Mode { return instagib.NewDM(game.WeaponGrenade) }},
	{Name: "gtdm", New: func() game.Mode { return instagib.NewTDM(game.WeaponGrenade) }},
	{Name: "gctf", New: func() game.Mode { return instagib.NewCTF(game.WeaponGrenade) }},
	{Name: "zcatch", New: zcatch.New},
	{Name: "fng", New: func() game.Mode { return fng.New(game.WeaponLaser, true) }},
	{Name: "solofng", New: func() game.Mode { return fng.New(game.WeaponLaser, false) }},
	{Name: "boomfng", New: func() game.Mode { return fng.New(game.WeaponGrenade, true) }},
	{Name: "bolofng", New: func() game.Mode { return fng.New(game.WeaponGrenade, false) }},
	{Name: "foot", New: foot.New},
}

// modFinder finds mods by their names in sv_mods: those of the program, and scripts in the
// folder mods.
type modFinder struct {
	own   map[string]func() game.Mod
	files fs.FS
	mu    sync.Mutex
	read  map[string]scriptFile // the last of each name that was right
}

// modName matches the names of scripts.
var modName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// find returns what makes a mod that sv_mods names.
func (f *modFinder) find(name string) (func() game.Mod, error) {
	if newMod, ok := f.own[name]; ok {
		return newMod, nil
	}
	if !modName.MatchString(name) {
		return nil, errors.New("names of mods have letters, digits, _ and - only")
	}
	path := "mods/" + name + ".lua"
	source, err := readScript(f.files, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is neither a mod of this name nor a file %s", path)
	}
	if err != nil {
		return nil, err
	}
	cfg := script.Config{Name: path, Source: source}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.read[name] != (scriptFile{path, source}) {
		if _, err := script.New(cfg); err != nil {
			return nil, err
		}
		if f.read == nil {
			f.read = map[string]scriptFile{}
		}
		f.read[name] = scriptFile{path, source}
	}
	return func() game.Mod {
		m, err := script.New(cfg)
		if err != nil {
			panic(err) // it was right before
		}
		return m
	}, nil
}

// scriptFile is a script that can be read.
type scriptFile struct{ path, source string }

// readScript reads a file that is not too large for a script.
func readScript(files fs.FS, path string) (string, error) {
	f, err := files.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, script.MaxSource+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return string(b), nil
}
