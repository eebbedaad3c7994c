import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { shippedCatalogue } from '../../../lib/catalogue/figures.ts';
import { fleetRecorder } from '../../../lib/cli/live/fleet-recorder.ts';
import { isTerminal } from '../../../lib/core/cluster/pods.ts';
import { podRequests } from '../../../lib/core/resources/pod-requests.ts';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import type { Frame } from '../../../lib/page/fleet/frame.ts';
import { type FleetHistory, fleetHistory } from '../../../lib/page/fleet/history.ts';
import { nodeNameOf } from '../../../lib/simulator/aws/node-name.ts';
import { openSimulation } from '../../../lib/simulator/simulation.ts';

/** What the simulation had at the end of a minute. */
interface Seen {
  readonly at: number;
  readonly pods: ReadonlyMap<string, { readonly cpu: number; readonly count: number }>;
  readonly pending: number;
  readonly running: number;
  readonly usdPerHour: number;
  readonly costUsd: number;
}

let frames: readonly Frame[];
let history: FleetHistory;
let seen: readonly Seen[];

/** The demonstration, played to its end. Every minute is compared with what the simulation had. */
beforeAll(async () => {
  const sources = ['cluster', 'workloads', 'scenario'].map((name) => ({
    file: `${name}.yaml`,
    text: readFileSync(new URL(`../../../examples/demo/${name}.yaml`, import.meta.url), 'utf8'),
  }));
  const { manifests } = readManifests(sources);
  const catalogue = shippedCatalogue({ region: 'us-east-1', because: 'the test' });
  const input = {
    manifests,
    catalogue,
    seed: 1,
    durationMs: 3_600_000,
    goesOn: true,
    ...(manifests.scenarios[0] !== undefined && { scenario: manifests.scenarios[0] }),
  };
  const simulation = openSimulation(input);
  const recorder = fleetRecorder(simulation, input);
  const all: Frame[] = [];
  const minutes: Seen[] = [];
  for (let ended; ended === undefined; ) {
    ended = await simulation.step();
    const { atSeconds, podsPending, podsRunning, usdPerHour, costUsd } = simulation.progress();
    recorder.step(simulation.timeline.take());
    all.push(...recorder.take());
    const isMinute = Math.floor(atSeconds / 60) > Math.floor((minutes.at(-1)?.at ?? -60) / 60);
    if (!isMinute && minutes.at(-1)?.at !== atSeconds) continue;
    const pods = new Map<string, { cpu: number; count: number }>();
    for (const pod of simulation.state.pods.values()) {
      if (pod.spec.nodeName === undefined || isTerminal(pod)) continue;
      const { cpu, count } = pods.get(pod.spec.nodeName) ?? { cpu: 0, count: 0 };
      pods.set(pod.spec.nodeName, { cpu: cpu + (podRequests(pod)['cpu'] ?? 0), count: count + 1 });
    }
    const one = { at: atSeconds, pods, pending: podsPending, running: podsRunning, usdPerHour, costUsd };
    if (isMinute) minutes.push(one);
    else minutes[minutes.length - 1] = one;
  }
  recorder.end();
  all.push(...recorder.take());
  [frames, seen] = [all, minutes];
  history = fleetHistory();
  history.add(frames);
});

describe('the frames of the demonstration', () => {
  test('are in order, at most one a second, and small', () => {
    const times = frames.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times.map(Math.floor)).size).toBe(times.length);
    expect(JSON.stringify(frames).length).toBeLessThan(150_000);
  });

  test('have the requests of every node, each second frame', () => {
    for (const one of frames.filter((_, place) => place % 2 === 0)) {
      for (const node of history.stateAt(one.at).nodes.values()) {
        expect(node.cpuRequested).toBeLessThanOrEqual(node.state === 'starting' ? Infinity : node.cpu);
      }
    }
  });

  test('have the same pods and costs as the simulation in every minute that has ended', () => {
    expect(seen.length).toBeGreaterThan(50);
    for (const { at, pods, usdPerHour, costUsd } of seen) {
      const state = history.stateAt(at);
      // A frame ends with its second: within it, the picture can be ahead.
      if (history.next(at) !== undefined && Math.floor(history.next(at) ?? 0) === Math.floor(at)) continue;
      for (const node of state.nodes.values()) {
        const name = nodeNameOf({ id: node.instance, zone: node.zone });
        expect([at, node.pods, node.cpuRequested]).toEqual([at, pods.get(name)?.count ?? 0, pods.get(name)?.cpu ?? 0]);
      }
      expect([at, state.figures.usdPerHour]).toEqual([at, usdPerHour]);
      expect(Math.abs(state.figures.costUsd - costUsd)).toBeLessThan(0.02);
    }
  });

  test('show a spot interruption: the node leaves, with the reason', () => {
    const reasons = new Set(frames.flatMap(({ nodes = [] }) => nodes.flatMap(({ why }) => why ?? [])));
    expect(reasons).toEqual(new Set(['', 'spot interrupted', 'underutilized', 'drifted', 'empty']));
  });

  test('begin without nodes and with pending pods, and end without both', () => {
    expect(history.stateAt(0).nodes.size).toBe(0);
    expect(history.stateAt(1).pending.map(({ workload, count }) => [workload, count])).toEqual([
      ['Deployment default/api', 4],
      ['Deployment default/web', 6],
      ['Deployment default/worker', 6],
    ]);
    expect(history.stateAt(3_600)).toMatchObject({ pending: [], figures: { usdPerHour: 0, podsRunning: 0 } });
    expect(history.stateAt(3_600).nodes.size).toBe(0);
    expect(history.peak().nodes).toBe(8);
  });

  test('have a lower bound that is above zero and never above the cost', () => {
    const { figures } = history;
    expect(figures.some(({ boundUsdPerHour }) => boundUsdPerHour > 0.05)).toBe(true);
    for (const { at, usdPerHour, boundUsdPerHour } of figures)
      expect(boundUsdPerHour, `at ${at}`).toBeLessThanOrEqual(usdPerHour + 1e-6);
  });

  test('have the lines of the command, with a mark on decisions', () => {
    const decisions = history.lines.filter(({ decision }) => decision);
    expect(decisions.map(({ label }) => label)).toContain('scenario');
    expect(decisions.map(({ label }) => label)).not.toContain('record');
    expect(history.lines.some(({ text }) => text === 'Deployment default/web: 6 pods pending')).toBe(true);
  });
});
