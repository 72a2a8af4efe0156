package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/mods/fng"
	"github.com/teeyard/teeyard/mods/foot"
	"github.com/teeyard/teeyard/mods/infection"
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
	{Name: ddraceName, New: ddrace.New},
	{Name: "ddnet", New: ddrace.New}, // what later DDNets call it
	{Name: "gores", New: ddrace.New}, // the same game on other kinds of maps, which servers
	{Name: "block", New: ddrace.New}, // of DDNet call DDraceNetwork as well
	{Name: "infection", New: infection.New},
}

// ddraceName is the name of DDRace in sv_gametype.
const ddraceName = "ddrace"

// chooseMode returns the game type of maps that no original game type is for.
func chooseMode(t *game.Terrain) (name, reason string) {
	if reason = ddrace.Needs(t); reason != "" {
		name = ddraceName
	}
	return name, reason
}

// modFinder finds modes and mods by their names in sv_gametype and sv_mods: mods of the program, and
// scripts in the folder mods.
type modFinder struct {
	own   map[string]func() game.Mod
	files fs.FS
	mu    sync.Mutex
	cache scriptCache
	read  map[string]string // the source of each script that was right when it was read last
}

// modName matches the names of scripts.
var modName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// isTestName reports whether a file in the folder mods has tests, and is no mod.
func isTestName(name string) bool { return strings.HasSuffix(name, script.TestSuffix) }

// findMod returns what makes a mod that sv_mods names.
func (f *modFinder) findMod(name string) (func() game.Mod, error) {
	if newMod, ok := f.own[name]; ok {
		return newMod, nil
	}
	if !modName.MatchString(name) {
		return nil, errors.New("names of mods have letters, digits, _ and - only")
	}
	if isTestName(name) {
		return nil, fmt.Errorf("names that end with %s are those of tests, which teeyard mod test runs", script.TestSuffix)
	}
	newMod, err := findScript[game.Mod](f, name, f.newScriptMod)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is neither a mod of this name nor a file %s", scriptPath(name))
	}
	return newMod, err
}

// findMode returns what makes a mode that sv_gametype names.
func (f *modFinder) findMode(name string) (func() game.Mode, error) {
	if !modName.MatchString(name) || isTestName(name) {
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

// findScript returns what makes a mode or mod of a script, which is read, and checked if it is
// not the one before.
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
			panic(err) // it was right before
		}
		return m
	}, nil
}

// scriptCache keeps what the last scripts were compiled to.
type scriptCache struct {
	mu   sync.Mutex
	keys []string // the last one at the end
	kept map[string]*script.Compiled
}

// maxCompiled is the number of scripts in a cache: those of a server and some before a reload.
const maxCompiled = 16

// Load is that of [script.Cache].
func (c *scriptCache) Load(key string) *script.Compiled {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[key]
}

// Store is that of [script.Cache].
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
