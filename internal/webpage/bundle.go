package webpage

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
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

// bundler makes one module of many. It understands the modules of this project: they import names
// in braces, export functions, classes and constants where they declare them, import each other in
// no circle, and wait for nothing while they are loaded.
type bundler struct {
	site   Site
	folder string         // of the bundle
	number map[string]int // of the modules in the list, from 1; 0 for those that are being read
	list   []*module      // each after those that it imports
}

// bundle returns the modules that the entry imports, and the entry itself, as a module in a folder.
// Each becomes a function that returns its exports.
func bundle(site Site, entry, folder string) ([]byte, error) {
	b := bundler{site: site, folder: folder, number: make(map[string]int)}
	if err := b.add(entry); err != nil {
		return nil, err
	}
	short := shortNames(b.list)
	var out []byte
	for _, m := range b.list {
		out = b.append(out, m, short)
	}
	return out, nil
}

// module is a module whose imports and exports are removed.
type module struct {
	name    string
	tokens  []token
	imports []imported
	exports []string
}

// imported is an import of names from a module.
type imported struct {
	from  string
	names [][2]string // in the other module, and here
}

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
	m := &module{name: name}
	if m.tokens, err = scan(string(script)); err == nil {
		err = m.parse(b.path(name))
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrBundle, name, err)
	}
	for _, i := range m.imports {
		if err := b.add(i.from); err != nil {
			return err
		}
	}
	b.list = append(b.list, m)
	b.number[name] = len(b.list)
	return nil
}

// path returns the path of a module from the folder of the bundle.
func (b *bundler) path(name string) string {
	return strings.Repeat("../", strings.Count(b.folder, "/")+1) + name
}

// append appends a module with shorter names.
func (b *bundler) append(out []byte, m *module, short map[string]string) []byte {
	shorter := func(name string) string { return cmp.Or(short[name], name) }
	out = fmt.Appendf(out, "const $%d=(()=>{", b.number[m.name])
	for _, i := range m.imports {
		var names []string
		for _, n := range i.names {
			there, here := shorter(n[0]), shorter(n[1])
			if there != here {
				there += ":" + here
			}
			names = append(names, there)
		}
		out = fmt.Appendf(out, "const{%s}=$%d;", strings.Join(names, ","), b.number[i.from])
	}
	for i, t := range m.tokens {
		if t.kind == word {
			m.tokens[i].text = shorter(t.text)
		}
	}
	exports := make([]string, len(m.exports))
	for i, name := range m.exports {
		exports[i] = shorter(name)
	}
	return fmt.Appendf(appendTokens(out, m.tokens), "\nreturn{%s}})();\n", strings.Join(exports, ","))
}

// reserved matches the names of modules in a bundle.
var reserved = regexp.MustCompile(`^\$[0-9]+$`)

// parse takes imports and exports out of the tokens. url is the path of the module from the bundle.
func (m *module) parse(url string) error {
	var kept []token
	depth := 0
	for at := 0; at < len(m.tokens); at++ {
		t, rest := m.tokens[at], m.tokens[at:]
		isKeyword := t.kind == word && !lastIs(kept, ".")
		switch {
		case t.kind == quoted && t.text[0] == '`' && strings.Contains(t.text, "import.meta"):
			return errors.New("import.meta in a template")
		case t.kind == word && reserved.MatchString(t.text):
			return fmt.Errorf("the name %s, which bundles need", t.text)
		case t.kind == sign && strings.Contains("([{", t.text):
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			depth--
		case isKeyword && t.text == "import" && texts(rest, 5) == "import.meta.url":
			t.text = "new URL('" + url + "',import.meta.url).href"
			at += 4
		case isKeyword && t.text == "import" && depth == 0:
			n, err := m.parseImport(rest)
			if err != nil {
				return err
			}
			at += n - 1
			continue
		case isKeyword && t.text == "export" && depth == 0:
			if err := m.parseExport(rest); err != nil {
				return err
			}
			rest[1].lined = true
			continue
		case isKeyword && (t.text == "import" || t.text == "await" && depth == 0):
			return fmt.Errorf("%s ... is not supported here", texts(rest, 6))
		}
		kept = append(kept, t)
	}
	m.tokens = kept
	return nil
}

// texts returns the texts of the first n tokens.
func texts(tokens []token, n int) string {
	var s strings.Builder
	for _, t := range tokens[:min(n, len(tokens))] {
		s.WriteString(t.text)
	}
	return s.String()
}

// parseImport notes an import, and returns the number of its tokens.
func (m *module) parseImport(tokens []token) (n int, err error) {
	end := slices.IndexFunc(tokens, func(t token) bool { return t.text == ";" })
	if end < 5 || tokens[1].text != "{" || tokens[end-3].text != "}" || tokens[end-2].text != "from" || tokens[end-1].kind != quoted {
		return 0, fmt.Errorf("%s ... is not import { names } from 'module';", texts(tokens, 6))
	}
	from := strings.Trim(tokens[end-1].text, `'"`)
	if !strings.HasPrefix(from, "./") && !strings.HasPrefix(from, "../") {
		return 0, fmt.Errorf("the path %q does not begin with ./ or ../", from)
	}
	i := imported{from: path.Join(path.Dir(m.name), from)}
	for names := tokens[2 : end-3]; len(names) > 0; {
		name := names[0].text
		here := name
		used := 1
		if len(names) > 2 && names[1].text == "as" {
			here, used = names[2].text, 3
		}
		if names = names[used:]; len(names) > 0 {
			if names[0].text != "," {
				return 0, fmt.Errorf("%q follows the name %s", names[0].text, name)
			}
			names = names[1:]
		}
		i.names = append(i.names, [2]string{name, here})
	}
	m.imports = append(m.imports, i)
	return end + 1, nil
}

// parseExport notes an export. Its declaration stays.
func (m *module) parseExport(tokens []token) error {
	declared := tokens[1:]
	if len(declared) > 0 && declared[0].text == "async" {
		declared = declared[1:]
	}
	if len(declared) < 3 || declared[1].kind != word || !slices.Contains([]string{"function", "class", "const"}, declared[0].text) {
		return fmt.Errorf("%s ... is not a function, class or constant", texts(tokens, 4))
	}
	m.exports = append(m.exports, declared[1].text)
	if declared[0].text != "const" {
		return nil
	}
	return m.parseMore(declared[2:])
}

// parseMore notes the names that follow the first one of a declaration of constants.
func (m *module) parseMore(tokens []token) error {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.kind != sign:
		case strings.Contains("([{", t.text):
			depth++
		case strings.Contains(")]}", t.text):
			depth--
		case depth == 0 && t.text == ";":
			return nil
		case depth == 0 && t.text == ",":
			if next := tokens[i+1:]; len(next) < 2 || next[0].kind != word || next[1].text != "=" {
				return fmt.Errorf("%s ... is not the name of a constant", texts(next, 3))
			}
			m.exports = append(m.exports, tokens[i+1].text)
		}
	}
	return errors.New("a declaration does not end with ;")
}
