import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { newRecordFiles } from '../../../lib/cli/decisions/record-files.ts';
import type { ComparedLaunch } from '../../../lib/cli/report/compare-launches.ts';
import { decisionRecorder } from '../../../lib/controllers/record/decision-recorder.ts';
import { disrupt } from '../../../lib/core/disruption/disrupt.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { Controller, Verdict } from '../../../lib/core/model/decision.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { decidedText } from '../../../lib/snapshot/write-snapshot.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { anInstance } from '../../builders/node-claims.ts';
import { aPoolView, asking } from '../../builders/node-pools.ts';
import { pendingPod, runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { runKerf } from '../run-kerf.ts';

const root = mkdtempSync(join(tmpdir(), 'kerf-shadow-'));
const folder = join(root, 'records');
afterAll(() => rmSync(root, { recursive: true }));

const START_MS = NOW_MS;
const LARGE = {
  allocatable: { cpu: '8', memory: '32Gi', pods: '58' },
  labels: { 'node.kubernetes.io/instance-type': 'm5.2xlarge' },
};
const POOL = aPoolView({ requirements: [asking('karpenter.sh/capacity-type', 'In', 'on-demand')] });

/** The pod for which Karpenter launched the node `late`, at this time. */
const LATE_MS = START_MS + HOUR_MS + MINUTE_MS;

function launchOf(name: string) {
  const instance = anInstance({ id: `i-${name}`, instanceType: 'm5.2xlarge', priceUsdPerHour: 0.4 });
  return { kind: 'launched', attempt: 1, atMs: START_MS - HOUR_MS, instance } as const;
}

/** A cluster of Karpenter: nodes of m5.2xlarge, each with one small pod. */
function cluster(names: readonly string[], over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const nodes = names.map((name) =>
    initializedNode({ name, ...LARGE }, { launch: launchOf(name), ...(name === 'late' && { createdAtMs: LATE_MS }) }),
  );
  const pods = names.map((name) =>
    runningPod(name, {
      name: name === 'late' ? 'new' : `web-on-${name}`,
      requests: { cpu: '100m' },
      createdAtMs: name === 'late' ? LATE_MS - MINUTE_MS : START_MS + HOUR_MS,
    }),
  );
  return snapshotOf(nodes, { nodePools: [POOL], ...over, pods: [...pods, ...(over.pods ?? [])] });
}

beforeAll(async () => {
  const { log, archive } = newRecordFiles(folder);
  const recorder = decisionRecorder({ log, archive, snapshotText: decidedText, version: 'test' });
  async function decide(controller: Controller, snapshot: ClusterSnapshot, nowMs: number): Promise<void> {
    const context = { decisionId: `${controller}-${nowMs}`, nowMs };
    const verdict: Verdict = controller === 'disruption' ? disrupt(snapshot, context) : provision(snapshot, context);
    const { actions, blocked } = verdict;
    const decision = {
      id: context.decisionId,
      cluster: 'demo',
      controller,
      atMs: nowMs,
      actions,
      blocked,
      shadow: true as const,
    };
    const decided = [{ controller, snapshot, context, verdict, decisions: [decision] }];
    await recorder.record({
      report: aRunReport({ controller, decisions: [decision], decided }),
      wokenBy: 'tick',
      atMs: nowMs,
      shadow: true,
      durationMs: 5,
      snapshots: 'acted',
      timer: { remainingMs: () => 30_000, after: () => () => {} },
      telemetry: { report: () => {}, failure: () => {}, warn: () => {}, error: fails },
    });
  }
  // Karpenter keeps three half-empty nodes, launches another for a pod, and removes one.
  await decide('disruption', cluster(['a', 'b', 'c']), START_MS);
  const pod = pendingPod({ name: 'new', requests: { cpu: '1500m' }, spec: { nodeSelector: { rack: 'none' } } });
  await decide(
    'provisioning',
    cluster([], { pods: [{ ...pod, spec: { ...pod.spec, nodeSelector: {} } }] }),
    START_MS + HOUR_MS,
  );
  for (const [hour, names] of [
    ['a', 'b', 'c', 'late'],
    ['a', 'b', 'c', 'late'],
    ['a', 'b'],
  ].entries())
    await decide('disruption', cluster(names), START_MS + (hour + 1) * HOUR_MS + 35 * MINUTE_MS);
});

function fails(message: string, error: unknown): never {
  throw new Error(message, { cause: error });
}

interface Report {
  readonly hours: readonly {
    readonly nodes: number;
    readonly usdPerHour: number;
    readonly planned: { readonly nodes: number; readonly usdPerHour: number };
  }[];
  readonly other: { readonly usdPerHour: number };
  readonly kerf: { readonly usdPerHour: number };
  readonly launches: readonly ComparedLaunch[];
  readonly decisions: readonly { readonly kerf: string; readonly other: string }[];
}

async function reported(): Promise<Report> {
  const { stdout, stderr, code } = await report('-o', 'json');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const read: Report = JSON.parse(stdout);
  return read;
}

async function report(...args: readonly string[]) {
  return await runKerf(['report', 'shadow', '--records', folder, ...args], {}, { columns: 80 });
}

describe('the report of a cluster in shadow', () => {
  test('has the nodes and the cost of both, in JSON', async () => {
    const { hours, other, kerf, decisions } = await reported();
    expect(hours.map(({ nodes }) => nodes)).toEqual([3, 4, 4, 2]);
    // The pods of all of these nodes fit on one m5.large.
    for (const { planned, usdPerHour } of hours) {
      expect(planned.nodes).toBe(1);
      expect(planned.usdPerHour).toBeLessThan(usdPerHour / 2);
    }
    expect(kerf.usdPerHour).toBeLessThan(other.usdPerHour);
    expect(decisions.length).toBeGreaterThan(0);
  });

  test('compares a launch with the decision of Kerf for the same pods', async () => {
    const { launches } = await reported();
    expect(launches).toEqual([
      expect.objectContaining({
        atMs: LATE_MS,
        pods: ['default/new'],
        other: [expect.objectContaining({ instanceType: 'm5.2xlarge' })],
        otherUsdPerHour: 0.4,
        kerf: expect.objectContaining({
          nodes: [expect.objectContaining({ instanceType: 'm5.large', capacityType: 'on-demand' })],
          usdPerHour: 0.1,
          otherPods: 0,
        }),
      }),
    ]);
    const { stdout } = await report();
    expect(stdout).toContain('For the pods of 1 launch, the other autoscaler launched nodes for $0.4000/h');
    expect(stdout).toContain('## Launches that differ: 1 of 1');
    expect(stdout).toMatch(
      /\| 1 pod: new \| m5\.2xlarge on-demand in \S+ \| 0\.4000 \| m5\.large on-demand in \S+ \| 0\.1000 \|/,
    );
  });

  test('compares a disruption with how long nodes were kept', async () => {
    const { decisions } = await reported();
    const [first] = decisions;
    expect(first?.kerf).toMatch(/saves \$\d/);
    expect(first?.other).toMatch(/^kept \d of \d (until|to the end)/);
  });

  test('is Markdown, with the saving in percent and a month', async () => {
    const { stdout, code } = await report();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# Kerf in shadow: cluster demo$/m);
    expect(stdout).toMatch(/^- That is \d+\.\d % less: \$\d+ a month\.$|less: about \$/m);
    expect(stdout).toContain('## By day');
    expect(stdout).toMatch(/^## Removed and replaced nodes that differ: \d+ of \d+$/m);
  });

  test('is one page without script and without requests', async () => {
    const { stdout } = await report('--output', 'html');
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).toContain('<polyline class="kerf"');
    expect(stdout).not.toMatch(/<script|https?:|<img|<link/);
    expect(stdout).not.toContain('NaN');
  });

  test('says that no look is stored', async () => {
    const empty = join(root, 'empty');
    await newRecordFiles(empty).log.mark({
      formatVersion: 1,
      cluster: 'demo',
      function: 'disruption',
      atMs: NOW_MS,
      version: '1',
      failures: 0,
      problems: [],
      gauges: {},
    });
    for (const output of ['markdown', 'html']) {
      const { stdout, code } = await runKerf(['report', 'shadow', '--records', empty, '-o', output], {});
      expect({ code, said: stdout.includes('No look of this time is stored.') }).toEqual({ code: 0, said: true });
    }
  });
});
