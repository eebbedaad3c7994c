import { defineConfig } from 'vitest/config';

/**
 * One project a kind of test, so that `vitest run --project NAME` runs one kind. `aws` needs the emulator: `npm run test:aws`;
 * `cluster` needs a control plane: `npm run test:cluster`;
 * `story` needs both: `npm run test:story`.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // Two busy cores are enough to make a slow test slower than vitest's five seconds.
          testTimeout: 30_000,
          include: [
            'test/{apis,benchmarks,core,controllers,providers,operator,parity,simulator,snapshot,cli,contract,functions}/**/*.test.ts',
          ],
        },
      },
      { test: { name: 'property', include: ['test/property/**/*.test.ts'], testTimeout: 60_000 } },
      { test: { name: 'stack', include: ['test/stack/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 } },
      { test: { name: 'examples', include: ['test/examples/**/*.test.ts'], testTimeout: 60_000 } },
      { test: { name: 'house', include: ['test/*.test.ts'], testTimeout: 60_000 } },
      {
        // One control plane for all files: they would change each other's objects.
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      { test: { name: 'aws', include: ['test/aws/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 } },
      {
        test: {
          name: 'story',
          include: ['test/story/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
