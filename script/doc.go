// Package script runs mods written in Lua. A script is a game.Mod and can do everything that a mod
// in Go can. The world calls the functions of the file that have the names of hooks, such as
// on_death. They use the game through the table game and through objects such as players.
// docs/mod/lua.md is the reference, docs/mod/guide.md the guide.
//
// A script is deterministic. Time and random numbers come from the world, tables have an order, and
// mathematics gives the same numbers on every machine. Everything that lasts is in the table state,
// which is saved, hashed and restored. Steps and memory are limited. A script that exceeds a limit,
// or fails again and again, is switched off, and the match goes on. The package does not use files,
// the network or clocks.
//
// # The runtime
//
// Scripts run on arnodel/golua, because it counts steps and memory. Of the Lua runtimes in Go:
//
//	                        limits                                        speed
//	yuin/gopher-lua 1.1.2   steps through a context; no limit of memory   0.46 us; 28 us
//	Shopify/go-lua (2025)   steps through a hook; no limit of memory      1.7 us; 34 us
//	arnodel/golua 0.2.0     steps and memory                              0.69 us; 32 us
//
// The speeds are for a hook with four fields and for a tick over 64 tables, measured once with a
// temporary benchmark. Shopify/go-lua allocates 26 and 582 times, golua never. Versions of Lua:
// 5.1, 5.2 and 5.5. For today's speed:
//
//	go test ./script -run '^$' -bench .
//
// The library is our own, except string.format and tonumber. The syntax tree is rewritten before it
// is compiled: #, ^, % and .. become calls of ours, and an assignment that could not be saved is an
// error.
//
// # Costs
//
// golua counts its instructions, but not the work of a call. Therefore every function that a script
// can call has a row in a table (costs.go). The call pays for lengths, items and the steps of a
// search, before or during its work. Tests search for functions without a row, and measure 180
// operations at the limit; the longest takes 4.6 ms:
//
//	TEEYARD_FULL=1 go test ./script -run 'TestTimeAtLimit|TestTimeToRead' -v
//
// A script at its limits depends on the table, so the header of a replay log has the version of the
// table, and a changed row needs a new version. Version 1 is for logs from before the table. Work
// that it did not count is bounded, so such a log ends with an error.
//
// # The clock
//
// The server's clock can stop a call that lasts too long, where the script pays, and can switch off
// a script that takes too much time in every tick (stops.go). The stop becomes a command of the
// tick (game.CmdStopHook), with the number of the call and its steps so far. A run of the log has
// no clock, and stops the call at the same step.
package script
