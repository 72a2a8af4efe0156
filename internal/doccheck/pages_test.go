package doccheck

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

// readPages reads the Markdown pages of the module.
func readPages(t *testing.T) map[string]*Page {
	pages, err := ReadPages(root)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*Page{}
	for _, p := range pages {
		byName[p.Name] = p
	}
	if byName["README.md"] == nil || len(pages) < 15 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	return byName
}

// TestLinks checks that the files and headings exist that links and pictures name. Links to other
// sites are not followed.
func TestLinks(t *testing.T) {
	pages := readPages(t)
	links := 0
	for _, p := range pages {
		for _, l := range p.Links {
			links++
			if fault := linkFault(pages, p, l.Target); fault != "" {
				t.Errorf("%s:%d: link to %s: %s", p.Name, l.Line, l.Target, fault)
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

// TestPictures checks that each picture in docs/images is on a page, and that the check of links
// notices a picture that is missing.
func TestPictures(t *testing.T) {
	pages := readPages(t)
	shown := map[string]bool{}
	for _, p := range pages {
		for _, l := range p.Links {
			shown[path.Join(path.Dir(p.Name), l.Target)] = true
		}
	}
	files, err := os.ReadDir(filepath.Join(root, "docs/images"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d pictures, %v", len(files), err)
	}
	for _, f := range files {
		if name := "docs/images/" + f.Name(); !shown[name] {
			t.Errorf("no page shows %s", name)
		}
	}
	missing := ParsePage(File{Name: "docs/play/x.md", Text: "![A match](../images/nothing.webp)\n"})
	if len(missing.Links) != 1 || linkFault(pages, missing, missing.Links[0].Target) != "there is no such file" {
		t.Errorf("a missing picture is not noticed: %v", missing.Links)
	}
}

// linkFault returns the fault of a link's target, or "".
func linkFault(pages map[string]*Page, from *Page, target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" || u.Host != "" {
		if u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto" {
			return ""
		}
		return "the scheme is unknown"
	}
	name := from.Name
	if u.Path != "" {
		name = path.Join(path.Dir(from.Name), u.Path)
	}
	if strings.HasPrefix(u.Path, "/") || strings.HasPrefix(name, "../") {
		return "it leaves the repository"
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
		return "there is no such file"
	}
	if u.Fragment == "" {
		return ""
	}
	p := pages[name]
	switch {
	case p == nil && strings.HasSuffix(name, ".md"):
		return "the page is not read"
	case p != nil && !p.Anchors[u.Fragment]:
		return "the page has no such heading"
	}
	return ""
}

// TestIndex checks that docs/README.md links to every page below docs.
func TestIndex(t *testing.T) {
	pages := readPages(t)
	index := pages["docs/README.md"]
	linked := map[string]bool{index.Name: true}
	for _, l := range index.Links {
		linked[path.Join("docs", l.Target)] = true
	}
	for name := range pages {
		if strings.HasPrefix(name, "docs/") && !linked[name] {
			t.Errorf("%s: no link to %s", index.Name, name)
		}
	}
}

// TestPageLength checks that a page of docs has at most 1,500 words, without tables and code.
// Reference pages may be longer; the first pages of operators and modders must be shorter.
func TestPageLength(t *testing.T) {
	shorter := map[string]int{"docs/operate/quickstart.md": 400, "docs/mod/ten-minutes.md": 1200}
	for name, p := range readPages(t) {
		if !strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "docs/reference/") || strings.Contains(p.Text, "Code generated") {
			continue
		}
		words := len(strings.Fields(p.Text))
		for _, b := range p.Blocks {
			words -= len(strings.Fields(b.Text()))
		}
		for _, line := range p.Lines() {
			if strings.HasPrefix(line, "|") {
				words -= len(strings.Fields(line))
			}
		}
		limit := 1500
		if most, ok := shorter[name]; ok {
			limit = most
		}
		if words > limit {
			t.Errorf("%s has %d words; the limit is %d", name, words, limit)
		}
	}
}

var pageName = regexp.MustCompile(`\bdocs/[a-zA-Z0-9_./-]+\.(?:md|png|webp|json)\b`)

// TestPagesExist checks the names of pages in code, scripts and configurations.
func TestPagesExist(t *testing.T) {
	files, err := ReadTree(root, "", ".go", ".js", ".mjs", ".html", ".css", ".lua", ".md", ".conf", ".yaml", ".service", ".vcl", ".cfg")
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, f := range files {
		if f.Name == "internal/doccheck/pages_test.go" {
			continue
		}
		for i, line := range f.Lines() {
			for _, name := range pageName.FindAllString(line, -1) {
				names++
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
					t.Errorf("%s:%d: there is no %s", f.Name, i+1, name)
				}
			}
		}
	}
	if names < 20 {
		t.Errorf("only %d names of pages were found", names)
	}
}

// TestShellExamples checks the shell examples of all pages: bash can parse them, and the tests,
// packages and scripts that they name exist.
func TestShellExamples(t *testing.T) {
	blocks, commands := 0, 0
	for _, p := range readPages(t) {
		if p.Name == "CHANGELOG.md" {
			continue // names what there was
		}
		check := func(what string, line int, text string) {
			for _, c := range Commands(line, text) {
				commands++
				for _, fault := range commandFaults(c) {
					t.Errorf("%s:%d: %s: %s", p.Name, c.Line, what, fault)
				}
			}
		}
		for _, b := range p.Blocks {
			if !b.Shell() {
				continue
			}
			blocks++
			if err := parseBash(b.Text()); err != nil {
				t.Errorf("%s:%d: %v", p.Name, b.Line, err)
			}
			check("example", b.Line, b.Text())
		}
		for _, s := range p.Spans {
			check("`"+s.Text+"`", s.Line, s.Text)
		}
	}
	if blocks < 20 || commands < 50 {
		t.Errorf("only %d shell examples with %d commands were found", blocks, commands)
	}
}

var bash = sync.OnceValue(func() string {
	name, _ := exec.LookPath("bash")
	return name
})

// parseBash returns an error if bash cannot parse a script. Machines without bash accept all.
func parseBash(script string) error {
	if bash() == "" {
		return nil
	}
	cmd := exec.Command(bash(), "-n")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		return fmt.Errorf("bash -n: %v: %s", err, out)
	}
	return nil
}

