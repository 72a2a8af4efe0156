package webpage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/js"
)

// Site is the files of pages, in folders by their path below the server's.
type Site map[string]fs.FS

// read returns the content of a file by its path below the server's.
func (s Site) read(name string) ([]byte, error) {
	for folder, files := range s {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			return fs.ReadFile(files, rest)
		}
	}
	return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// ErrBundle means that modules use a part of the language that bundles do not have.
var ErrBundle = errors.New("webpage: cannot bundle")

// bundler makes one module of many. It understands the modules of this project: each import and
// export begins a line, they import names in braces, export functions, classes and constants where
// they declare them, import each other in no circle, and wait for nothing while they are loaded.
type bundler struct {
	site    Site
	folder  string         // of the bundle
	number  map[string]int // of the modules, from 1; 0 for those that are being read
	count   int
	exports map[string][]string // of the modules
	out     bytes.Buffer
}

// bundle returns the modules that the entry imports, and the entry itself, as a module in a folder,
// with short names and without comments. Each becomes a function that returns its exports.
func bundle(site Site, entry, folder string) ([]byte, error) {
	b := bundler{site: site, folder: folder, number: make(map[string]int), exports: make(map[string][]string)}
	if err := b.add(entry); err != nil {
		return nil, err
	}
	var short bytes.Buffer
	if err := new(js.Minifier).Minify(minify.New(), &short, &b.out, nil); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBundle, err)
	}
	if dynamic.Match(short.Bytes()) {
		return nil, fmt.Errorf("%w: a module imports another one while it runs", ErrBundle)
	}
	return short.Bytes(), nil
}

// Patterns of modules. A line in a comment or a text must not begin like them.
var (
	importing = regexp.MustCompile(`(?m)^import \{([^}]*)\} from '(\.[^']*)';.*$`)
	exporting = regexp.MustCompile(`(?m)^export ((?:async function|function|class|const) ([\w$]+)\b)`)
	// refused are other imports and exports, and a wait of the module itself.
	refused = regexp.MustCompile(`(?m)^(?:import|export|await|for await)\b.*|^const [^=(]*= await\b.*`)
	// dynamic is an import in a function, if there are no comments.
	dynamic = regexp.MustCompile(`\bimport\(`)
)

// add adds a module after those that it imports.
func (b *bundler) add(name string) error {
	if n, ok := b.number[name]; ok {
		if n == 0 {
			return fmt.Errorf("%w: %s imports itself, perhaps through others", ErrBundle, name)
		}
		return nil
	}
	b.number[name] = 0
	script, err := b.site.read(name)
	if err != nil {
		return err
	}
	imports, err := b.imports(name, script)
	if err != nil {
		return err
	}
	for _, found := range exporting.FindAllSubmatch(script, -1) {
		b.exports[name] = append(b.exports[name], string(found[2]))
	}
	script = exporting.ReplaceAll(importing.ReplaceAll(script, nil), []byte("$1"))
	if found := refused.Find(script); found != nil {
		return fmt.Errorf("%w: %s: %s ... is not supported here", ErrBundle, name, found)
	}
	url := strings.Repeat("../", strings.Count(b.folder, "/")+1) + name
	script = bytes.ReplaceAll(script, []byte("import.meta.url"), []byte("new URL('"+url+"', import.meta.url).href"))
	b.count++
	b.number[name] = b.count
	fmt.Fprintf(&b.out, "const $module%d = (() => {\n%s%s\nreturn { %s };\n})();\n", b.number[name], imports, script, strings.Join(b.exports[name], ", "))
	return nil
}

// imports adds the modules that a module imports, and returns the declarations of the names.
func (b *bundler) imports(name string, script []byte) (declared string, err error) {
	for _, found := range importing.FindAllSubmatch(script, -1) {
		from := path.Join(path.Dir(name), string(found[2]))
		if err := b.add(from); err != nil {
			return "", err
		}
		var names []string
		for n := range strings.SplitSeq(string(found[1]), ",") {
			there, here, renamed := strings.Cut(strings.TrimSpace(n), " as ")
			switch {
			case there == "": // after the last comma
				continue
			case !slices.Contains(b.exports[from], there):
				return "", fmt.Errorf("%w: %s imports %s, which %s does not export", ErrBundle, name, there, from)
			case renamed:
				there += ": " + here
			}
			names = append(names, there)
		}
		declared += fmt.Sprintf("const { %s } = $module%d;\n", strings.Join(names, ", "), b.number[from])
	}
	return declared, nil
}
