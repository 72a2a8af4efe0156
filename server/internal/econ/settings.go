package econ

import "github.com/teeyard/teeyard/server/console"

// Settings holds the variables of the external console.
type Settings struct {
	BindAddr    string // ec_bindaddr
	Port        int    // ec_port
	Password    string // ec_password
	BanTime     int    // ec_bantime, minutes
	AuthTimeout int    // ec_auth_timeout, seconds
	OutputLevel int    // ec_output_level
}

// Register adds the variables and the command logout to the language.
func (c *Console) Register(language *console.Console) error {
	c.language = language
	s := &c.Settings
	const flags = console.Econ | console.Save
	for _, v := range []console.StringVar{
		{Name: "ec_bindaddr", Help: "Address of the external console; only localhost is safe; used when the server starts", Flags: flags,
			Value: &s.BindAddr, Default: "localhost", Size: 128},
		{Name: "ec_password", Help: "External console password", Flags: flags | console.Secret, Value: &s.Password, Size: 32},
	} {
		if err := language.RegisterString(v); err != nil {
			return err
		}
	}
	for _, v := range []console.IntVar{
		{Name: "ec_port", Help: "Port of the external console (0 = off); used when the server starts", Value: &s.Port},
		{Name: "ec_bantime", Help: "Minutes of ban for wrong external console passwords (0 = none)", Value: &s.BanTime, Max: 1440},
		{Name: "ec_auth_timeout", Help: "Seconds until an external console must have authenticated", Value: &s.AuthTimeout, Default: 30, Min: 1, Max: 120},
		{Name: "ec_output_level", Help: "Amount of output in the external console (0 to 2)", Value: &s.OutputLevel, Default: 1, Max: 2},
	} {
		v.Flags = flags
		if err := language.RegisterInt(v); err != nil {
			return err
		}
	}
	if err := language.UsedAtStart("ec_port", "ec_bindaddr"); err != nil {
		return err
	}
	return language.Register(console.Command{Name: "logout", Help: "Logout of the external console", Flags: console.Econ, Run: func(*console.Call) {
		if c.caller != nil {
			c.drop(c.caller, textLogout, true)
		}
	}})
}
