package main

import "testing"

// TestUUID compares with what DDNet's programs use.
func TestUUID(t *testing.T) {
	for name, want := range map[string]string{
		"ping@ddnet.tw":             "bcb43bf5-427c-36d8-b5b8-7975c8c06aa1",
		"character@netobj.ddnet.tw": "76ce455b-f9eb-3a48-add7-e04b941d045c",
	} {
		if got := uuidText(uuid(name)); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
