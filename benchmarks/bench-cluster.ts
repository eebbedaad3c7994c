/**
 * Measures the cost of reading a cluster: `npm run bench:cluster -- [--pods N] [--nodes N] [--output FILE]`. Starts an API
 * server with its etcd, fills it, and reads it in other processes, whose CPU time and memory are those of the function. Exits
 * with 1 if a target is missed; targets in seconds and MB apply to 20,000 pods on 1,000 nodes, targets in counts to any size.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { abortOnSignals, buildControlPlane } from '../scripts/cluster-build.ts';
import { type ControlPlane, startControlPlane } from '../scripts/control-plane.ts';
import { scriptOptions } from '../scripts/script-options.ts';
import { changesOf } from './cluster/changes.ts';
import { putObjects } from './cluster/etcd.ts';
import { fillCluster, putUnbound } from './cluster/fill.ts';
import type { Found, Look } from './cluster/look.ts';
import { startLooker } from './cluster/looker.ts';
import { FULL_SIZE, misses, renderLooks, type Taken } from './cluster/verdict.ts';

const { values } = scriptOptions({
  options: {
    pods: { type: 'string', default: String(FULL_SIZE.pods) },
    nodes: { type: 'string', default: String(FULL_SIZE.nodes) },
    output: { type: 'string', default: join(import.meta.dirname, 'out', 'cluster.json') },
  },
});
const size = { pods: countOf('pods', values.pods, 100), nodes: countOf('nodes', values.nodes, 1) };
const unbound = Math.round((size.pods * FULL_SIZE.unbound) / FULL_SIZE.pods);
const changes = Math.round((size.pods * FULL_SIZE.changes) / FULL_SIZE.pods);
const interrupted = abortOnSignals();

try {
  const binaries = await buildControlPlane(interrupted);
  const folder = mkdtempSync(join(tmpdir(), 'kerf-bench-cluster-'));
  try {
    const controlPlane = await startControlPlane({ binaries, folder, interrupted, withControllers: false });
    try {
      report(await looksAt(controlPlane));
    } finally {
      await controlPlane.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function looksAt(controlPlane: ControlPlane): Promise<readonly Taken[]> {
  const startedMs = performance.now();
  const seconds = (): string => `${((performance.now() - startedMs) / 1_000).toFixed(0)} s`;
  const onProgress = (done: number): void => {
    if (done % 5_000 === 0 || done === size.pods - unbound) process.stderr.write(`${done} pods in ${seconds()}\n`);
  };
  await fillCluster(controlPlane, { ...size, unbound, onProgress });
  const nothing: Found = { pods: 0, unbound: 0, nodes: 0, changed: 0 };
  const idle = await firstLook(controlPlane);
  await putUnbound(controlPlane, unbound);
  const busy = await firstLook(controlPlane);
  const early = { targetCpuMs: 200, mostRequests: 4 };
  return [
    { name: 'first read, nothing to do', look: idle, expected: nothing, ...early },
    { name: `first read, ${unbound} unbound`, look: busy, expected: { ...nothing, unbound }, ...early },
    ...(await wholeLooks(controlPlane)),
  ];
}

async function firstLook(controlPlane: ControlPlane): Promise<Look> {
  const looker = await startLooker('early', controlPlane);
  try {
    return await looker.look();
  } finally {
    await looker.end();
  }
}

/** The reads of one process: cold, then warm. */
async function wholeLooks(controlPlane: ControlPlane): Promise<readonly Taken[]> {
  const { etcd } = controlPlane;
  const before: Found = { ...size, unbound, changed: 0 };
  const { objects, ...after } = changesOf(changes, before);
  const found = { ...before, ...after };
  const looker = await startLooker('whole', controlPlane);
  try {
    const cold = await looker.look();
    const still = await looker.look();
    await putObjects(objects, { etcd, together: 1 });
    const warm = await looker.look();
    const mostRequests = 30;
    return [
      { name: 'cold', look: cold, expected: before, targetCpuMs: 3_000, targetPeakMb: 400, mostRequests },
      { name: 'warm, nothing changed', look: still, expected: before, mostRequests },
      { name: `warm, ${objects.length} changes`, look: warm, expected: found, targetCpuMs: 500, mostRequests },
    ];
  } finally {
    await looker.end();
  }
}

function report(taken: readonly Taken[]): void {
  const isFullSize = size.pods === FULL_SIZE.pods && size.nodes === FULL_SIZE.nodes;
  const missed = misses(taken, isFullSize);
  console.log(`${size.pods} pods, ${size.nodes} nodes\n\n${renderLooks(taken)}`);
  for (const miss of missed) console.log(`missed: ${miss}`);
  const output = resolve(process.env['INIT_CWD'] ?? process.cwd(), values.output);
  mkdirSync(dirname(output), { recursive: true });
  const machine = { node: process.version, cpus: availableParallelism() };
  writeFileSync(output, `${JSON.stringify({ ...machine, ...size, looks: taken, missed }, undefined, 2)}\n`);
  process.stderr.write(`\nwritten: ${output}\n`);
  if (missed.length > 0) process.exitCode = 1;
}

function countOf(option: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= 200_000) return value;
  throw new RangeError(`--${option} is ${text}: allowed is a number from ${least} to 200000`);
}
