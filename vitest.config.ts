import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The slowest step, which bundles the functions, takes 16 s on two free cores: the limit is for a slow machine that is busy. */
const testTimeout = 300_000;

/** One file after the other, each in a process of its own: the files share one control plane and change each other's objects. */
const alone = { isolate: true, fileParallelism: false } as const;

/** The emulators need a core of their own. */
const oneCoreFree = { maxWorkers: Math.max(1, availableParallelism() - 1), sequence: { groupOrder: 1 } };

/**
 * One project a kind of test, so that `vitest run --project NAME` runs one kind. `package` needs npm's registry:
 * `npm run test:package`; `browser` needs Chromium: `npm run test:browser`; `terminal` needs tmux, zsh and fish: `npm run
 * test:terminal`; `aws` needs the emulator: `npm run test:aws`;
 * `cluster` needs a control plane: `npm run test:cluster`;
 * `story` needs both: `npm run test:story`.
 */
export default defineConfig({
  test: {
    testTimeout,
    hookTimeout: testTimeout,
    // vitest leaves one core to itself, which on two cores leaves one worker.
    maxWorkers: availableParallelism(),
    // A worker loads a module once for all files that it runs. No file may leave state behind: `--sequence.shuffle.files` shows it.
    isolate: false,
    // Node runs the sources as they are, in the tests as everywhere else.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/*/**/*.test.ts'],
          exclude: ['test/{property,stack,examples,package,browser,terminal,aws,cluster,story}/**'],
        },
      },
      { extends: true, test: { name: 'property', include: ['test/property/**/*.test.ts'] } },
      { extends: true, test: { name: 'stack', include: ['test/stack/**/*.test.ts'] } },
      { extends: true, test: { name: 'examples', include: ['test/examples/**/*.test.ts'] } },
      { extends: true, test: { name: 'package', include: ['test/package/**/*.test.ts'] } },
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'] } },
      { extends: true, test: { name: 'terminal', include: ['test/terminal/**/*.test.ts'] } },
      { extends: true, test: { name: 'house', include: ['test/*.test.ts'] } },
      { extends: true, test: { name: 'cluster', include: ['test/cluster/**/*.test.ts'], ...alone } },
      { extends: true, test: { name: 'aws', include: ['test/aws/**/*.test.ts'], isolate: true, ...oneCoreFree } },
      { extends: true, test: { name: 'story', include: ['test/story/**/*.test.ts'], ...alone } },
    ],
  },
});
