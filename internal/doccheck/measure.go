package doccheck

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// The lengths that are measured beside the habits, by the name of the measure.
const (
	longSentences    = "sentences-over-30"
	endlessSentences = "sentences-over-45"
	tooLongLines     = "long-lines"
	readmeWords      = "readme-words"
)

// Measure is a number about the texts of the module. The file limits.txt has a limit for it.
type Measure struct {
	// Name is an area, a kind of text and a habit or length: "rest comments that-of".
	Name string
	// Value is the number: hits per 1,000 lines or sentences for habits, a percentage for sentences
	// over 30 words, otherwise a count.
	Value float64
	// Goal is the limit that Value is meant to have in the end. The area "world", the Go files of
	// server and game, has the same goals.
	Goal float64
	// Unit is the weight of a single hit in Value.
	Unit float64
	// Places are the hits.
	Places []Place
}

// areas are the parts of the module that have limits of their own.
var areas = []string{"rest", "world"}

// areaOf returns the area of a file.
func areaOf(name string) string {
	if strings.HasSuffix(name, ".go") && hasAnyPrefix(name, "server/", "game/") {
		return "world"
	}
	return "rest"
}

// measureStyle measures the texts of the module in a folder.
func measureStyle(root string) ([]Measure, error) {
	files, err := ReadTree(root, ".go", ".md")
	if err != nil {
		return nil, err
	}
	found := map[string][]Place{} // by area and kind
	add := func(f File, kind string, places []Place) {
		key := areaOf(f.Name) + " " + kind
		found[key] = append(found[key], places...)
	}
	readme := 0
	for _, f := range files {
		add(f, "lines", longLines(f))
		if filepath.Ext(f.Name) == ".md" {
			add(f, "docs", sentences(f))
			if f.Name == "README.md" {
				readme = len(strings.Fields(f.Text))
			}
			continue
		}
		add(f, "comments", comments(f))
		add(f, "texts", texts(f))
	}
	var all []Measure
	for _, area := range areas {
		for _, kind := range []string{"comments", "texts", "docs"} {
			texts := found[area+" "+kind]
			if len(texts) == 0 {
				continue // no documents in area world
			}
			perThousand := 1000 / float64(len(texts))
			for i := range Habits {
				h := &Habits[i]
				hits := matching(texts, func(p Place) bool { return h.In(p.Text) })
				all = append(all, Measure{area + " " + kind + " " + h.Name, perThousand * float64(len(hits)), math.Round(150*h.Aim) / 100, perThousand, hits})
			}
		}
		lines := found[area+" lines"]
		all = append(all, Measure{area + " lines " + tooLongLines, float64(len(lines)), 0, 1, lines})
	}
	docs := found["rest docs"]
	over := func(words int) []Place {
		return matching(docs, func(p Place) bool { return len(strings.Fields(p.Text)) > words })
	}
	percent := 100 / float64(max(1, len(docs)))
	return append(all,
		Measure{"rest docs " + longSentences, percent * float64(len(over(30))), 5, percent, over(30)},
		Measure{"rest docs " + endlessSentences, float64(len(over(45))), 0, 1, over(45)},
		Measure{"rest docs " + readmeWords, float64(readme), 800, 1, nil},
	), nil
}

// matching returns the places for which f is true.
func matching(places []Place, f func(Place) bool) []Place {
	return slices.Collect(func(yield func(Place) bool) {
		for _, p := range places {
			if f(p) && !yield(p) {
				return
			}
		}
	})
}
