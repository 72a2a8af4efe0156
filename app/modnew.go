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
	New  modNewCmd  `cmd:"" help:"Make a mod to begin with, and its test."`
	Test modTestCmd `cmd:"" help:"Run the tests of mods in Lua."`
}

type modNewCmd struct {
	Name   string `arg:"" help:"Name of the mod: letters, digits, _ and -."`
	Lua    bool   `help:"Make a script, mods/NAME.lua, and its test instead of a folder with a program in Go and its test."`
	Source string `help:"Folder with the source of Teeyard to build the program with, instead of a release." type:"existingdir"`
}

// Help explains what is made.
func (modNewCmd) Help() string {
	return `Makes the folder NAME with a program that is Teeyard with a mod in Go, and a test of the mod. With --lua
makes the file mods/NAME.lua, which any server that runs in this folder can use, and mods/NAME_test.lua,
which teeyard mod test runs. Files that exist are left alone. docs/mod/guide.md of the project is the guide.

  teeyard mod new --lua hearts
  teeyard mod new hearts`
}

// newModFiles are what mods begin with.
//
//go:embed newmod
var newModFiles embed.FS

// goVersion is the language version of new modules, that of go.mod.
const goVersion = "1.26.0"

// Run makes the files.
func (c *modNewCmd) Run() error {
	if !modName.MatchString(c.Name) {
		return usageErrorf("%q cannot be the name of a mod, which has letters, digits, _ and - only", c.Name)
	}
	if isTestName(c.Name) {
		return usageErrorf("%q cannot be the name of a mod: names that end with %s are those of tests", c.Name, script.TestSuffix)
	}
	if c.Lua {
		path := filepath.Join("mods", c.Name)
		for _, f := range []struct{ path, template string }{{path + ".lua", "mod.lua"}, {path + testSuffix, "mod_test.lua"}} {
			if err := c.write(f.path, c.template(f.template)); err != nil {
				return err
			}
		}
		fmt.Printf("%s.lua is a mod. To test it, and to play it, with bots, and see each change when you save the file:\n\n"+
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
		fmt.Printf("%s is teeyard with a mod, in the module that is here. To test and run it, with bots:\n\n"+
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
	fmt.Printf("%s is teeyard with a mod. To test and run it, with bots:\n\n  cd %[1]s\n%[2]s  go test\n  go run . serve \"sv_bots 3\"\n", c.Name, tidy)
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

// identifier returns the name of a mod as commands and variables can have it.
func identifier(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	return name[:min(len(name), 15)] // of the chat
}

// write writes a file that does not exist yet, and its folder.
func (c *modNewCmd) write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is left as it is; choose another name, or remove it", path)
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
