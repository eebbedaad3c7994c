// Command values writes the results of Karpenter's Go libraries for quantities, durations, cron schedules and requirements.
// The tests in TypeScript compare Kerf's results with them. Run it in this folder, with the toolchain that go.mod requires:
//
//	GOTOOLCHAIN=auto go run . ../../fixtures/values && npx biome format --write ../../fixtures/values
//
// All random values have fixed seeds: the same versions of the libraries write the same files.
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
