package server

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
)

// TestSettings checks that each field of settings has a variable of its own.
func TestSettings(t *testing.T) {
	c := testenv.Must(console.New(console.Config{}))
	var s settings
	testenv.NoError(t, s.Register(c))
	var names []string
	for e, ok := c.Next("", console.Operator); ok; e, ok = c.Next(e.Name, console.Operator) {
		if allowed, _ := c.Values(e.Name); allowed != "" && !slices.Contains(withoutEffect, e.Name) {
			names = append(names, e.Name)
			c.Execute(e.Name+" 0", console.Operator)
		}
	}
	if n := reflect.TypeFor[settings]().NumField() - 1 + len(s.RulesLines); n != len(names) {
		t.Errorf("%d fields, %d variables: %v", n, len(names), names)
	}
	for _, name := range names {
		before := fmt.Sprint(s)
		if c.Execute(name+" 1", console.Operator); fmt.Sprint(s) == before || c.Value(name) != "1" {
			t.Errorf("%s changes no field of its own", name)
		}
	}
}