var (
	ownPath    = regexp.MustCompile(`^(?:\./)?(?:scripts|\.ci|deploy|cmd|internal|examples)(?:/[\w.-]+)*/?$`)
	ownPackage = regexp.MustCompile(`^\./[\w./-]*$`)
)

// commandFaults returns the faults of a command: paths and tests of the module that do not exist.
func commandFaults(c Command) []string {
	words := c.program()
	if len(words) == 0 {
		return nil
	}
	var faults []string
	if words[0] == "go" && len(words) > 1 {
		switch words[1] {
		case "test":
			return testFaults(words[2:])
		case "run", "build", "vet", "install":
			for _, w := range words[2:] {
				if ownPackage.MatchString(w) && len(packageDirs(w)) == 0 {
					faults = append(faults, "there is no package "+w)
				}
				if words[1] == "run" && !strings.HasPrefix(w, "-") {
					break // the rest are arguments
				}
			}
			return faults
		}
	}
	isScript := strings.HasPrefix(strings.TrimPrefix(words[0], "./"), "scripts/")
	if !isScript && !slices.Contains(shellPrograms, words[0]) {
		return nil
	}
	for _, w := range words {
		if ownPath.MatchString(w) {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(w))); err != nil {
				faults = append(faults, "there is no "+w)
			}
		}
	}
	return faults
}

// packageDirs returns the folders of the packages that a pattern such as ./server or ./game/...
// names.
func packageDirs(pattern string) []string {
	dir, below := strings.CutSuffix(pattern, "/...")
	dir = filepath.Join(root, filepath.FromSlash(dir))
	if !below {
		if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(files) == 0 {
			return nil
		}
		return []string{dir}
	}
	var dirs []string
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	return dirs
}

