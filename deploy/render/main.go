// Command render prints as JSON what kubectl and docker compose make of the files in deploy. It
// fails if the files are not valid.
//
//	render kustomize FOLDER    an array of the resources
//	render compose FILE        the project
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%q: want kustomize FOLDER or compose FILE", args)
	}
	var result any
	var err error
	switch args[0] {
	case "kustomize":
		result, err = kustomize(args[1])
	case "compose":
		result, err = compose(args[1])
	default:
		err = fmt.Errorf("%q: want kustomize or compose", args[0])
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// kustomize returns the resources of a folder.
func kustomize(dir string) ([]map[string]any, error) {
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	for _, r := range rendered.Resources() {
		fields, err := r.Map()
		if err != nil {
			return nil, err
		}
		all = append(all, fields)
	}
	return all, nil
}

// compose returns the project of a file, without variables of the environment.
func compose(file string) (any, error) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithWorkingDirectory(filepath.Dir(file)), cli.WithName("teeyard"))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}
