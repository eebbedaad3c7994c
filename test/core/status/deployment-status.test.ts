import { describe, expect, test } from 'vitest';
import { DAY_MS, formatTime, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import {
  type ClusterFacts,
  deploymentStatus,
  isHealthy,
  type PriceTimes,
  shortAge,
} from '../../../lib/core/status/deployment-status.ts';
import { type FunctionMark, MARKED_FUNCTIONS } from '../../../lib/core/status/function-mark.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

function aMark(over: Partial<FunctionMark> = {}): FunctionMark {
  const named = { formatVersion: 1, cluster: 'demo', function: 'lifecycle', version: '1.0.0' } as const;
  return { ...named, atMs: NOW_MS - MINUTE_MS, failures: 0, problems: [], gauges: {}, ...over };
}

const ALIVE: readonly FunctionMark[] = MARKED_FUNCTIONS.map((name) => aMark({ function: name }));

function facts(over: Partial<ClusterFacts> = {}): ClusterFacts {
  return { cluster: 'demo', marks: ALIVE, ...over };
}

function only(over: Partial<ClusterFacts>) {
  const status = deploymentStatus([facts(over)], { unread: [] }, NOW_MS);
  const [cluster] = status.clusters;
  if (cluster === undefined) throw new TypeError('no cluster');
  return cluster;
}

const later = (name: FunctionMark['function'], atMs: number) =>
  ALIVE.map((mark) => (mark.function === name ? { ...mark, atMs } : mark));

describe('a cluster', () => {
  test('is healthy if every function ran', () => {
    const status = deploymentStatus([facts()], { unread: [] }, NOW_MS);
    expect(isHealthy(status)).toBe(true);
    expect(status.clusters[0]).toMatchObject({ mode: 'active', version: '1.0.0', wrong: [] });
  });

  test('has a late function five minutes after its next record was due', () => {
    expect(only({ marks: later('termination', NOW_MS - 10 * MINUTE_MS) }).wrong).toEqual([]);
    expect(only({ marks: later('termination', NOW_MS - 10 * MINUTE_MS - 1) }).wrong).toEqual([
      'the last run of termination was 10m ago',
    ]);
    expect(only({ marks: ALIVE.slice(1) }).wrong).toEqual(['provisioning has not run']);
  });

  test('has the pending pods of the mark of provisioning, and the latest of the other figures', () => {
    const marks = [
      aMark({ function: 'provisioning', atMs: NOW_MS - 20 * MINUTE_MS, gauges: { PendingPods: 3, Nodes: 1 } }),
      aMark({ function: 'disruption', gauges: { PendingPods: 0, Nodes: 2 } }),
    ];
    expect(only({ marks }).gauges).toEqual({ PendingPods: 3, Nodes: 2 });
  });

  test('is judged by the lease, where there is one', () => {
    const marks = later('provisioning', NOW_MS - 30 * MINUTE_MS);
    expect(only({ marks, leasedAtMs: { provisioning: NOW_MS - SECOND_MS } }).wrong).toEqual([]);
    expect(only({ marks, leasedAtMs: { provisioning: NOW_MS - 11 * MINUTE_MS } }).wrong).toEqual([
      'the last run of provisioning was 11m ago',
    ]);
  });

  test('in shadow has nothing that lifecycle found before, nor claims that nothing acts on', () => {
    const found = { kind: 'WebhookDisabled', message: 'no answer' } as const;
    const before = aMark({ atMs: NOW_MS - 2 * HOUR_MS, problems: [found], gauges: { HourlyCostUsd: 3 } });
    const marks = [before, ...ALIVE.slice(0, 1), ...ALIVE.slice(2, 3)].map((mark) =>
      mark === before ? mark : { ...mark, shadow: true as const },
    );
    const deletion = { reason: 'deleted', message: '', requestedAtMs: NOW_MS - 5 * HOUR_MS } as const;
    const status = only({ marks, nodeClaims: [aClaim({ deletion })] });
    expect(status).toMatchObject({ mode: 'shadow', webhook: 'unknown', problems: [], gauges: {}, wrong: [] });
  });

  test('in shadow needs only the functions that decide, and its open decisions are not wrong', () => {
    const marks = ALIVE.map((mark) => ({ ...mark, shadow: true as const })).filter(
      (mark) => mark.function === 'provisioning' || mark.function === 'disruption',
    );
    const { mode, wrong, functions } = only({ marks, openDecisionsMs: [NOW_MS - HOUR_MS] });
    expect({ mode, wrong }).toEqual({ mode: 'shadow', wrong: [] });
    expect(functions.map((one) => one.function)).toEqual(['provisioning', 'disruption']);
  });

  test('on standby is not healthy, and the other autoscaler is named', () => {
    const marks = ALIVE.map((mark) => ({ ...mark, standby: 'Karpenter runs' }));
    expect(only({ marks })).toMatchObject({ mode: 'standby', wrong: ['on standby: Karpenter runs'] });
    const leasedAtMs = { provisioning: NOW_MS - HOUR_MS };
    expect(only({ marks: later('provisioning', NOW_MS - HOUR_MS / 2), leasedAtMs }).wrong).toHaveLength(1);
    const standby = marks.map((mark) => ({ ...mark, atMs: NOW_MS - 9 * MINUTE_MS }));
    expect(only({ marks: standby, leasedAtMs }).wrong).toHaveLength(1);
  });

  test('has the problems of its NodeClaims as they are now, and the others as they were found', () => {
    const problems = [
      { kind: 'DrainStuck', message: 'was stuck' },
      { kind: 'WebhookDisabled', message: 'no answer' },
    ] as const;
    const marks = ALIVE.map((mark) =>
      mark.function === 'lifecycle' ? { ...mark, problems, webhook: true as const } : mark,
    );
    const kinds = (over: Partial<ClusterFacts>) => only({ marks, ...over }).problems.map(({ kind }) => kind);
    expect(kinds({})).toEqual(['DrainStuck', 'WebhookDisabled']);
    expect(kinds({ nodeClaims: [] })).toEqual(['WebhookDisabled']);
    const stuck = aClaim({ createdAtMs: NOW_MS - HOUR_MS, launch: { kind: 'planned' } });
    expect(kinds({ nodeClaims: [stuck] })).toEqual(['NodeClaimStuck', 'WebhookDisabled']);
    expect(only({ marks }).webhook).toBe('disabled');
  });

  test('has a webhook in use only if the last run of lifecycle had no failure', () => {
    const of = (over: Partial<FunctionMark>) => only({ marks: [aMark(over)] }).webhook;
    expect(of({ webhook: true })).toBe('in use');
    expect(of({ webhook: true, failures: 1 })).toBe('unknown');
    expect(of({})).toBe('none');
    expect(only({ marks: [] }).webhook).toBe('unknown');
  });

  test('with a decision that is open for more than ten minutes is not healthy', () => {
    expect(only({ openDecisionsMs: [NOW_MS - 10 * MINUTE_MS] }).wrong).toEqual([]);
    expect(only({ openDecisionsMs: [NOW_MS, NOW_MS - 11 * MINUTE_MS] })).toMatchObject({
      openDecisions: 2,
      wrong: ['a decision of 11m ago is not carried out completely'],
    });
  });
});

const ofDeployment = (cluster: string, { atMs = NOW_MS - MINUTE_MS, served }: Partial<FunctionMark>) =>
  facts({ cluster, marks: ALIVE.map((mark) => ({ ...mark, cluster, atMs, ...(served && { served }) })) });
const statusOf = (...clusters: readonly ClusterFacts[]) => {
  const status = deploymentStatus(clusters, { unread: [] }, NOW_MS);
  return [status.clusters.map(({ cluster }) => cluster), status.leftOut, isHealthy(status)];
};

describe('a cluster that was removed from the deployment', () => {
  const stoppedMs = NOW_MS - HOUR_MS;
  const former = ofDeployment('old', { atMs: stoppedMs, served: ['demo', 'old'] });

  test('is left out beside one of the later deployment', () => {
    expect(statusOf(former, ofDeployment('demo', { served: ['demo'] }))).toEqual([
      ['demo'],
      [{ cluster: 'old', lastRunMs: stoppedMs }],
      true,
    ]);
  });

  test('counts while the deployment has it, however long it has not run', () => {
    const both = ['demo', 'old'];
    const stopped = ofDeployment('old', { atMs: NOW_MS - 20 * DAY_MS, served: both });
    expect(statusOf(stopped, ofDeployment('demo', { served: both }))).toEqual([['old', 'demo'], [], false]);
  });

  test('counts if it is the only one that is known, and if the deployment is of a version that does not name its clusters', () => {
    expect(statusOf(former)).toEqual([['old'], [], false]);
    expect(statusOf(ofDeployment('old', { atMs: stoppedMs }), ofDeployment('demo', {}))).toEqual([
      ['old', 'demo'],
      [],
      false,
    ]);
  });
});

test('a deployment with dead letters or old prices is not healthy', () => {
  const of = (over: object) => deploymentStatus([facts()], { unread: [], ...over }, NOW_MS).wrong;
  const queue = 'Kerf-DeadLetters';
  expect(of({ deadLetters: [{ queue, messages: 0 }] })).toEqual([]);
  expect(of({ deadLetters: [{ queue, messages: 2 }] })).toEqual([`2 dead letters in ${queue}: kerf dead-letters list`]);
  expect(of({ prices: 'none' })).toEqual([expect.stringContaining('has not run')]);
});

const ago = (hours: number) => formatTime(NOW_MS - hours * HOUR_MS);

describe('prices', () => {
  const wrong = (prices: PriceTimes) => deploymentStatus([facts()], { unread: [], prices }, NOW_MS).wrong;

  test('may be 36 hours old, each kind by itself', () => {
    expect(wrong({ asOf: ago(36), onDemandAsOf: ago(36), spotAsOf: ago(36) })).toEqual([]);
    const look = 'look at the log of the catalogue function';
    expect(wrong({ asOf: ago(1), onDemandAsOf: ago(240), spotAsOf: ago(49) })).toEqual([
      `on-demand prices are 10d old: ${look}`,
      `spot prices are 2d old: ${look}`,
    ]);
  });

  test('of a catalogue that is old as a whole are one thing', () => {
    const old = { asOf: ago(49), onDemandAsOf: ago(49), spotAsOf: ago(49) };
    expect(wrong(old)).toEqual([expect.stringContaining('the catalogue of instance types and prices is 2d old')]);
  });

  test('that were never read are wrong for spot, and not for on-demand: GovCloud has no price list', () => {
    expect(wrong({ asOf: ago(1), spotAsOf: ago(1) })).toEqual([]);
    expect(wrong({ asOf: ago(1), onDemandAsOf: ago(1) })).toEqual([
      expect.stringContaining('spot prices were never read, and on-demand prices are used in their place'),
    ]);
  });
});

describe('failures of a function', () => {
  const atMs = NOW_MS - MINUTE_MS;
  const ofLifecycle = (over: Partial<FunctionMark>) =>
    only({ marks: ALIVE.map((mark) => (mark.function === 'lifecycle' ? { ...mark, ...over } : mark)) });
  const since = (minutes: number) => [{ message: 'read instances: 403', sinceMs: atMs - minutes * MINUTE_MS }];

  test('are wrong after two minutes, because a run may fail once', () => {
    expect(ofLifecycle({ failures: 1, failing: since(1) }).wrong).toEqual([]);
    expect(ofLifecycle({ failures: 1, failing: since(64) }).wrong).toEqual([
      'lifecycle has failed for 1h5m: read instances: 403',
    ]);
    expect(ofLifecycle({ failures: 3, failing: [...since(64), ...since(2)] }).wrong).toEqual([
      'lifecycle has failed for 1h5m: read instances: 403 (and 2 other failures)',
    ]);
  });

  test('are shown at once', () => {
    const shown = ofLifecycle({ failures: 1, failing: since(0) }).functions.map((one) => [one.function, one.failures]);
    expect(shown).toContainEqual(['lifecycle', 1]);
    expect(shown).toContainEqual(['disruption', undefined]);
  });

  test('are wrong in a mark of an earlier version, which does not have their time', () => {
    expect(ofLifecycle({ failures: 3 }).wrong).toEqual(['the last run of lifecycle had 3 failures: look at its log']);
  });
});

test('an age is one number, rounded down', () => {
  expect([0, 61_000, 119_999, 120_000, 47 * HOUR_MS, 48 * HOUR_MS].map(shortAge)).toEqual([
    '0s',
    '1m1s',
    '1m59s',
    '2m',
    '47h',
    '2d',
  ]);
});
