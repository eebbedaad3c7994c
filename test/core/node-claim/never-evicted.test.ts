import { describe, expect, test } from 'vitest';
import type { PodDisruptionBudget } from '../../../lib/apis/kubernetes.ts';
import type { EvictionsRefused } from '../../../lib/core/model/node-claim-record.ts';
import { conditionsOf } from '../../../lib/core/node-claim/mirror/mirror-conditions.ts';
import { whyNeverEvicted } from '../../../lib/core/node-claim/never-evicted.ts';
import { examineRefusals, examinesRefusals } from '../../../lib/core/node-claim/refused-evictions.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aBudget } from '../../builders/nodes.ts';
import { runningPod } from '../../builders/pods.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const WEB = runningPod('node-1', { name: 'web-1', labels: { app: 'web' } });

type Budget = Pick<PodDisruptionBudget['spec'], 'minAvailable' | 'maxUnavailable'>;

/** A budget of the pods of `web`, with the status that Kubernetes computes. */
function budget(spec: Budget, status: PodDisruptionBudget['status'] = {}, name = 'web'): PodDisruptionBudget {
  return aBudget({ metadata: { name, namespace: 'default' }, spec: { ...aBudget().spec, ...spec }, status });
}

function draining(evictionsRefused?: EvictionsRefused) {
  const deletion = {
    reason: 'expired',
    message: '',
    requestedAtMs: NOW_MS - HOUR,
    drainStartedAtMs: NOW_MS - HOUR,
  } as const;
  return launchedClaim({
    registeredAtMs: NOW_MS - HOUR,
    deletion: evictionsRefused === undefined ? deletion : { ...deletion, evictionsRefused },
  });
}

describe('a pod is never evicted', () => {
  test.each<[Budget, number, number, number]>([
    [{ maxUnavailable: 0 }, 3, 3, 3],
    [{ maxUnavailable: '0%' }, 3, 3, 3],
    [{ minAvailable: 3 }, 3, 3, 3],
    [{ minAvailable: 5 }, 5, 3, 3],
    [{ minAvailable: '100%' }, 3, 3, 2],
    [{ minAvailable: '90%' }, 3, 3, 3],
    [{}, 1, 1, 1],
  ])('if its budget requires every pod: %j, %d of %d', (...[spec, desiredHealthy, expectedPods, currentHealthy]) => {
    const why = whyNeverEvicted(WEB, [budget(spec, { desiredHealthy, expectedPods, currentHealthy })]);
    expect(why).toMatchObject({ reason: 'PDBNeverMet', numbers: { desiredHealthy, expectedPods, currentHealthy } });
  });

  test('the message names the budget, its rule, the numbers and what to do', () => {
    const why = whyNeverEvicted(WEB, [budget({ minAvailable: 3 }, { desiredHealthy: 3, expectedPods: 3 })]);
    expect(why?.message).toBe(
      'PodDisruptionBudget default/web (minAvailable: 3) requires 3 of 3 pods, so none can ever be evicted: raise maxUnavailable, lower minAvailable, or add replicas',
    );
  });

  test('if more than one budget selects it, also if each allows it', () => {
    const budgets = ['b', 'a'].map((name) => budget({ maxUnavailable: 1 }, { disruptionsAllowed: 1 }, name));
    expect(whyNeverEvicted(WEB, budgets)).toEqual({
      reason: 'MultiplePDBs',
      message:
        'PodDisruptionBudgets default/a and default/b both select it, and Kubernetes evicts no such pod: keep one of them',
      numbers: { budgets: 2 },
    });
  });

  test('if Kubernetes cannot compute its budget', () => {
    const failed = {
      type: 'DisruptionAllowed',
      status: 'False',
      reason: 'SyncFailed',
      message: 'found no controllers',
    } as const;
    const why = whyNeverEvicted(WEB, [budget({ maxUnavailable: 1 }, { conditions: [failed] })]);
    expect(why).toMatchObject({ reason: 'PDBNotComputed' });
    expect(why?.message).toContain('has not computed PodDisruptionBudget default/web (found no controllers)');
  });

  test('if its budget counts no pods, because they have no controller with replicas', () => {
    const counted = { expectedPods: 0, desiredHealthy: 0, currentHealthy: 3, disruptionsAllowed: 0 };
    const why = whyNeverEvicted(WEB, [budget({ maxUnavailable: 1 }, counted)]);
    expect(why).toEqual({
      reason: 'PDBCountsNoPods',
      message:
        'PodDisruptionBudget default/web (maxUnavailable: 1) selects 3 healthy pods and counts none, because its pods have no controller with replicas, so none can ever be evicted: set minAvailable to a number, or let a controller such as a Deployment create the pods',
      numbers: { expectedPods: 0, currentHealthy: 3 },
    });
  });

  test('while Kubernetes has not computed the current generation of its budget', () => {
    const one = budget({ maxUnavailable: 1 }, { observedGeneration: 1 });
    const changed = { ...one, metadata: { ...one.metadata, generation: 2 } };
    const numbers = { generation: 2, observedGeneration: 1 };
    expect(whyNeverEvicted(WEB, [changed])).toMatchObject({ reason: 'PDBNotComputed', numbers });
  });
});

