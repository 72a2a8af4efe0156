// Command mutants changes the code of packages in small ways, one at a time, and reports the
// changes that no test notices.
//
//	go run ./internal/mutants [flags] [FOLDER ...]
//
// Each folder (server, bridge and game by default) gives a sample of mutants. A mutant is a
// condition that always or never holds, a statement that is left out, < for <=, + for -, or a
// constant plus one. The sample depends on the seed, and on the function and the text of each
// place. So it stays the same while other code changes.
//
// All mutants are compiled into the test programs at once, and an environment variable turns one of
// them on. A first run records which tests reach which mutants. Then each mutant gets the tests
// that reach it, beginning with its own package's, until one fails. The packages app and
// internal/peers are left out, because their tests start other programs.
//
// A survivor is a mutant that passes all tests. The file survivors.txt lists survivors that change
// nothing a test could see, or nothing worth a test, with the reason; see its head. The command
// fails if more than one in ten of a folder's other mutants survive.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "the sample's `seed`")
	flag.IntVar(&o.number, "n", 100, "mutants of each folder")
	flag.DurationVar(&o.perMutant, "tests", time.Minute, "at most so much test time for each mutant")
	flag.DurationVar(&o.total, "time", time.Hour, "begin no mutant after this time; the rest counts as not run")
	flag.StringVar(&o.only, "only", "", "only the mutant with this `name`, and print what its tests print")
	flag.BoolVar(&o.list, "list", false, "list the sample and stop")
	flag.IntVar(&o.jobs, "p", runtime.NumCPU(), "tests at once")
	flag.Parse()
	if o.folders = flag.Args(); len(o.folders) == 0 {
		o.folders = []string{"server", "bridge", "game"}
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

type options struct {
	seed             uint64
	number, jobs     int
	perMutant, total time.Duration
	folders          []string
	only             string
	list             bool
}

func run(o options) error {
	start := time.Now()
	reasons, err := readReasons(filepath.Join("internal", "mutants", "survivors.txt"))
	if err != nil {
		return err
	}
	pkgs, err := loadPackages(o.folders)
	if err != nil {
		return err
	}
	var sample []*mutant
	for _, folder := range o.folders {
		var all []*mutant
		for _, p := range pkgs {
			if p.folder == folder {
				all = append(all, p.mutants...)
			}
		}
		picked := pick(all, o.seed, o.number)
		fmt.Printf("%s: %d of %d mutants\n", folder, len(picked), len(all))
		sample = append(sample, picked...)
	}
	if o.only != "" {
		sample = only(sample, o.only)
		if len(sample) == 0 {
			return fmt.Errorf("no mutant of the sample is called %s; -list prints their names", o.only)
		}
	}
	for i, m := range sample {
		m.id = i + 1
		if o.list {
			fmt.Println(m)
		}
	}
	if o.list {
		return nil
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir, pkgs, sample)
	if err != nil {
		return err
	}
	programs, err := buildTests(dir, overlay, o.jobs)
	if err != nil {
		return err
	}
	fmt.Printf("%5.0f s  %d test programs are built\n", time.Since(start).Seconds(), len(programs))
	tests, err := findTests(programs, dir, o.jobs)
	if err != nil {
		return err
	}
	fmt.Printf("%5.0f s  the tests have run without mutants\n", time.Since(start).Seconds())
	if o.only != "" {
		return runOne(sample[0], tests, o)
	}
	tryAll(sample, tests, o, start.Add(o.total))
	fmt.Printf("%5.0f s  the mutants have run\n", time.Since(start).Seconds())
	return report(sample, reasons, o.folders)
}
