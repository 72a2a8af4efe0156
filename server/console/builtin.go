package console

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

func (c *Console) builtins() []Command {
	return []Command{
		{"echo", "r[text]", "Echo the text", Server, func(call *Call) {
			call.Print("Console", "%s", call.Arg(0))
		}},
		{"exec", "r[file]", "Execute the specified file", Server | Lasting, func(call *Call) {
			c.ExecuteFile(call.Arg(0), call.Caller)
		}},
		{"toggle", "s[config-option] i[value1] i[value2]", "Toggle config value", Server, c.toggle},
		{"mod_command", "s[command] ?i[access-level]", "Specify command accessibility for moderators", Server | Lasting, c.modCommand},
		{"mod_status", "", "List all commands which are accessible for moderators", Server, func(call *Call) { c.accessStatus(call, LevelMod) }},
		{"access_level", "s[command] ?i[level]", "Set who may run a command (0 = admins, 1 = also moderators, 2 = also helpers)",
			Server | Lasting, c.accessLevel},
		{"access_status", "i[level]", "List all commands for a level (0 = admins, 1 = moderators, 2 = helpers)", Server, func(call *Call) {
			c.accessStatus(call, Level(call.Int(0)))
		}},
		{"save_config", "?s[file]", "Save config to file", Server | Store, c.saveConfig},
	}
}

// Help is the Run function of a help command. It prints the commands for the caller, the help of
// the command in the first argument, or the settings with that prefix. Hosts register it, because
// the consoles of 0.7.5 and DDNet have no such command.
func (c *Console) Help(call *Call) {
	beginning := strings.ToLower(call.Arg(0))
	if e := c.find(beginning, call.Caller.Flags); e != nil && e.level >= call.Caller.Level {
		call.Print("Console", "%s: %s", strings.TrimRight(e.cmd.Name+" "+e.cmd.Params, " "), e.cmd.Help)
		return
	}
	found := false
	c.printNames(call, func(e *entry) bool {
		listed := e.cmd.Flags&Hidden == 0 && e.level >= call.Caller.Level && strings.HasPrefix(e.cmd.Name, beginning) && (beginning != "" || e.variable == nil)
		found = found || listed
		return listed
	})
	switch {
	case beginning == "":
		call.Print("Console", "help NAME explains a command; help sv_ lists the settings that begin with sv_")
	case !found:
		call.Warn("Console", "No such command: %s.", call.Arg(0))
	}
}

// toggle sets a variable to the second value if it has the first, or else to the first.
func (c *Console) toggle(call *Call) {
	e := c.find(call.Arg(0), call.Caller.Flags)
	if e == nil {
		call.Warn("Console", "No such command: '%s'.", call.Arg(0))
		return
	}
	if _, ok := e.variable.(*intVar); !ok {
		call.Warn("Console", "Invalid command: '%s'.", call.Arg(0))
		return
	}
	x := call.Int(1)
	if parseInt(e.shown()) == x {
		x = call.Int(2)
	}
	c.Execute(fmt.Sprintf("%s %d", e.cmd.Name, x), call.Caller)
}

// modCommand is access_level without helpers.
func (c *Console) modCommand(call *Call) { c.setAccess(call, LevelMod) }

func (c *Console) accessLevel(call *Call) { c.setAccess(call, LevelHelper) }