describe('a pod may be evicted later', () => {
  test.each<[string, PodDisruptionBudget[]]>([
    ['if its budget is used up now', [budget({ maxUnavailable: 1 }, { desiredHealthy: 2, expectedPods: 3 })]],
    [
      'if too few of its pods are healthy now',
      [budget({ minAvailable: 1 }, { desiredHealthy: 1, expectedPods: 2, currentHealthy: 0 })],
    ],
    [
      'if its budget has seen no healthy pod yet',
      [budget({ maxUnavailable: 1 }, { expectedPods: 0, desiredHealthy: 0, currentHealthy: 0 })],
    ],
    [
      'if no budget selects it',
      [{ ...budget({ maxUnavailable: 0 }), spec: { selector: { matchLabels: { app: 'other' } } } }],
    ],
    [
      'if the budget of another namespace would select it',
      [{ ...budget({ maxUnavailable: 0 }), metadata: { name: 'web', namespace: 'other' } }],
    ],
  ])('%s', (_, budgets) => {
    expect(whyNeverEvicted(WEB, budgets)).toBeUndefined();
  });
});

describe('what a drain reports of refused evictions', () => {
  const NEVER = budget({ maxUnavailable: 0 }, { desiredHealthy: 3, expectedPods: 3 });
  const second = runningPod('node-1', { name: 'web-2', labels: { app: 'web' } });

  test('the claim names the first pod, and each pod has its budget', () => {
    const { news, evictionsRefused } = examineRefusals(
      draining(),
      { refused: [second, WEB], budgets: [NEVER] },
      NOW_MS,
    );
    expect(evictionsRefused).toMatchObject({ sinceMs: NOW_MS, never: { reason: 'PDBNeverMet' } });
    expect(news.map(({ subject, reason }) => [subject, reason])).toEqual([
      [{ kind: 'NodeClaim', name: 'general-1' }, 'PDBNeverMet'],
      [{ kind: 'Pod', namespace: 'default', name: 'web-1' }, 'PDBNeverMet'],
      [{ kind: 'Pod', namespace: 'default', name: 'web-2' }, 'PDBNeverMet'],
    ]);
    expect(news[0]?.message).toMatch(
      /^pod default\/web-1 can never be evicted: PodDisruptionBudget .*; and 1 more pod$/,
    );
  });

  test('it is news once', () => {
    const first = examineRefusals(draining(), { refused: [WEB], budgets: [NEVER] }, NOW_MS);
    const later = { refused: [WEB], budgets: [NEVER] };
    expect(examineRefusals(draining(first.evictionsRefused), later, NOW_MS + HOUR)).toEqual({
      evictionsRefused: first.evictionsRefused,
      news: [],
    });
  });

  test('a budget that is used up now, or cannot be read, is not reported', () => {
    const usedUp = budget({ maxUnavailable: 1 }, { desiredHealthy: 2, expectedPods: 3 });
    const nothing = { evictionsRefused: { sinceMs: NOW_MS }, news: [] };
    expect(examineRefusals(draining(), { refused: [WEB], budgets: [usedUp] }, NOW_MS)).toEqual(nothing);
    expect(examineRefusals(draining(), { refused: [WEB] }, NOW_MS)).toEqual(nothing);
  });

  test('the reason is removed when the budget has changed, or no eviction is refused any more', () => {
    const known = { sinceMs: NOW_MS - HOUR, never: { reason: 'PDBNeverMet', message: 'pod default/web-1' } };
    for (const refused of [[WEB], []]) {
      const found = examineRefusals(draining(known), { refused, budgets: [] }, NOW_MS);
      expect(found).toEqual({ evictionsRefused: { sinceMs: NOW_MS - HOUR }, news: [] });
    }
  });

  test.each([
    ['at the first refusal', undefined, 30 * SECOND, true],
    ['in the first poll of a minute', { sinceMs: NOW_MS }, MINUTE, true],
    ['and in no other poll', { sinceMs: NOW_MS }, 30 * SECOND, false],
  ])('budgets are read %s', (...[, known, afterMs, expected]) => {
    const { deletion } = draining(known);
    expect(deletion && examinesRefusals(deletion, [], NOW_MS + afterMs)).toBe(expected);
  });

  test('the condition Drained of the NodeClaim has the reason', () => {
    const conditionOf = (known?: EvictionsRefused) =>
      conditionsOf(draining(known), {}).find(({ type }) => type === 'Drained');
    expect(conditionOf()).toMatchObject({ status: 'Unknown', reason: 'Draining', message: '' });
    expect(conditionOf({ sinceMs: NOW_MS })).toMatchObject({ status: 'Unknown', reason: 'Draining', message: '' });
    const never = { reason: 'PDBNeverMet', message: 'pod default/web-1 can never be evicted' };
    expect(conditionOf({ sinceMs: NOW_MS, never })).toMatchObject({ status: 'Unknown', ...never });
  });
});
