package doccheck

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Page is a Markdown page.
type Page struct {
	File
	// Anchors are the fragments that links may name. GitHub makes one of each heading. The ids of
	// HTML elements are fragments too.
	Anchors map[string]bool
	// Links are the targets of links and pictures.
	Links []Link
	// Blocks are the code blocks, both fenced and indented.
	Blocks []Block
	// Spans are the pieces of code within text.
	Spans []Span
}

// Link is a link or picture.
type Link struct {
	Line   int // from 1
	Target string
}

// Block is a code block.
type Block struct {
	Line     int    // of its first line of code, from 1
	Language string // "" if indented, or if the fence names none
	Lines    []string
}

// Text returns the lines of the block.
func (b Block) Text() string { return strings.Join(b.Lines, "\n") + "\n" }

// Span is a piece of code within text.
type Span struct {
	Line int // from 1
	Text string
}

var (
	fenceLine      = regexp.MustCompile("^( *)(```+|~~~+) *([^`\\s]*)")
	headingLine    = regexp.MustCompile(`^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$`)
	markerLine     = regexp.MustCompile(`^( *(?:[-*+]|\d+[.)]) +)`)
	definitionLine = regexp.MustCompile(`^ {0,3}\[[^\]]+\]:\s+(\S+)`)
	linkTarget     = regexp.MustCompile(`\]\(<?([^()<>\s]*(?:\([^()]*\)[^()<>\s]*)*)>?(?:\s+"[^"]*")?\)`)
	htmlTarget     = regexp.MustCompile(`\b(?:src|href)="([^"]*)"`)
	htmlAnchor     = regexp.MustCompile(`\b(?:id|name)="([^"]*)"`)
)

// ParsePage finds the parts of a Markdown page that are checked.
func ParsePage(f File) *Page {
	p := &Page{File: f, Anchors: map[string]bool{}}
	lines := f.Lines()
	var text []string // the paragraph so far
	begin := 0
	flush := func() {
		p.inline(begin, strings.Join(text, "\n"))
		text = nil
	}
	content := 0 // where the text of the list item begins, 0 outside of lists
	blank := true
	for i := 0; i < len(lines); i++ {
		line := strings.ReplaceAll(lines[i], "\t", "    ")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if m := fenceLine.FindStringSubmatch(line); m != nil && (len(m[1]) < 4 || content > 0) {
			flush()
			b := Block{Line: i + 2, Language: m[3]}
			for i++; i < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[i]), m[2]); i++ {
				b.Lines = append(b.Lines, strings.TrimPrefix(lines[i], m[1]))
			}
			p.Blocks = append(p.Blocks, b)
			blank = true
			continue
		}
		if strings.TrimSpace(line) == "" {
			flush()
			blank = true
			continue
		}
		if indent == 0 && blank && !markerLine.MatchString(line) {
			content = 0
		}
		if blank && indent >= content+4 {
			b := Block{Line: i + 1}
			for ; i < len(lines); i++ {
				line := strings.ReplaceAll(lines[i], "\t", "    ")
				code, isCode := strings.CutPrefix(line, strings.Repeat(" ", content+4))
				if !isCode && strings.TrimSpace(line) != "" {
					break
				}
				b.Lines = append(b.Lines, code)
			}
			for n := len(b.Lines); strings.TrimSpace(b.Lines[n-1]) == ""; n-- {
				b.Lines = b.Lines[:n-1]
			}
			p.Blocks = append(p.Blocks, b)
			i-- // the block ends before this line
			continue
		}
		blank = false
		if m := headingLine.FindStringSubmatch(line); m != nil {
			flush()
			p.addHeading(m[1])
			p.inline(i, line)
			blank = true
			continue
		}
		if m := markerLine.FindString(line); m != "" {
			flush()
			content = len(m)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "|") {
			flush() // each row of a table is a text of its own
		}
		if text == nil {
			begin = i
		}
		text = append(text, line)
	}
	flush()
	return p
}

// addHeading adds the anchor that GitHub makes of a heading. The second heading with the same text
// gets -1, the third -2.
func (p *Page) addHeading(text string) {
	anchor := slug(text)
	for n := 0; ; n++ {
		name := anchor
		if n > 0 {
			name = fmt.Sprintf("%s-%d", anchor, n)
		}
		if !p.Anchors[name] {
			p.Anchors[name] = true
			return
		}
	}
}

var (
	linkText = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	htmlTag  = regexp.MustCompile(`</?[a-zA-Z][^>]*>`)
)

// slug returns the anchor of a heading's text, as GitHub makes it: letters, digits, _ and - stay,
// spaces become -, and everything else goes.
func slug(heading string) string {
	heading = htmlTag.ReplaceAllString(linkText.ReplaceAllString(heading, "$1"), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// inline finds the links and pieces of code in a text that begins after a number of lines.
func (p *Page) inline(before int, text string) {
	lineOf := func(offset int) int { return before + 1 + strings.Count(text[:offset], "\n") }
	rest := []byte(text) // without code
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		open := i
		for i < len(text) && text[i] == '`' {
			i++
		}
		ticks := text[open:i]
		length := strings.Index(text[i:], ticks)
		if length < 0 {
			continue
		}
		code := text[i : i+length]
		if strings.HasPrefix(strings.TrimSpace(text), "|") {
			code = strings.ReplaceAll(code, `\|`, "|") // in a table
		}
		p.Spans = append(p.Spans, Span{lineOf(open), strings.Join(strings.Fields(code), " ")})
		end := i + length + len(ticks)
		for ; open < end; open++ {
			if rest[open] != '\n' {
				rest[open] = 'x'
			}
		}
		i = end
	}
	for _, pattern := range []*regexp.Regexp{linkTarget, htmlTarget} {
		for _, m := range pattern.FindAllSubmatchIndex(rest, -1) {
			p.Links = append(p.Links, Link{lineOf(m[2]), string(rest[m[2]:m[3]])})
		}
	}
	for i, line := range strings.Split(string(rest), "\n") {
		if m := definitionLine.FindStringSubmatch(line); m != nil {
			p.Links = append(p.Links, Link{before + 1 + i, m[1]})
		}
	}
	for _, m := range htmlAnchor.FindAllSubmatch(rest, -1) {
		p.Anchors[string(m[1])] = true
	}
}

// ReadPages parses all Markdown pages below a folder.
func ReadPages(root string) ([]*Page, error) {
	files, err := ReadTree(root, ".md")
	if err != nil {
		return nil, err
	}
	pages := make([]*Page, len(files))
	for i, f := range files {
		pages[i] = ParsePage(f)
	}
	return pages, nil
}
