import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../lib/apis/formats/time.ts';
import type { DecisionRecord } from '../../../lib/core/decisions/decision-record.ts';
import { recordOfRun } from '../../../lib/core/decisions/record-of-run.ts';
import type { FunctionMark, MarkedFunction } from '../../../lib/core/status/function-mark.ts';
import { hourOf, type UsageHour } from '../../../lib/core/usage/usage-hour.ts';
import type { DecisionArchive, DecisionLog } from '../../../lib/ports/decision-log.ts';
import { UnreadableError } from '../../../lib/ports/errors.ts';
import { aDecision } from '../../builders/decisions.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

export interface DecisionLogHarness {
  readonly log: DecisionLog;
  readonly archive: DecisionArchive;
  readonly close?: () => Promise<void>;
}

function aMark(cluster: string, of: MarkedFunction, atMs: number): FunctionMark {
  const problems = [{ kind: 'DrainStuck', message: 'é' }] as const;
  return { formatVersion: 1, cluster, function: of, atMs, version: '1', failures: 0, problems, gauges: { Nodes: 2 } };
}

function anHour(cluster: string, hourMs: number, nodes = 1): UsageHour {
  const usage = {
    nodePool: 'general',
    instanceType: 'm7g.large',
    zone: 'us-east-1a',
    capacityType: 'spot',
    usdPerHour: 0.04,
    requestedUsdPerHour: 0.02,
    cpuMillicores: [500, 1_930],
    memoryMib: [1_024, 6_800],
    pods: 3,
    looks: 2,
  } as const;
  return {
    formatVersion: 1,
    cluster,
    hourMs,
    atMs: hourMs + 5,
    looks: 2,
    usdPerHour: 0.04,
    nodes: Array.from({ length: nodes }, () => ({ ...usage, name: randomBytes(30).toString('hex') })),
    nodesNow: nodes,
    namespaces: { shop: { cpuMillicores: 500, memoryMib: 1_024, usdPerHour: 0.02 } },
    labels: { team: { é: { cpuMillicores: 500, memoryMib: 1_024, usdPerHour: 0.02 } } },
  };
}

/** The doc comment of `lib/ports/decision-log.ts`, executed. */
export function decisionLogContract(name: string, make: () => Promise<DecisionLogHarness>): void {
  describe(`DecisionLog: ${name}`, () => {
    let harness: DecisionLogHarness;
    let log: DecisionLog;
    let archive: DecisionArchive;
    let cluster: string;
    beforeEach(async () => {
      harness = await make();
      ({ log, archive } = harness);
      cluster = `cluster-${randomUUID()}`;
    });
    afterEach(() => harness.close?.());

    function recordAt(atMs: number, over: Partial<DecisionRecord> = {}): DecisionRecord {
      const decisions = [aDecision({ atMs, actions: [{ kind: 'create-node-claim', nodeClaim: aClaim() }] })];
      const run = { cluster, controller: 'provisioning', wokenBy: 'tick', decisions, version: '1' } as const;
      return { ...recordOfRun({ ...run, durationMs: 5 }, []), ...over };
    }
    const all = { fromMs: 0, untilMs: NOW_MS + 2 * DAY_MS };
    const since = (fromMs: number) => ({ fromMs: Math.max(fromMs, NOW_MS - 40 * DAY_MS), untilMs: all.untilMs });

    test('records are read as they were written, oldest first, also of several days', async () => {
      const records = [0, 1, DAY_MS, -DAY_MS].map((ms) => recordAt(NOW_MS + ms));
      for (const record of records) await log.write(record);
      expect(await log.list(cluster, since(0))).toEqual([records[3], records[0], records[1], records[2]]);
    });

    test('the end of a range is not part of it', async () => {
      const records = [0, 1, 2].map((ms) => recordAt(NOW_MS + ms));
      for (const record of records) await log.write(record);
      expect(await log.list(cluster, { fromMs: NOW_MS + 1, untilMs: NOW_MS + 2 })).toEqual([records[1]]);
    });

    test('a record that is written again is there once', async () => {
      await log.write(recordAt(NOW_MS));
      await log.write(recordAt(NOW_MS));
      expect(await log.list(cluster, since(NOW_MS))).toEqual([recordAt(NOW_MS)]);
    });

    test('records of another cluster are not listed', async () => {
      await log.write(recordAt(NOW_MS, { cluster: `${cluster}-b` }));
      expect(await log.list(cluster, since(NOW_MS))).toEqual([]);
    });

    test('a record that is too large for an item is read as it was written', async () => {
      const pods = Array.from({ length: 6_000 }, () => `default/${randomBytes(60).toString('hex')}`);
      const large = recordAt(NOW_MS, { actions: [{ kind: 'nominate-node', nodes: ['a'], pods }] });
      await log.write(large);
      expect(await log.list(cluster, since(NOW_MS))).toEqual([large]);
    });

    test('the last mark of each function is read, and not those of another cluster', async () => {
      await log.mark(aMark(cluster, 'termination', NOW_MS));
      await log.mark(aMark(cluster, 'lifecycle', NOW_MS));
      await log.mark(aMark(cluster, 'lifecycle', NOW_MS + 1));
      await log.mark(aMark(`${cluster}-b`, 'lifecycle', NOW_MS));
      expect(await log.marks(cluster)).toEqual([
        aMark(cluster, 'lifecycle', NOW_MS + 1),
        aMark(cluster, 'termination', NOW_MS),
      ]);
      expect(await log.list(cluster, since(0))).toEqual([]);
    });

    test('the usage of an hour is read as it was written last, oldest hour first, whatever its size', async () => {
      const first = hourOf(NOW_MS) - DAY_MS;
      const hours = [2, 0, 25].map((later) => anHour(cluster, first + later * HOUR_MS));
      for (const hour of hours) await log.writeUsage(hour);
      const large = anHour(cluster, first, 6_000);
      await log.writeUsage(large);
      await log.writeUsage(anHour(`${cluster}-b`, first));
      expect(await log.usage(cluster, { fromMs: first, untilMs: first + 26 * HOUR_MS })).toEqual([
        large,
        hours[0],
        hours[2],
      ]);
      expect(await log.usage(cluster, { fromMs: first + 1, untilMs: first + 25 * HOUR_MS })).toEqual([hours[0]]);
      expect(await log.list(cluster, since(0))).toEqual([]);
    });

    test('a text is read as it was put, and one that does not exist is an error', async () => {
      await archive.put(`snapshots/${cluster}/a.json.gz`, '{"é":1}\n');
      expect(await archive.get(`snapshots/${cluster}/a.json.gz`)).toBe('{"é":1}\n');
      await expect(archive.get(`snapshots/${cluster}/b.json.gz`)).rejects.toBeInstanceOf(UnreadableError);
    });
  });
}
