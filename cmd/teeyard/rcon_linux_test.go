package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// openTerminal makes a terminal: what is written to keys is typed there.
func openTerminal(t *testing.T) (keys, tty *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keys.Close() })
	var number, unlock int32
	for request, arg := range map[uintptr]*int32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlock} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, keys.Fd(), request, uintptr(unsafe.Pointer(arg))); e != 0 {
			t.Fatal(e)
		}
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return keys, tty
}

// isEchoing reports whether a terminal shows what is typed.
func isEchoing(t *testing.T, tty *os.File) bool {
	t.Helper()
	var state syscall.Termios
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, tty.Fd(), syscall.TCGETS, uintptr(unsafe.Pointer(&state))); e != 0 {
		t.Fatal(e)
	}
	return state.Lflag&syscall.ECHO != 0
}

// TestInterruptedPassword: Ctrl-C at the question for the password ends the program,
// and what is typed next is seen again.
func TestInterruptedPassword(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	keys, tty := openTerminal(t)
	cmd := exec.Command(self)
	cmd.Args = []string{"teeyard", "rcon", "127.0.0.1:9"}
	cmd.Env = append(os.Environ(), passwordEnv+"=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	var shown strings.Builder
	read := func(until string) {
		t.Helper()
		b := make([]byte, 256)
		for !strings.Contains(shown.String(), until) {
			n, err := keys.Read(b)
			if err != nil {
				t.Fatalf("%v behind %q", err, shown.String())
			}
			shown.Write(b[:n])
		}
	}
	read("password of 127.0.0.1:9: ")
	for isEchoing(t, tty) {
		time.Sleep(time.Millisecond)
	}
	keys.WriteString("\x03")
	select {
	case <-over:
	case <-time.After(20 * time.Second):
		cmd.Process.Kill()
		t.Fatalf("Ctrl-C was ignored: %q", shown.String())
	}
	read("interrupted")
	if !isEchoing(t, tty) {
		t.Error("what is typed next cannot be seen")
	}
}
