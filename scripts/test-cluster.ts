/**
 * Starts a real Kubernetes control plane on 127.0.0.1 and runs the tests of `test/cluster` against it. Options go to vitest.
 * Builds it first if it is not in the cache: `npm run cluster:build`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { abortOnSignals, buildControlPlane } from './cluster-build.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { clusterEnvironment } from './control-plane-access.ts';

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

const interrupted = abortOnSignals();
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(vitestOptions: readonly string[]): Promise<number> {
  const binaries = await timed('binaries are there', async () => await buildControlPlane(interrupted));
  const folder = mkdtempSync(join(tmpdir(), 'kerf-test-cluster-'));
  try {
    const start = async (): Promise<ControlPlane> => await startControlPlane({ binaries, folder, interrupted });
    const controlPlane = await timed('the control plane is ready', start);
    try {
      console.log(`kube-apiserver answers at ${controlPlane.endpoint}`);
      return await timed('vitest', async () => await runTests({ controlPlane, binaries, vitestOptions }));
    } finally {
      await controlPlane.stop();
      console.log('the control plane is stopped');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** *Shape:* the exit code. */
async function runTests(plan: {
  readonly controlPlane: ControlPlane;
  readonly binaries: string;
  readonly vitestOptions: readonly string[];
}): Promise<number> {
  const { controlPlane, binaries, vitestOptions } = plan;
  const child = spawn(process.execPath, [VITEST, 'run', '--project', 'cluster', ...vitestOptions], {
    cwd: ROOT,
    stdio: 'inherit',
    signal: interrupted,
    env: {
      ...process.env,
      ...clusterEnvironment(controlPlane, binaries),
    },
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  child.once('exit', (code) => resolve(code ?? 1));
  child.on('error', () => {
    if (child.pid === undefined) resolve(1);
  });
  return await promise;
}

async function timed<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const startedMs = Date.now();
  const result = await work();
  console.log(`${name}: ${((Date.now() - startedMs) / 1_000).toFixed(1)} s`);
  return result;
}