// setAccess prints which levels, up to last, may run a command. A second argument changes that.
func (c *Console) setAccess(call *Call, last Level) {
	e := c.find(call.Arg(0), Server)
	if e == nil && c.cfg.KeepUnknown && !c.started {
		c.Wait(call) // it may be of a mod
		return
	}
	if e == nil && isOfDDNet(call.Arg(0)) && (c.starting || c.reload != nil) {
		c.ignore(call.Arg(0))
		return
	}
	if e == nil {
		hint := ""
		if names := c.startingWith(call.Arg(0), 5); len(names) > 0 {
			hint = " Commands that begin with it: " + strings.Join(names, ", ") + "."
		}
		call.Warn("Console", "No such command: '%s'.%s", call.Arg(0), hint)
		return
	}
	is := "is"
	before := e.level
	if len(call.Args) == 2 {
		is = "is now"
		e.level = min(max(Level(call.Int(1)), LevelAdmin), last)
	}
	if c.isConfiguration(&call.Caller) && last == LevelHelper && len(call.Args) == 2 {
		c.levelled[e.cmd.Name] = true
	} else {
		for level := LevelMod; level <= last; level++ {
			state := "disabled"
			if e.level >= level {
				state = "enabled"
			}
			call.Print("Console", "%s access for '%s' %s %s", level, call.Arg(0), is, state)
		}
	}
	if e.level != before && c.cfg.AccessChanged != nil {
		c.cfg.AccessChanged(e.describe(), before)
	}
}

// isConfiguration reports whether a caller is the configuration, while it is executed.
func (c *Console) isConfiguration(who *Caller) bool {
	return !who.IsRemote() && who.ID < 0 && (!c.started || c.starting || c.reload != nil)
}

// reportLevelled prints the number of commands whose access level the configuration has set. One
// line is enough: configurations of DDNet set dozens.
func (c *Console) reportLevelled() {
	if n := len(c.levelled); n > 0 {
		c.print(Operator, Standard, "Console", fmt.Sprintf("access_level was set for %d commands; access_status 1 and access_status 2 list them", n))
		clear(c.levelled)
	}
}

// startingWith returns the first commands whose names begin with a text.
func (c *Console) startingWith(text string, most int) (names []string) {
	for _, e := range c.sorted {
		if len(text) < len(e.cmd.Name) && text != "" && strings.HasPrefix(e.cmd.Name, text) && e.cmd.Flags&Hidden == 0 && len(names) < most {
			names = append(names, e.cmd.Name)
		}
	}
	return names
}

// accessStatus prints the names of what a level may run.
func (c *Console) accessStatus(call *Call, level Level) {
	c.printNames(call, func(e *entry) bool { return e.level >= level })
}

// printNames prints names of commands that the caller can run, separated by commas, in lines of
// less than 240 bytes.
func (c *Console) printNames(call *Call, listed func(*entry) bool) {
	const limit = 240
	line := ""
	for _, e := range c.sorted {
		if e.cmd.Flags&call.Caller.Flags == 0 || !listed(e) {
			continue
		}
		if len(line)+len(e.cmd.Name)+2 >= limit {
			call.Print("Console", "%s", line)
			line = ""
		}
		if line != "" {
			line += ", "
		}
		line += e.cmd.Name
	}
	if line != "" {
		call.Print("Console", "%s", line)
	}
}

func (c *Console) saveConfig(call *Call) {
	name := "configs/config_" + c.cfg.Now().Format("2006-01-02_15-04-05") + ".cfg"
	if len(call.Args) > 0 {
		name = "configs/" + strings.TrimSuffix(call.Arg(0), ".cfg") + ".cfg"
	}
	clean, err := CleanPath(name)
	if err == nil && !strings.HasPrefix(clean, "configs/") {
		err = errPath
	}
	if err == nil && c.cfg.WriteFile == nil {
		err = errors.New("the server has no folder to save to")
	}
	if err == nil {
		err = c.cfg.WriteFile(clean, c.AppendConfig(nil))
	}
	switch {
	case errors.Is(err, ErrLater):
		call.Print("config", "saving config to '%s': %v", name, err)
		return
	case err != nil:
		call.Warn("config", "failed to save config to '%s': %v", name, err)
		return
	}
	call.Print("config", "saved config to '%s'", name)
}

// AppendConfig appends a configuration file with all variables of flag Save that differ from their
// defaults.
func (c *Console) AppendConfig(dst []byte) []byte {
	b := bytes.NewBuffer(dst)
	b.WriteString("# Teeyard\n")
	for _, e := range c.sorted {
		if e.variable == nil || e.cmd.Flags&Save == 0 {
			continue
		}
		if line, isDefault := e.variable.configLine(e.cmd.Name); !isDefault || e.saveDefault {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
