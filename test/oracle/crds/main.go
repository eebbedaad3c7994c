// Command crds computes whether a Kubernetes API server with Karpenter's CRDs, and then Karpenter, accept an object.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const usage = "usage: crds fixtures [--seed N] DIRECTORY | crds verdict [--crds VERSION] FILE-OR-DIRECTORY..."

// linkedVersion is the version of the provider whose Go packages are linked into this program.
const linkedVersion = "1.15.1"

func main() {
	// Karpenter's rules also log. This program needs only their results.
	log.SetLogger(logr.Discard())
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf(usage)
	}
	flags := flag.NewFlagSet(arguments[0], flag.ContinueOnError)
	seed := flags.Uint64("seed", 4, "the generator's seed")
	version := flags.String("crds", linkedVersion, "the provider version whose CRDs judge; another than "+linkedVersion+" gives no run-time verdict")
	if err := flags.Parse(arguments[1:]); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf(usage)
	}
	resources, err := loadResources(ctx, *version)
	if err != nil {
		return err
	}
	switch arguments[0] {
	case "fixtures":
		return writeFixtures(resources, *seed, flags.Arg(0))
	case "verdict":
		return printVerdicts(resources, *version == linkedVersion, flags.Args())
	default:
		return fmt.Errorf(usage)
	}
}
