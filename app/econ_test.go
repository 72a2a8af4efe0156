package app

import (
	"bufio"
	"errors"
	"net"
	"strings"
	"testing"
)

// fakeEcon is an external console that ends its lines as teeworlds-server does, with two line ends
// and a NUL. It knows echo. It closes the connection after the greeting if answer is nil, and when
// answer returns "".
func fakeEcon(t *testing.T, greeting string, answer func(line string) string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		conn.Write([]byte(greeting))
		for in := bufio.NewScanner(conn); answer != nil && in.Scan(); {
			out := answer(in.Text())
			if text, ok := strings.CutPrefix(in.Text(), "echo "); ok {
				out = "[12:00:02][server]: cid=0 cmd='echo " + text + "'\n[12:00:02][Console]: " + text + "\n"
			}
			if out == "" {
				return
			}
			conn.Write([]byte(strings.ReplaceAll(out, "\n", "\n\x00\x00")))
		}
	}()
	return l.Addr().String()
}

func TestEconConsole(t *testing.T) {
	const asks = "Enter password:\n\x00\x00"
	addr := fakeEcon(t, asks, func(line string) string {
		switch line {
		case "s3cret":
			return "Authentication successful. External console access granted.\n[12:00:00][server]: somebody came\n"
		case "status":
			return "[12:00:01][server]: cid=0 cmd='status'\r\n[12:00:01][server]: id=0 name='a\x1b[31mb'\n"
		}
		return "" // for example "shutdown"
	})
	r, err := openEcon(t.Context(), addr, "s3cret")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if out, err := r.Run(t.Context(), "status"); err != nil ||
		!strings.HasSuffix(out, "[12:00:01][server]: cid=0 cmd='status'\n[12:00:01][server]: id=0 name='a [31mb'\n") {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := r.Run(t.Context(), "a\nb"); err == nil {
		t.Error("two lines are run as one")
	}
	if _, err := r.Run(t.Context(), "shutdown"); !errors.Is(err, errShutdown) {
		t.Errorf("at the end: %v", err)
	}

	// Refusals with and without a reason.
	for _, c := range []struct{ greeting, answer, want string }{
		{asks, "Wrong password 1/3.\n", "wrong password"},
		{"You have been banned for 5 minutes (x)", "", "You have been banned for 5 minutes (x)"},
		{"no free slot available\n\x00\x00", "", "no free slot available"},
		{asks, "", "closed the connection"},
	} {
		answer := func(string) string { return c.answer }
		if c.greeting != asks {
			answer = nil
		}
		_, err := openEcon(t.Context(), fakeEcon(t, c.greeting, answer), "guess")
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "guess") {
			t.Errorf("%q: %v", c.greeting, err)
		}
	}
	if _, err := openEcon(t.Context(), "localhost", "x"); err == nil || !strings.Contains(err.Error(), "ec_port") {
		t.Errorf("without a port: %v", err)
	}
}

// TestEconOutputEnds checks that the command sent after a line marks the end of its output and is
// not part of it. The server logs continuously, so silence cannot mark the end.
func TestEconOutputEnds(t *testing.T) {
	echoed := false
	addr := fakeEcon(t, "Enter password:\n", func(line string) string {
		switch {
		case line == "status":
			return "[12:00:01][server]: cid=0 cmd='status'\n"
		case strings.HasPrefix(line, "echo "):
			echoed = true
			return ""
		}
		return "Authentication successful.\n[12:00:00][econ]: cid=0 authed\n"
	})
	r, err := openEcon(t.Context(), addr, "s3cret")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 2 {
		if out, err := r.Run(t.Context(), "status"); err != nil || out != "[12:00:01][server]: cid=0 cmd='status'\n" || !echoed {
			t.Errorf("%q, %v", out, err)
		}
	}
}

// TestEndlessEcon checks that a console that never stops sending does not block the client.
func TestEndlessEcon(t *testing.T) {
	addr := fakeEcon(t, "Enter password:\n", func(line string) string {
		if line != "status" {
			return "Authentication successful.\n"
		}
		return strings.Repeat(strings.Repeat("output ", 100)+"\n", 6_000)
	})
	r, err := openEcon(t.Context(), addr, "s3cret")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out, err := r.Run(t.Context(), "status")
	if err != nil || len(out) < maxEconOutput || len(out) > 2*maxEconOutput {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}
