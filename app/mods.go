package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/mods/fng"
	"github.com/teeyard/teeyard/mods/foot"
	"github.com/teeyard/teeyard/mods/infection"
	"github.com/teeyard/teeyard/mods/instagib"
	"github.com/teeyard/teeyard/mods/zcatch"
	"github.com/teeyard/teeyard/script"
)

// ownModes are the game types of sv_gametype that package server does not have.
var ownModes = mode.List{
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
	{Name: ddraceName, New: ddrace.New},
	{Name: "ddnet", New: ddrace.New}, // the name in later releases of DDNet
	{Name: "gores", New: ddrace.New}, // the same game on other kinds of maps; DDNet's
	{Name: "block", New: ddrace.New}, // servers call these DDraceNetwork as well
	{Name: "infection", New: infection.New},
}

// ddraceName is the name of DDRace in sv_gametype.
const ddraceName = "ddrace"

// chooseMode returns the game type for a map that no original game type fits.
func chooseMode(t *game.Terrain) (name, reason string) {
	if reason = ddrace.Needs(t); reason != "" {
		name = ddraceName
	}
	return name, reason
}

// modFinder finds modes and mods by their names in sv_gametype and sv_mods: the program's own mods,
// and scripts in the folder mods.
type modFinder struct {
	own   map[string]func() game.Mod
	files fs.FS
	mu    sync.Mutex
	cache scriptCache
	read  map[string]string // the last valid source of each script
}

// isModName reports whether a name of a script is valid.
func isModName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-'
	})
}

// isTestName reports whether a file in the folder mods contains tests and not a mod.
func isTestName(name string) bool { return strings.HasSuffix(name, script.TestSuffix) }

// findMod returns the constructor of the mod that sv_mods names.
func (f *modFinder) findMod(name string) (func() game.Mod, error) {
	if newMod, ok := f.own[name]; ok {
		return newMod, nil
	}
	if !isModName(name) {
		return nil, errors.New("the name of a mod may contain only letters, digits, _ and -")
	}
	if isTestName(name) {
		return nil, fmt.Errorf("files that end with %s are tests; run them with teeyard mod test", script.TestSuffix)
	}
	newMod, err := findScript[game.Mod](f, name, f.newScriptMod)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("neither this program nor the file %s has a mod with this name", scriptPath(name))
	}
	return newMod, err
}

// findMode returns the constructor of the mode that sv_gametype names.
func (f *modFinder) findMode(name string) (func() game.Mode, error) {
	if !isModName(name) || isTestName(name) {
		return nil, fs.ErrNotExist
	}
	return findScript[game.Mode](f, name, f.newScriptMode)
}

func scriptPath(name string) string { return "mods/" + name + ".lua" }

func (f *modFinder) newScriptMod(name, source string) (game.Mod, error) {
	return script.New(script.Config{Name: scriptPath(name), Source: source, Cache: &f.cache})
}

func (f *modFinder) newScriptMode(name, source string) (game.Mode, error) {
	return script.NewMode(script.Config{Name: scriptPath(name), Source: source, Cache: &f.cache})
}

// findScript returns the constructor of a mode or mod that a script implements. It reads the script
// and, if the source has changed, checks it.
func findScript[M any](f *modFinder, name string, newM func(name, source string) (M, error)) (func() M, error) {
	source, err := readScript(f.files, scriptPath(name))
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := fmt.Sprintf("%T %s", newM, name); f.read[known] != source || source == "" {
		if _, err := newM(name, source); err != nil {
			return nil, err
		}
		if f.read == nil {
			f.read = map[string]string{}
		}
		f.read[known] = source
	}
	return func() M {
		m, err := newM(name, source)
		if err != nil {
			panic(err) // unreachable: the same source was valid before
		}
		return m
	}, nil
}

// scriptCache keeps the compiled form of the last scripts.
type scriptCache struct {
	mu   sync.Mutex
	keys []string // oldest first
	kept map[string]*script.Compiled
}

// maxCompiled is the capacity of a cache: a server's scripts and some of earlier reloads.
const maxCompiled = 16

// Load implements [script.Cache].
func (c *scriptCache) Load(key string) *script.Compiled {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[key]
}

// Store implements [script.Cache].
func (c *scriptCache) Store(key string, x *script.Compiled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[string]*script.Compiled{}
	}
	if c.kept[key] == nil {
		c.keys = append(c.keys, key)
	}
	c.kept[key] = x
	if len(c.keys) > maxCompiled {
		delete(c.kept, c.keys[0])
		c.keys = c.keys[1:]
	}
}

// readScript reads a script. It reads at most one byte beyond script.MaxSource, so that the
// compiler rejects a larger file.
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
