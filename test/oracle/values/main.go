// Command values writes what the Go libraries behind Karpenter make of quantities, durations, cron schedules and
// requirements, for the tests in TypeScript to be held to. From this folder, with a toolchain as new as go.mod asks for:
//
//	GOTOOLCHAIN=auto go run . ../../fixtures/values && npx biome format --write ../../fixtures/values
//
// Everything is drawn from fixed seeds: the same libraries write the same files.
package main

import (
	"encoding/json"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
)

type row = []any

func main() {
	if len(os.Args) != 2 {
		log.Fatal("name the folder to write to")
	}
	write("quantities.json", quantities(seeded(1)))
	write("durations.json", durations(seeded(2)))
	write("cron.json", schedules(seeded(3)))
	write("requirements.json", requirements(seeded(4)))
}

func seeded(stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(20_260_131, stream))
}

func pick[T any](random *rand.Rand, from []T) T {
	return from[random.IntN(len(from))]
}

func write(name string, content map[string]any) {
	text, err := json.Marshal(content)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(os.Args[1], name), append(text, '\n'), 0o644); err != nil {
		log.Fatal(err)
	}
}