// valued are the flags of go test, in examples, that take a value.
var valued = []string{
	"run", "bench", "fuzz", "skip", "benchtime", "fuzztime", "count", "timeout", "cpu", "parallel", "cpuprofile", "memprofile",
	"tags", "o", "seed", "places", "coverprofile", "exec",
}

// testFaults returns the faults in arguments of go test: packages and tests that do not exist.
func testFaults(args []string) []string {
	var faults []string
	patterns := map[string]string{} // by the kind of functions
	var dirs []string
	elsewhere := false // packages of other modules
	for i := 0; i < len(args); i++ {
		name, isFlag := strings.CutPrefix(args[i], "-")
		if isFlag {
			name, value, hasValue := strings.Cut(name, "=")
			if !hasValue && slices.Contains(valued, name) && i+1 < len(args) {
				i++
				value = args[i]
			}
			switch name {
			case "run":
				patterns["Test|Fuzz|Example"] = value
			case "bench":
				patterns["Benchmark"] = value
			case "fuzz":
				patterns["Fuzz"] = value
			}
			continue
		}
		switch {
		case ownPackage.MatchString(args[i]):
			found := packageDirs(args[i])
			if len(found) == 0 {
				faults = append(faults, "there is no package "+args[i])
			}
			dirs = append(dirs, found...)
		case args[i] == ".":
			elsewhere = true
		case strings.Contains(args[i], "/"):
			faults = append(faults, args[i]+" is not a package of this module")
		}
	}
	if elsewhere || len(dirs) == 0 {
		return faults
	}
	for kind, pattern := range patterns {
		for _, alternative := range strings.Split(firstElement(pattern), "|") {
			if slices.Contains([]string{"", ".", "^$", "xxx", "none"}, strings.ToLower(alternative)) {
				continue
			}
			re, err := regexp.Compile(strings.Trim(alternative, "()"))
			if err != nil {
				faults = append(faults, err.Error())
				continue
			}
			if !slices.ContainsFunc(dirs, func(dir string) bool { return slices.ContainsFunc(functions(dir, kind), re.MatchString) }) {
				faults = append(faults, fmt.Sprintf("no function %s has a name with %s in these packages", kind, alternative))
			}
		}
	}
	return faults
}

// firstElement returns the part of a pattern for tests that is not about subtests.
func firstElement(pattern string) string {
	first, _, _ := strings.Cut(pattern, "/")
	return first
}

// functions returns the test functions of a folder whose names begin with a kind.
func functions(dir, kind string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	declared := regexp.MustCompile(`(?m)^func ((?:` + kind + `)\w*)\(`)
	var names []string
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, m := range declared.FindAllSubmatch(content, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}

// TestParsePage checks the parts of a page.
func TestParsePage(t *testing.T) {
	p := ParsePage(File{"a.md", "# A *first* `page`: it's 0.7\n\n[one](b.md#x) and [two\nlines](c.md), `[not](d.md)`, ![p](e.png \"title\")\n\n" +
		"    indented\n\n    more\n\n```sh\nfenced [no](link.md)\n```\n\n1. item\n\n       in a list\n\n   [text](f.md) in it\n\n" +
		"<img src=\"g.png\"> <a id=\"here\"></a>\n\n## Again\n## Again\n\n| `a\\|b` | [b](h.md) |\n\n[ref]: i.md\n"})
	var anchors []string
	for a := range p.Anchors {
		anchors = append(anchors, a)
	}
	slices.Sort(anchors)
	if diff := cmp.Diff([]string{"a-first-page-its-07", "again", "again-1", "here"}, anchors); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Link{{3, "b.md#x"}, {4, "c.md"}, {4, "e.png"}, {18, "f.md"}, {20, "g.png"}, {25, "h.md"}, {27, "i.md"}}, p.Links); diff != "" {
		t.Error(diff)
	}
	want := []Block{{6, "", []string{"indented", "", "more"}}, {11, "sh", []string{"fenced [no](link.md)"}}, {16, "", []string{"in a list"}}}
	if diff := cmp.Diff(want, p.Blocks); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Span{{1, "page"}, {4, "[not](d.md)"}, {25, "a|b"}}, p.Spans); diff != "" {
		t.Error(diff)
	}
}

