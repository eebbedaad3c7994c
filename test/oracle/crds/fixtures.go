package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// quota is the number of cases of each outcome in a kind's fixture.
type quota struct {
	kind  string
	cases map[outcome]int
}

// outcome is the validator that refused an object.
type outcome string

const (
	accepted           outcome = "accepted"
	refusedByServer    outcome = "refused by the server"
	refusedByKarpenter outcome = "refused by Karpenter"
)

var quotas = []quota{
	{"NodePool", map[outcome]int{accepted: 650, refusedByServer: 550, refusedByKarpenter: 300}},
	{"EC2NodeClass", map[outcome]int{accepted: 650, refusedByServer: 550, refusedByKarpenter: 300}},
	{"NodeClaim", map[outcome]int{accepted: 225, refusedByServer: 260, refusedByKarpenter: 15}},
	{"NodeOverlay", map[outcome]int{accepted: 300, refusedByServer: 270, refusedByKarpenter: 130}},
	{"CapacityBuffer", map[outcome]int{accepted: 225, refusedByServer: 260, refusedByKarpenter: 15}},
}

const (
	defaultedPerKind = 60
	fieldsPerCase    = 5
	longestCase      = 6000
	attemptsPerCase  = 60
)

// brackets are the keys and indices of a run-time refusal's path.
var brackets = regexp.MustCompile(`\[[^\[\]]+\]`)

type fixtureSource struct {
	Karpenter     string `json:"karpenter"`
	Core          string `json:"core"`
	APIExtensions string `json:"apiextensions"`
	Seed          uint64 `json:"seed"`
}

type fixtureCase struct {
	Object        json.RawMessage `json:"object"`
	Valid         bool            `json:"valid"`
	UnknownFields []string        `json:"unknownFields,omitempty"`
	Schema        []string        `json:"schema,omitempty"`
	Runtime       []string        `json:"runtime,omitempty"`
}

type defaultedCase struct {
	Kind      string          `json:"kind"`
	Object    json.RawMessage `json:"object"`
	Defaulted any             `json:"defaulted"`
}

func writeFixtures(resources map[string]*resource, seed uint64, directory string) error {
	source := fixtureSource{
		Karpenter: linkedVersion, Core: moduleVersion("sigs.k8s.io/karpenter"),
		APIExtensions: moduleVersion("k8s.io/apiextensions-apiserver"), Seed: seed,
	}
	defaulted := []any{}
	for _, quota := range quotas {
		selected, changed := selectCases(resources[quota.kind], quota, seed)
		defaulted = append(defaulted, changed...)
		if err := writeLines(filepath.Join(directory, quota.kind+".json"), source, selected); err != nil {
			return err
		}
	}
	return writeLines(filepath.Join(directory, "defaults.json"), source, defaulted)
}

// moduleVersion is the version of a module in the build of this program.
func moduleVersion(path string) string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == path && module.Replace != nil {
			module = module.Replace
		}
		if module.Path == path {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return "unknown"
}

// selectCases fills a quota, with no more than a few cases of each set of refused fields.
func selectCases(target *resource, quota quota, seed uint64) (selected []any, defaulted []any) {
	generator := newGenerator(target, seed)
	wanted := 0
	for _, cases := range quota.cases {
		wanted += cases
	}
	room := maps.Clone(quota.cases)
	seen, refused := map[string]bool{}, map[string]int{}
	for attempt := 0; len(selected) < wanted && attempt < wanted*attemptsPerCase; attempt++ {
		raw := compact(generator.object())
		if seen[string(raw)] || len(raw) > longestCase {
			continue
		}
		seen[string(raw)] = true
		result := judge(target, raw, true)
		signature := fmt.Sprint(result.admission.fields) + brackets.ReplaceAllString(strings.Join(result.runtime, " "), "")
		if room[result.outcome()] == 0 || (!result.valid() && refused[signature] >= max(8, wanted/30)) {
			continue
		}
		refused[signature]++
		room[result.outcome()]--
		selected = append(selected, fixtureCase{
			Object: raw, Valid: result.valid(), UnknownFields: result.admission.unknown,
			Schema: firstFew(result.admission.fields), Runtime: firstFew(result.runtime),
		})
		if spec, differs := storedSpec(raw, result); differs && len(defaulted) < defaultedPerKind {
			defaulted = append(defaulted, defaultedCase{target.kind.Kind, raw, spec})
		}
	}
	return selected, defaulted
}

func (j judgement) outcome() outcome {
	switch {
	case j.admission.stored == nil:
		return refusedByServer
	case len(j.runtime) > 0:
		return refusedByKarpenter
	default:
		return accepted
	}
}

// storedSpec is the spec that the server would store, and whether it differs from the request.
func storedSpec(raw []byte, result judgement) (any, bool) {
	if !result.valid() {
		return nil, false
	}
	sent := parse(string(raw)).(map[string]any)["spec"]
	stored := result.admission.stored["spec"]
	return stored, !bytes.Equal(compact(sent), compact(stored))
}

func firstFew(fields []string) []string {
	return slices.Clone(fields[:min(len(fields), fieldsPerCase)])
}

func compact(value any) []byte {
	buffer := &bytes.Buffer{}
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(buffer.Bytes())
}

// writeLines writes each case on one line, so that a changed case is one line of a diff.
func writeLines(path string, source fixtureSource, cases []any) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	writer := bufio.NewWriter(file)
	fmt.Fprintf(writer, "{\n\"source\": %s,\n\"cases\": [\n", compact(source))
	for index, entry := range cases {
		separator := ","
		if index == len(cases)-1 {
			separator = ""
		}
		fmt.Fprintf(writer, "%s%s\n", compact(entry), separator)
	}
	fmt.Fprint(writer, "]\n}\n")
	return writer.Flush()
}
