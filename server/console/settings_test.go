package console

import (
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// variables.txt is the table of variables of the released server. What we changed
// on purpose is listed here.
func TestSettingsAsReleased(t *testing.T) {
	changed := map[string]string{
		"sv_player_slots": "sv_player_slots 8 0 64",
		"sv_register":     `sv_register "0" 64`,    // what asks strangers is not on by itself
		"sv_map":          `sv_map "teeyard1" 128`, // dm1 is not ours to ship
	}
	secret := map[string]bool{"sv_register_community_token": true, "sv_register_extra": true}
	ours := map[string]bool{"sv_max_clients_per_network": true, "sv_vanilla_antispoof": true, "sv_van_conn_per_second": true, "sv_register_port": true,
		"sv_register_url": true, "sv_register_udp": true, "sv_register_community_token": true, "sv_register_extra": true,
		"sv_replay": true, "sv_replay_max_size": true, "sv_replay_max_files": true,
		"sv_bots": true, "sv_bot_skill": true, "sv_maps_base_url": true,
		"sv_hl": true, "sv_hl_legacy_queries": true, "sv_hl_master": true, "sv_hl_rcon": true, "sv_hl_rcon_allow": true,
		"sv_hl_rcon_bantime": true, "sv_hl_rcon_exempt": true, "sv_hl_rcon_failures": true}

	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	var s Settings
	if err := s.Register(c); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/variables.txt")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			table[strings.Fields(line)[0]] = line
		}
	}
	for name, line := range changed {
		table[name] = line
	}
	pointers := map[any]string{}
	for _, e := range c.sorted {
		var got string
		var at any
		switch v := e.variable.(type) {
		case *IntVar:
			got, at = fmt.Sprintf("%s %d %d %d", v.Name, v.Default, v.Min, v.Max), v.Value
		case *StringVar:
			got, at = fmt.Sprintf("%s %s %d", v.Name, strconv.Quote(v.Default), v.Size), v.Value
		default:
			continue
		}
		if e.cmd.Help == "" || len(e.cmd.Help) > 95 {
			t.Errorf("%s: help of %d bytes", e.cmd.Name, len(e.cmd.Help))
		}
		if e.cmd.Flags&Hidden == 0 {
			if other, ok := pointers[at]; ok {
				t.Errorf("%s and %s share a value", e.cmd.Name, other)
			}
			pointers[at] = e.cmd.Name
		}
		if strings.HasPrefix(e.cmd.Name, "ec_") != (e.cmd.Flags&Econ != 0) || (secret[e.cmd.Name] || strings.Contains(e.cmd.Name, "password")) != (e.cmd.Flags&Secret != 0) {
			t.Errorf("%s has flags %b", e.cmd.Name, e.cmd.Flags)
		}
		if ours[e.cmd.Name] {
			continue
		}
		if got != table[e.cmd.Name] {
			t.Errorf("have %q, want %q", got, table[e.cmd.Name])
		}
		delete(table, e.cmd.Name)
	}
	for _, line := range table {
		t.Errorf("missing: %s", line)
	}
	if n := reflect.TypeFor[Settings]().NumField(); n != len(pointers) {
		t.Errorf("%d fields, %d variables", n, len(pointers))
	}
}
