package app

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/teeyard/teeyard/script"
)

type modCmd struct {
	New  modNewCmd  `cmd:"" help:"Write a first mod and its test."`
	Test modTestCmd `cmd:"" help:"Run the tests of Lua mods."`
}

type modNewCmd struct {
	Name   string `arg:"" help:"Name of the mod: letters, digits, _ and -."`
	Lua    bool   `help:"Write a Lua mod, mods/NAME.lua, instead of a Go program."`
	Source string `help:"Build the Go program with the source of Teeyard in this folder, instead of a release." type:"existingdir"`
}

// Help describes the files.
func (modNewCmd) Help() string {
	return `Writes a Go program into the folder NAME: Teeyard with one mod, and a test of the mod. With --lua it
writes mods/NAME.lua, a mod for every server that runs in this folder, and mods/NAME_test.lua, which
teeyard mod test runs. It never overwrites a file. docs/mod/ten-minutes.md of the project goes on from there.

  teeyard mod new --lua hearts
  teeyard mod new hearts`
}

// newModFiles are the templates of a new mod.
//
//go:embed newmod
var newModFiles embed.FS

// goVersion is the Go version in a new go.mod, the same as in the go.mod of Teeyard.
const goVersion = "1.26.0"

// Run writes the files.
func (c *modNewCmd) Run() error {
	if !isModName(c.Name) {
		return usageErrorf("mod name %q: use letters, digits, _ and - only, at most 64", c.Name)
	}
	if isTestName(c.Name) {
		return usageErrorf("mod name %q: names that end with %s are for tests", c.Name, script.TestSuffix)
	}
	if c.Lua {
		path := filepath.Join("mods", c.Name)
		for _, f := range []struct{ path, template string }{{path + ".lua", "mod.lua"}, {path + testSuffix, "mod_test.lua"}} {
			if err := c.write(f.path, c.template(f.template)); err != nil {
				return err
			}
		}
		fmt.Printf("%s.lua is your mod. Run its test, then play it with three bots. The server reloads the file when you save it:\n\n"+
			"  teeyard mod test %s\n  teeyard serve \"sv_bots 3\" \"sv_mods %[2]s\"\n", path, c.Name)
		return nil
	}
	for _, f := range []string{"main.go", "main_test.go"} {
		if err := c.write(filepath.Join(c.Name, f), c.template(f+".txt")); err != nil {
			return err
		}
	}
	inModule, err := inModule()
	if err != nil {
		return err
	}
	if inModule && c.Source == "" {
		fmt.Printf("%s is teeyard with your mod, in the Go module of this folder. Test it, then play it with three bots:\n\n"+
			"  go test ./%[1]s\n  go run ./%[1]s serve \"sv_bots 3\"\n", c.Name)
		return nil
	}
	if err := c.write(filepath.Join(c.Name, "go.mod"), fmt.Sprintf("module %s\n\ngo %s\n", c.Name, goVersion)); err != nil {
		return err
	}
	tidy := "  go mod tidy\n"
	if c.Source != "" {
		source, err := filepath.Abs(c.Source)
		if err != nil {
			return err
		}
		if err := c.write(filepath.Join(c.Name, "go.work"), fmt.Sprintf("go %s\n\nuse (\n\t.\n\t%q\n)\n", goVersion, filepath.ToSlash(source))); err != nil {
			return err
		}
		tidy = ""
	}
	fmt.Printf("%s is teeyard with your mod. Test it, then play it with three bots:\n\n  cd %[1]s\n%[2]s  go test\n  go run . serve \"sv_bots 3\"\n",
		c.Name, tidy)
	return nil
}

func (c *modNewCmd) template(name string) string {
	b, err := newModFiles.ReadFile("newmod/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	text := strings.ReplaceAll(string(b), `Mod{{Name: "NAME"`, `Mod{{Name: "`+c.Name+`"`)
	return strings.ReplaceAll(text, "NAME", identifier(c.Name))
}

// identifier turns the name of a mod into a valid name of a command or variable.
func identifier(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	return name[:min(len(name), 15)] // the limit of chat commands
}

// write creates a file and its folder. It returns an error if the file exists.
func (c *modNewCmd) write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; choose another name or remove the file", path)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// inModule reports whether the current folder is part of a Go module.
func inModule() (bool, error) {
	dir, err := os.Getwd()
	if err != nil {
		return false, err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false, nil
		}
		dir = parent
	}
}
