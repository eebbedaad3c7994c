import { beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, parseTime, SECOND_MS } from '../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../lib/apis/scenario/scenario.ts';
import { decisionRecorder } from '../../lib/controllers/record/decision-recorder.ts';
import type { DecidedOn } from '../../lib/core/decisions/decided-on.ts';
import type { DecisionRecord } from '../../lib/core/decisions/decision-record.ts';
import { costByKey, type NodeCost, nodeSpans } from '../../lib/core/decisions/node-hours.ts';
import { decideAgain, verdictDifferences } from '../../lib/core/decisions/replay.ts';
import { chainOf } from '../../lib/core/decisions/select-records.ts';
import { whyAt } from '../../lib/core/decisions/why-at.ts';
import { DEFAULT_SETTINGS } from '../../lib/core/model/settings.ts';
import { UnreachableError } from '../../lib/ports/errors.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { runSimulation } from '../../lib/simulator/simulation.ts';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { decidedText } from '../../lib/snapshot/write-snapshot.ts';
import { aDeployment, aPool, coreDns, coreDnsBudget, someManifests } from '../builders/cluster-manifests.ts';
import { SMALL_CATALOGUE } from '../controllers/life.ts';
import { memoryDecisionArchive, memoryDecisionLog } from '../fakes/memory-decision-log.ts';

/** Records of a simulated cluster, and what can be done with them. */

const archive = memoryDecisionArchive();
const log = memoryDecisionLog();

async function recordsOf(
  events: readonly ScenarioEvent[],
  durationMs: number,
): Promise<{ readonly records: readonly DecisionRecord[]; readonly result: SimulationResult }> {
  const cooled = { 'kerf.dev/disruption-cool-down': '30m' };
  const pool = aPool();
  const result = await runSimulation({
    manifests: someManifests({
      nodePools: [{ ...pool, metadata: { ...pool.metadata, annotations: cooled } }],
      deployments: [aDeployment('web', 6), aDeployment('late', 0), aDeployment('huge', 1, '500'), coreDns],
      podDisruptionBudgets: [coreDnsBudget],
    }),
    scenario: { name: 'hours', events },
    catalogue: SMALL_CATALOGUE,
    seed: 3,
    durationMs,
    goesOn: true,
    settings: { ...DEFAULT_SETTINGS, decisionSnapshots: 'all' },
    recorder: decisionRecorder({ log, archive, snapshotText: decidedText, version: 'test' }),
  });
  return { records: await log.list('simulated', { fromMs: 0, untilMs: Infinity }), result };
}

/** The Deployments grow and shrink each hour, and EC2 interrupts an instance. */
const events = Array.from({ length: 8 }, (_, hour): readonly ScenarioEvent[] => {
  const atMs = hour * HOUR_MS;
  return [
    { kind: 'scale', atMs: atMs + 10 * MINUTE_MS, deployment: 'default/late', replicas: 3 + (hour % 3) * 4 },
    { kind: 'scale', atMs: atMs + 30 * MINUTE_MS, deployment: 'default/late', replicas: hour % 2 },
    { kind: 'scale', atMs: atMs + 40 * MINUTE_MS, deployment: 'default/web', replicas: 2 + (hour % 4) * 2 },
    ...(hour % 3 === 1 ? [{ kind: 'interruptSpot', atMs: atMs + 20 * MINUTE_MS, count: 1 } as const] : []),
  ];
}).flat();

