import { describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import type { Pod, PodSpec } from '../../../../lib/apis/kubernetes.ts';
import { provision } from '../../../../lib/core/provisioning/provision.ts';
import { relax, withFewPreferences } from '../../../../lib/core/scheduling/pods/relax.ts';
import { asking } from '../../../builders/node-pools.ts';
import { affinityTerm, pendingPod, spread } from '../../../builders/pods.ts';
import { aSnapshot } from '../../../builders/snapshots.ts';
import { NOW_MS } from '../../../builders/times.ts';

/** One word for each relaxed preference, in order. */
function relaxations(spec: Partial<PodSpec>): readonly string[] {
  const seen: string[] = [];
  let before = pendingPod({ spec });
  for (let after = relax(before); after !== undefined; after = relax(after)) {
    seen.push(dropped(before, after));
    before = after;
  }
  return seen;
}

function dropped(before: Pod, after: Pod): string {
  const gone = parts(before).filter((part) => !parts(after).includes(part));
  return gone.length > 0 ? gone.join() : 'tolerates PreferNoSchedule taints';
}

function parts({ spec }: Pod): readonly string[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  return [
    ...(nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).map(
      (term) => `required ${term.matchExpressions?.[0]?.key ?? ''}`,
    ),
    ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((one) => `affinity ${one.weight}`),
    ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((one) => `anti ${one.weight}`),
    ...(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((one) => `node ${one.weight}`),
    ...(spec.topologySpreadConstraints ?? []).map((one) => `spread ${one.topologyKey}`),
  ];
}

const term = (key: string) => ({ matchExpressions: [asking(key, 'Exists')] });
const weighted = (weight: number) => ({ weight, podAffinityTerm: affinityTerm() });
const soft = (topologyKey: string) => spread({ topologyKey, whenUnsatisfiable: 'ScheduleAnyway' });
const preferring = (weight: number) => ({ weight, preference: term('a') });

describe('preferences are relaxed one at a time (B31)', () => {
  test('first the required alternatives, then the highest weight of each kind, then ScheduleAnyway constraints, then PreferNoSchedule taints', () => {
    const spec: Partial<PodSpec> = {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('a'), term('b'), term('c')] },
          preferredDuringSchedulingIgnoredDuringExecution: [preferring(1), preferring(50)],
        },
        podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [weighted(5), weighted(7)] },
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [weighted(9), weighted(3)] },
      },
      topologySpreadConstraints: [
        spread({ topologyKey: 'hard' }),
        spread({ topologyKey: 'soft', whenUnsatisfiable: 'ScheduleAnyway' }),
      ],
    };
    expect(relaxations(spec)).toEqual([
      'required a',
      'required b',
      'affinity 7',
      'affinity 5',
      'anti 9',
      'anti 3',
      'node 50',
      'node 1',
      'spread soft',
      'tolerates PreferNoSchedule taints',
    ]);
  });

  test('ScheduleAnyway constraints are dropped in their order; Karpenter replaces a dropped one with the last (B31)', () => {
    expect(relaxations({ topologySpreadConstraints: [soft('a'), spread(), soft('b'), soft('c')] })).toEqual([
      'spread a',
      'spread b',
      'spread c',
      'tolerates PreferNoSchedule taints',
    ]);
  });

  test('of preferences with equal weight, the first is dropped first (B31)', () => {
    const preferred = ['a', 'b'].map((key) => ({ weight: 1, preference: term(key) }));
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    const after = relax(pendingPod({ spec: { affinity } }));
    expect(after?.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toEqual([preferred[1]]);
  });

  test('a pod without preferences can only tolerate PreferNoSchedule taints', () => {
    expect(relaxations({})).toEqual(['tolerates PreferNoSchedule taints']);
  });

  test('an empty required term is not an alternative, because it matches no node', () => {
    const nodeSelectorTerms = [{}, term('a'), {}, term('b'), {}];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    expect(relaxations({ affinity: { nodeAffinity } })).toEqual([
      'required ,required a,required ,required ',
      'tolerates PreferNoSchedule taints',
    ]);
  });

  test('the last required term, required affinity and DoNotSchedule constraints stay', () => {
    const spec: Partial<PodSpec> = {
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('a')] } },
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm()] },
      },
      topologySpreadConstraints: [spread()],
    };
    expect(relaxations(spec)).toEqual(['tolerates PreferNoSchedule taints']);
  });

  test('the pod itself is not changed', () => {
    const pod = pendingPod({ spec: { topologySpreadConstraints: [spread({ whenUnsatisfiable: 'ScheduleAnyway' })] } });
    relax(pod);
    expect(pod.spec.topologySpreadConstraints).toHaveLength(1);
  });
});

describe('a pod with more than 50 preferences of a kind', () => {
  const weights = Array.from({ length: 60 }, (_, at) => ((at * 7) % 60) + 1);
  const podTerms = weights.map((weight) => ({ weight, podAffinityTerm: affinityTerm() }));
  const nodeTerms = weights.map((weight) => ({ weight, preference: { matchExpressions: [asking('a', 'Exists')] } }));
  const anyway = weights.map((at) => spread({ topologyKey: `k${at}`, whenUnsatisfiable: 'ScheduleAnyway' }));
  const pod = pendingPod({
    spec: {
      affinity: {
        podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: podTerms },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: podTerms,
          requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm()],
        },
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: nodeTerms },
      },
      topologySpreadConstraints: [...anyway, spread()],
    },
  });

  test('keeps the heaviest 50 in their order, and what it requires', () => {
    const { affinity, topologySpreadConstraints } = withFewPreferences(pod).spec;
    const heavy = weights.filter((weight) => weight > 10);
    for (const kind of ['podAffinity', 'podAntiAffinity', 'nodeAffinity'] as const) {
      const kept = affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
      expect(kept.map(({ weight }) => weight)).toEqual(heavy);
    }
    expect(affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual([affinityTerm()]);
    expect(topologySpreadConstraints).toEqual([...anyway.slice(0, 50), spread()]);
  });

  test('a pod with 50 of each stays as it is', () => {
    const few = withFewPreferences(pod);
    expect(withFewPreferences(few)).toBe(few);
  });

  test('one pod with thousands of preferences does not use the memory of the run', () => {
    const preferred = Array.from({ length: 4_000 }, (_, at) => ({
      weight: 1,
      podAffinityTerm: affinityTerm({ topologyKey: `key-${at}` }),
    }));
    const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
    const pods = [pendingPod({ name: 'greedy', spec: { affinity: { podAffinity } } }), pendingPod()];
    const before = performance.now();
    const { actions } = provision(aSnapshot({ pods }), { decisionId: 'decision-1', nowMs: NOW_MS });
    expect(actions).toMatchObject([{ nodeClaim: { pods: ['default/greedy', 'default/web-1'] } }]);
    expect(performance.now() - before).toBeLessThan(10 * SECOND_MS);
  });
});
