import { beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { decisionRecorder } from '../../../lib/controllers/record/decision-recorder.ts';
import type { RecorderOptions, ReportedRun } from '../../../lib/controllers/record/reported-run.ts';
import type { RunReport } from '../../../lib/controllers/run/ports.ts';
import type { DecidedOn } from '../../../lib/core/decisions/decided-on.ts';
import type { Action, Blocked, Decision } from '../../../lib/core/model/decision.ts';
import type { DecisionLog } from '../../../lib/ports/decision-log.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { aDecision, aRunReport } from '../../builders/decisions.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { memoryDecisionArchive, memoryDecisionLog } from '../../fakes/memory-decision-log.ts';

const NOMINATION: Action = { kind: 'nominate-node', node: 'node-1', pods: ['default/web'], untilMs: NOW_MS };

function refused(name: string, reason: Blocked['reason'] = 'InsufficientResources'): Blocked {
  return { subject: { kind: 'Pod', namespace: 'default', name }, reason, message: 'too large', numbers: {} };
}

function decidedOn(decision: Decision): DecidedOn {
  const { actions, blocked, id: decisionId, atMs: nowMs } = decision;
  const verdict = { actions, blocked, due: [] };
  return {
    controller: 'provisioning',
    snapshot: aSnapshot(),
    context: { decisionId, nowMs },
    verdict,
    decisions: [decision],
  };
}

function refusing(atMs: number, ...blocked: readonly Blocked[]): Decision {
  return aDecision({ id: String(atMs), atMs, blocked });
}

function bug(): never {
  throw new TypeError('a bug');
}

describe('a recorder', () => {
  let log: DecisionLog;
  let errors: string[];
  let archive: ReturnType<typeof memoryDecisionArchive>;
  let remainingMs: number;
  let expire: (() => void) | undefined;
  beforeEach(() => {
    log = memoryDecisionLog();
    archive = memoryDecisionArchive();
    errors = [];
    remainingMs = 60_000;
    expire = undefined;
  });

  function recorder(over: Partial<RecorderOptions> = {}) {
    return decisionRecorder({ log, archive, snapshotText: () => '{}', version: '1', ...over });
  }
  function aRun(decisions: readonly Decision[], over: Partial<ReportedRun> = {}): ReportedRun {
    const fail = (message: string): void => void errors.push(message);
    return {
      wokenBy: 'tick',
      report: aRunReport({ controller: 'provisioning', decisions }),
      atMs: NOW_MS,
      durationMs: 5,
      telemetry: { report: () => {}, failure: () => {}, warn: () => {}, error: fail },
      timer: {
        remainingMs: () => remainingMs,
        after: (_ms, run) => {
          expire = run;
          return () => {};
        },
      },
      ...over,
    };
  }
  const records = async () => log.list('demo', { fromMs: NOW_MS - HOUR_MS, untilMs: NOW_MS + 24 * HOUR_MS });

  test('records a run that acted, and not one that neither acted nor refused', async () => {
    const one = recorder();
    await one.record(aRun([]));
    await one.record(aRun([aDecision()]));
    expect(await records()).toEqual([]);
    await one.record(aRun([aDecision({ actions: [NOMINATION] })]));
    expect((await records()).map(({ wokenBy, actions }) => [wokenBy, actions.length])).toEqual([['tick', 1]]);
  });

  test('records a refusal once, while it is repeated each minute for a day', async () => {
    const one = recorder();
    for (let ms = 0; ms < 24 * HOUR_MS; ms += MINUTE_MS) await one.record(aRun([refusing(NOW_MS + ms, refused('a'))]));
    expect(await records()).toHaveLength(1);
  });

  test('records a refusal again that was not seen for an hour', async () => {
    const one = recorder();
    await one.record(aRun([refusing(NOW_MS, refused('a'))]));
    await one.record(aRun([refusing(NOW_MS + 59 * MINUTE_MS, refused('b'))]));
    await one.record(aRun([refusing(NOW_MS + HOUR_MS, refused('a'))]));
    expect((await records()).flatMap(({ refusals }) => refusals.flatMap(({ names }) => names))).toEqual([
      'default/a',
      'default/b',
      'default/a',
    ]);
  });

  test('does not record for its own sake that a node is too young', async () => {
    await recorder().record(aRun([refusing(NOW_MS, refused('a', 'ConsolidateAfter'))]));
    expect(await records()).toEqual([]);
  });

  test('records a decision of shadow once, although it is made each minute', async () => {
    const one = recorder();
    const decision = aDecision({ actions: [NOMINATION], shadow: true });
    for (const ms of [0, MINUTE_MS, 2 * MINUTE_MS]) await one.record(aRun([{ ...decision, atMs: NOW_MS + ms }]));
    expect(await records()).toHaveLength(1);
  });

  test('after a failure, the run goes on, the log has an error, and the refusal is recorded by the next run', async () => {
    let failures = 1;
    const flaky: DecisionLog = {
      ...log,
      async write(record) {
        failures -= 1;
        if (failures >= 0) throw new UnreachableError('the table does not answer');
        await log.write(record);
      },
    };
    const one = recorder({ log: flaky });
    await one.record(aRun([refusing(NOW_MS, refused('a'))]));
    expect(errors).toEqual(['failed to record a decision']);
    await one.record(aRun([refusing(NOW_MS + MINUTE_MS, refused('a'))]));
    expect(await records()).toHaveLength(1);
  });

  test('waits for a table that does not answer only until its time is over', async () => {
    const hung = recorder({ log: { ...log, write: async () => new Promise<never>(() => {}) } });
    const recorded = hung.record(aRun([aDecision({ actions: [NOMINATION] })]));
    expire?.();
    await recorded;
    expect(errors).toEqual(['failed to record a decision']);
  });

  describe('marks', () => {
    const STUCK = { kind: 'DrainStuck', message: 'long', numbers: {} } as const;
    const tick = (over: Partial<RunReport>, run: Partial<ReportedRun> = {}): ReportedRun => {
      const decisions: readonly Decision[] = [];
      return aRun([], { report: aRunReport({ controller: 'lifecycle', decisions, ...over }), ...run });
    };
    const times = async () => (await log.marks('demo')).map((mark) => [mark.function, mark.atMs - NOW_MS]);

    test('a tick at once, and then every five minutes while nothing changes, also if a tick is some seconds early', async () => {
      const one = recorder();
      for (let minute = 0; minute < 5; minute += 1)
        await one.record(tick({ gauges: { Nodes: minute } }, { atMs: NOW_MS + minute * MINUTE_MS }));
      expect(await times()).toEqual([['lifecycle', 0]]);
      const early = 5 * MINUTE_MS - 20 * SECOND_MS;
      await one.record(tick({}, { atMs: NOW_MS + early }));
      expect(await times()).toEqual([['lifecycle', early]]);
    });

    test('an open problem in each tick, because another process may have written that there is none', async () => {
      const [one, other] = [recorder(), recorder()];
      const found = async () => (await log.marks('demo')).flatMap(({ problems }) => problems.map(({ kind }) => kind));
      await one.record(tick({ problems: [STUCK] }));
      await other.record(tick({}, { atMs: NOW_MS + MINUTE_MS }));
      expect(await found()).toEqual([]);
      await one.record(tick({ problems: [STUCK] }, { atMs: NOW_MS + 2 * MINUTE_MS }));
      expect(await found()).toEqual(['DrainStuck']);
    });

    test('a failure in each tick', async () => {
      const one = recorder();
      for (const minute of [0, 1, 2])
        await one.record(tick({ failures: [new Error('one claim')] }, { atMs: NOW_MS + minute * MINUTE_MS }));
      expect(await times()).toEqual([['lifecycle', 2 * MINUTE_MS]]);
    });

    test.each(['provisioning', 'lifecycle', 'disruption', 'termination'] as const)(
      'of %s, the end of a problem after five minutes, if it was another process that found the problem',
      async (controller) => {
        const [one, other] = [recorder(), recorder()];
        await one.record(tick({ controller }));
        await other.record(tick({ controller, problems: [STUCK] }, { atMs: NOW_MS + MINUTE_MS }));
        for (let minute = 2; minute <= 5; minute += 1)
          await one.record(tick({ controller }, { atMs: NOW_MS + minute * MINUTE_MS }));
        expect((await log.marks('demo')).flatMap(({ problems }) => problems)).toEqual([]);
      },
    );

    test('the clusters of the deployment', async () => {
      await recorder({ served: ['demo', 'other'] }).record(tick({}, { atMs: NOW_MS }));
      expect(await log.marks('demo')).toMatchObject([{ cluster: 'demo', served: ['demo', 'other'] }]);
    });

    test('a problem and its end at once', async () => {
      const one = recorder();
      const found = async () => (await log.marks('demo')).flatMap(({ problems }) => problems);
      await one.record(tick({}));
      await one.record(tick({ problems: [STUCK] }));
      expect(await found()).toEqual([{ kind: 'DrainStuck', message: 'long' }]);
      await one.record(tick({}));
      expect(await found()).toEqual([]);
    });

    test('pods that begin or end to wait, of provisioning alone', async () => {
      const one = recorder();
      const pending = async () => (await log.marks('demo')).map((mark) => [mark.function, mark.gauges['PendingPods']]);
      const see = async (controller: 'provisioning' | 'disruption', pods: number) =>
        one.record(tick({ controller, gauges: { PendingPods: pods } }));
      await see('provisioning', 0);
      await see('disruption', 0);
      await see('provisioning', 12);
      await see('disruption', 12);
      expect(await pending()).toEqual([
        ['disruption', 0],
        ['provisioning', 12],
      ]);
      await see('provisioning', 11);
      expect(await pending()).toContainEqual(['provisioning', 12]);
      await see('provisioning', 0);
      expect(await pending()).toContainEqual(['provisioning', 0]);
    });

    test('neither a run for one object, nor one that another run answered, nor the interruption function', async () => {
      const one = recorder();
      await one.record(tick({}, { wokenBy: 'webhook' }));
      await one.record(tick({ skipped: 'busy' }));
      await one.record(tick({ controller: 'interruption' }));
      expect(await times()).toEqual([]);
    });

    test('standby with the other autoscaler, shadow, and the webhook', async () => {
      const other = refused('a');
      const decisions = [aDecision({ blocked: [other] })];
      await recorder().record(tick({ decisions, gauges: { StoodDown: 1 } }, { shadow: true, hasWebhook: true }));
      expect(await log.marks('demo')).toEqual([
        expect.objectContaining({ standby: other.message, shadow: true, webhook: true }),
      ]);
    });

    test('again after a failure, which is logged', async () => {
      let failures = 1;
      const flaky: DecisionLog = {
        ...log,
        async mark(mark) {
          failures -= 1;
          if (failures >= 0) throw new UnreachableError('the table does not answer');
          await log.mark(mark);
        },
      };
      const one = recorder({ log: flaky });
      await one.record(tick({}));
      expect(errors).toEqual(['failed to mark a run']);
      await one.record(tick({}));
      expect(await times()).toEqual([['lifecycle', 0]]);
    });
  });

  describe('stores the snapshot', () => {
    const acted = aDecision({ actions: [{ kind: 'create-node-claim', nodeClaim: aClaim() }] });
    const refusal = aDecision({ blocked: [refused('a')] });
    const withSnapshot = (decision: Decision, snapshots: ReportedRun['snapshots']) => {
      const report = aRunReport({ controller: 'provisioning', decisions: [decision], decided: [decidedOn(decision)] });
      return aRun([], { report, snapshots });
    };

    test.each([
      ['off', false, false],
      ['acted', true, false],
      ['all', true, true],
    ] as const)('%s: of a decision that acted %s, of one that refused %s', async (mode, ofActed, ofRefusal) => {
      for (const [decision, expected] of [
        [acted, ofActed],
        [refusal, ofRefusal],
      ] as const) {
        log = memoryDecisionLog();
        await recorder().record(withSnapshot(decision, mode));
        const [record] = await records();
        expect(record?.snapshot !== undefined).toBe(expected);
        if (record?.snapshot !== undefined) expect(await archive.get(record.snapshot)).toBe('{}');
      }
    });

    test('acted: not of a decision that only nominates a node', async () => {
      await recorder().record(withSnapshot(aDecision({ actions: [NOMINATION] }), 'acted'));
      expect((await records()).map(({ snapshot }) => snapshot)).toEqual([undefined]);
    });

    test('sampled: of about a tenth', async () => {
      const one = recorder();
      for (let index = 0; index < 400; index += 1)
        await one.record(withSnapshot({ ...acted, id: `decision-${index}` }, 'sampled'));
      const stored = (await records()).filter(({ snapshot }) => snapshot !== undefined).length;
      expect(stored).toBeGreaterThan(15);
      expect(stored).toBeLessThan(75);
    });

    test('and records the decision without it if it cannot be stored or written as text', async () => {
      const broken = { ...archive, put: async () => Promise.reject(new UnreachableError('S3 does not answer')) };
      await recorder({ archive: broken }).record(withSnapshot(acted, 'acted'));
      await recorder({ snapshotText: bug }).record(withSnapshot({ ...acted, id: 'other' }, 'acted'));
      expect((await records()).map(({ snapshot }) => snapshot)).toEqual([undefined, undefined]);
      expect(errors).toEqual(Array(2).fill('failed to store the snapshot of a decision'));
    });
  });
});
