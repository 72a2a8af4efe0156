package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/fifo"
	"github.com/teeyard/teeyard/server/logline"
)

// inputFifo is the setting sv_input_fifo, which is DDNet's.
type inputFifo struct{ path string }

func (f *inputFifo) register(c *console.Console) error {
	err := c.RegisterString(
		console.StringVar{
			Name:  "sv_input_fifo",
			Help:  "Named pipe whose lines run as console commands, below the server's folder; used when the server starts",
			Flags: console.Server,
			Value: &f.path,
			Size:  512,
		},
	)
	if err != nil {
		return err
	}
	return c.UsedAtStart("sv_input_fifo")
}

// read runs what processes write to the pipe, until end is called.
func (f *inputFifo) read(ctx context.Context, s *server.Server, dir string, log *slog.Logger) (end func()) {
	if f.path == "" {
		return func() {}
	}
	log = log.With(logline.SystemKey, "fifo")
	path := f.path
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	pipe, err := fifo.Open(path)
	if err != nil {
		log.Warn(fmt.Sprintf("sv_input_fifo: %v", err))
		return func() {}
	}
	log.Info(fmt.Sprintf("lines that are written to %s run as console commands", path))
	pipe.TooLong = func(beginning []byte) {
		log.Warn(fmt.Sprintf("a line is longer than %d bytes and is left out: %.40q...", fifo.MaxLine, beginning))
	}
	operator := server.Operator{Via: "fifo", Level: console.LevelAdmin, Local: true}
	go func() {
		err := pipe.Lines(func(line []byte) {
			done := make(chan struct{})
			if s.Do(ctx, func() { s.RunFor(&operator, string(line), nil, func(string) { close(done) }) }) != nil {
				return // the server ends
			}
			select {
			case <-done:
			case <-ctx.Done():
			}
		})
		if err != nil {
			log.Warn(fmt.Sprintf("sv_input_fifo: %v; no more commands are read from it", err))
		}
	}()
	return func() { pipe.Close() }
}