describe('the records of eight hours', () => {
  let records: readonly DecisionRecord[] = [];
  let result: SimulationResult | undefined;
  beforeAll(async () => {
    ({ records, result } = await recordsOf(events, 8 * HOUR_MS));
  });

  test('are of every function that decided', () => {
    expect(new Set(records.map((record) => record.function))).toEqual(
      new Set(['provisioning', 'lifecycle', 'disruption', 'termination', 'interruption']),
    );
    expect(records.length).toBeGreaterThan(100);
  });

  test('each recorded decision on the cluster is decided again in the same way, from its text alone', async () => {
    const seen = { provisioning: 0, disruption: 0, pastMoves: 0, passMemory: 0, commands: 0, unavailable: 0 };
    for (const { id, snapshot: key } of records) {
      if (key === undefined) continue;
      const text = await archive.get(key);
      const { decided, snapshot, nowMs } = readSnapshot({ readText: () => text }, { path: key, nowMs: 0 });
      const name = decided?.function;
      if (decided === undefined || (name !== 'provisioning' && name !== 'disruption')) throw new TypeError(id);
      const { decisionId, refused, refusedTaints = [], taints, verdict } = decided;
      const context: DecidedOn['context'] = { decisionId, nowMs, refused, refusedTaints, taints };
      const again = decideAgain({ function: name, snapshot, context });
      expect(verdictDifferences(verdict, again), id).toEqual([]);
      seen[name] += 1;
      seen.pastMoves += snapshot.pastMoves === undefined ? 0 : 1;
      seen.passMemory += snapshot.passMemory === undefined ? 0 : 1;
      seen.commands += snapshot.commands.length;
      seen.unavailable += snapshot.unavailable.length;
    }
    expect(seen.provisioning).toBeGreaterThan(10);
    expect(seen.disruption).toBeGreaterThan(10);
    expect(seen.commands).toBeGreaterThan(0);
    expect(seen.pastMoves).toBeGreaterThan(0);
    expect(seen.unavailable).toBeGreaterThan(0);
  });

  test('a changed price is a difference, at its place', async () => {
    const record = records.find(({ actions }) => actions.some(({ kind }) => kind === 'create-node-claim'));
    const text = await archive.get(record?.snapshot ?? '');
    const dearer = text.replaceAll(/"price":([\d.]+)/g, (_, price: string) => `"price":${Number(price) * 2}`);
    const { decided, snapshot, nowMs } = readSnapshot({ readText: () => dearer }, { path: 'a', nowMs: 0 });
    const context = { decisionId: decided?.decisionId ?? '', nowMs };
    const again = decideAgain({ function: 'provisioning', snapshot, context });
    const paths = verdictDifferences(decided?.verdict ?? {}, again).map(({ path }) => path);
    expect(paths).toContain('price.usdPerHour');
    expect(paths).toContain('actions[0].nodeClaim.options[0].priceUsdPerHour');
  });

  test('a node is followed from its pods to the end of its instance', () => {
    const created = records.find(({ actions }) => actions.some(({ kind }) => kind === 'create-node-claim'));
    if (created === undefined) throw new TypeError('no NodeClaim was created');
    const after = chainOf(records, created).after.flatMap(({ actions }) => actions.map(({ kind }) => kind));
    for (const kind of [
      'launch-instance',
      'register-node',
      'initialize-node',
      'terminate-instance',
      'release-node-claim',
    ])
      expect(after).toContain(kind);
    expect(created.actions[0]?.pods?.length).toBeGreaterThan(0);
  });

  test('the price after a decision counts its new and deleted nodes', () => {
    const launched = records.filter(
      ({ function: name, actions }) =>
        name === 'provisioning' && actions.some(({ kind }) => kind === 'create-node-claim'),
    );
    for (const { price } of launched)
      expect(price?.afterUsdPerHour).toBeGreaterThan(price?.beforeUsdPerHour ?? Infinity);
  });

  test('the instances in the records cost what the simulation counted, within 0.5 %', () => {
    const fromMs = parseTime('2026-01-01T00:00:00Z');
    const period = { fromMs, untilMs: fromMs + (result?.simulatedSeconds ?? 0) * SECOND_MS };
    const cost = (key: 'nodePool' | 'zone' | 'capacityType' | 'instanceType', of = records) =>
      costByKey(nodeSpans(of), (span) => span[key], period);
    const expected = result?.totalCostUsd ?? 0;
    expect(expected).toBeGreaterThan(0.1);
    for (const key of ['nodePool', 'zone', 'capacityType', 'instanceType'] as const)
      expect(Math.abs(totalUsd(cost(key)) / expected - 1)).toBeLessThan(0.005);
    expect(cost('nodePool').map(({ key, nodes }) => [key, nodes])).toEqual([['general', result?.nodesLaunched]]);
  });

  test('each deleted NodeClaim is explained afterwards by who deleted it and why, and before by its launch', () => {
    const deletions = records.flatMap((record) =>
      record.actions
        .filter(({ kind }) => kind === 'delete-node-claim')
        .map(({ nodeClaims: [name = ''] = [], reason = '' }) => ({ name, reason, record })),
    );
    expect(new Set(deletions.map(({ reason }) => reason))).toEqual(
      new Set(['empty', 'underutilized', 'spot_interrupted']),
    );
    for (const { name, reason, record } of deletions) {
      const explained = whyAt(records, { kind: 'nodeclaim', name }, record.atMs + HOUR_MS);
      expect(explained?.state).toBe('BeingRemoved');
      expect(explained?.summary).toContain(`${record.function} deleted its NodeClaim at`);
      expect(explained?.summary).toContain(`(${reason})`);
      const created = records.find(({ actions }) =>
        actions.some((one) => one.kind === 'create-node-claim' && one.nodeClaims?.includes(name)),
      );
      expect(whyAt(records, { kind: 'nodeclaim', name }, created?.atMs ?? 0)?.state).toBe('Launching');
      expect(whyAt(records, { kind: 'nodeclaim', name }, (created?.atMs ?? 0) - 1)).toBeUndefined();
    }
  });

  test('a node is explained by its own name too', () => {
    const [registered] = records.flatMap(({ actions }) => actions.filter(({ kind }) => kind === 'register-node'));
    const [node = ''] = registered?.nodes ?? [];
    const [claim = ''] = registered?.nodeClaims ?? [];
    const facts = (kind: 'node' | 'nodeclaim', name: string) => whyAt(records, { kind, name }, Infinity)?.facts;
    expect(facts('node', node)).toEqual(facts('nodeclaim', claim));
    expect(facts('node', node)?.length).toBeGreaterThan(3);
  });

  test('each pod for which a node was created has a place afterwards', () => {
    for (const { atMs, actions } of records) {
      for (const { pods = [] } of actions.filter(({ kind }) => kind === 'create-node-claim')) {
        for (const name of pods) expect(whyAt(records, { kind: 'pod', name }, atMs)?.state).toBe('HasPlace');
      }
    }
  });

  test('a pod without a place is explained with the numbers, also hours later', () => {
    const refused = records.flatMap(({ refusals }) => refusals.flatMap(({ names }) => names));
    const name = refused.find((one) => one.startsWith('default/huge')) ?? '';
    const explained = whyAt(records, { kind: 'pod', name }, Infinity);
    expect(explained?.state).toBe('Unschedulable');
    expect(explained?.reasons).toEqual([
      expect.objectContaining({
        reason: 'InsufficientResources',
        nodePool: 'general',
        message: expect.stringContaining('needs 500 cpu'),
      }),
    ]);
  });

  test('a pod that waits all the time is refused in one record', () => {
    const refused = records.flatMap(({ refusals }) =>
      refusals.filter(({ names }) => names.some((name) => name.startsWith('default/huge'))),
    );
    expect(refused.map(({ reason, count }) => [reason, count])).toEqual([['InsufficientResources', 1]]);
  });
});