// TestLinkFault checks targets that exist and targets that do not.
func TestLinkFault(t *testing.T) {
	from := ParsePage(File{"docs/a.md", "# Title\n"})
	pages := map[string]*Page{"docs/a.md": from, "README.md": ParsePage(File{"README.md", "# Read me\n"})}
	for target, want := range map[string]string{
		"https://example.org/x": "", "../README.md": "", "../README.md#read-me": "", "../internal": "",
		"gone.md": "no such file", "../README.md#gone": "no such heading", "../../x": "leaves", "/README.md": "leaves", "ftp:x": "scheme",
	} {
		if got := linkFault(pages, from, target); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

// TestCommands checks how a shell example is split.
func TestCommands(t *testing.T) {
	text := "# a comment\nA=1 go test ./x -run 'A|B' # more\necho \"x $(cat y; z)\" | teeyard join a --json >out 2>&1 &\n" +
		"for p in 1 2; do teeyard serve \"sv_port $p; sv_name x\"; done\nsudo -u www ./teeyard \\\n  query a#b\ncat <<'EOF' >f\nteeyard not this\nEOF\ntrue\n"
	want := []Command{
		{2, []string{"A=1", "go", "test", "./x", "-run", "A|B"}},
		{3, []string{"echo", "x $(cat y; z)"}}, {3, []string{"teeyard", "join", "a", "--json"}},
		{4, []string{"for", "p", "in", "1", "2"}}, {4, []string{"do", "teeyard", "serve", "sv_port $p; sv_name x"}}, {4, []string{"done"}},
		{5, []string{"sudo", "-u", "www", "./teeyard", "query", "a#b"}},
		{7, []string{"cat"}}, {10, []string{"true"}},
	}
	got := Commands(1, text)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var runs []string
	for _, c := range got {
		if _, args, ok := c.Teeyard(); ok {
			runs = append(runs, strings.Join(args, " "))
		}
	}
	if diff := cmp.Diff([]string{"join a --json", "serve sv_port $p; sv_name x", "query a#b"}, runs); diff != "" {
		t.Error(diff)
	}
	if program, args, ok := (Command{1, []string{"go", "run", "./cmd/teeyard", "serve"}}).Teeyard(); !ok || program != "teeyard" || len(args) != 1 {
		t.Errorf("go run: %q", args)
	}
}

// TestCommandFaults checks commands that are right and commands that are not.
func TestCommandFaults(t *testing.T) {
	for text, want := range map[string]string{
		"go test ./internal/doccheck -run 'TestLinks|TestStyle' -v":  "",
		"go test ./internal/doccheck -run TestLinks/x":               "",
		"go test ./internal/... -run '^$' -bench .":                  "",
		"go test ./internal/doccheck -run 'TestLinks|TestGone'":      "TestGone",
		"go test ./internal/doccheck -run TestLinks -bench 'Gone'":   "Gone",
		"TEEYARD_X=1 go test ./internal/gone":                        "no package",
		"go run ./cmd/teeyard serve ./gone":                          "",
		"go run ./cmd/gone serve":                                    "no package",
		"scripts/check":                                              "",
		"scripts/gone":                                               "no scripts/gone",
		"bash .ci/run":                                               "",
		"docker build -f deploy/Gone .":                              "no deploy/Gone",
		"docker build -f deploy/Dockerfile -t teeyard .":             "",
		"go test -run TestX . # in a module of the reader's own":     "",
		"go test github.com/teeyard/teeyard/server -run TestMissing": "not a package",
	} {
		var faults []string
		for _, c := range Commands(1, text) {
			faults = append(faults, commandFaults(c)...)
		}
		if got := strings.Join(faults, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if bash() != "" && (parseBash("echo \"x") == nil || parseBash("echo x") != nil) {
		t.Error("bash -n does not tell scripts apart")
	}
}