test('a cluster in which nothing happens has no records for hours', async () => {
  const quiet = memoryDecisionLog();
  await runSimulation({
    manifests: someManifests({ deployments: [aDeployment('web', 6), aDeployment('huge', 1, '500')] }),
    catalogue: SMALL_CATALOGUE,
    seed: 3,
    durationMs: 6 * HOUR_MS,
    goesOn: true,
    recorder: decisionRecorder({ log: quiet, archive, snapshotText: decidedText, version: 'test' }),
  });
  const times = (await quiet.list('simulated', { fromMs: 0, untilMs: Infinity })).map(({ atMs }) => atMs);
  const startMs = times[0] ?? 0;
  expect(times.length).toBeGreaterThan(3);
  expect(times.filter((atMs) => atMs > startMs + HOUR_MS)).toEqual([]);
});

function totalUsd(rows: readonly NodeCost[]): number {
  return rows.reduce((total, { usd }) => total + usd, 0);
}

async function fails(): Promise<never> {
  throw new UnreachableError('no answer');
}

test('a table and a bucket that fail change nothing but the records', async () => {
  const input = {
    manifests: someManifests({ deployments: [aDeployment('web', 6), aDeployment('late', 0)] }),
    scenario: { name: 'hours', events: events.filter(({ atMs }) => atMs < HOUR_MS) },
    catalogue: SMALL_CATALOGUE,
    seed: 3,
    durationMs: HOUR_MS,
    goesOn: true,
  };
  const failing = {
    log: { write: fails, list: fails, mark: fails, marks: fails, writeUsage: fails, usage: fails },
    archive: { put: fails, get: fails },
  };
  const recorder = decisionRecorder({ ...failing, snapshotText: decidedText, version: 'test' });
  const [plain, failed] = await Promise.all([runSimulation(input), runSimulation({ ...input, recorder })]);
  const failures = failed.timeline.filter(({ kind }) => kind === 'function-failed');
  expect(failures.length).toBeGreaterThan(10);
  expect({ ...failed, timeline: failed.timeline.filter((entry) => !failures.includes(entry)) }).toEqual(plain);
});
