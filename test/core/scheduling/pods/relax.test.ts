import { describe, expect, test } from 'vitest';
import type { Pod, PodSpec } from '../../../../lib/apis/kubernetes.ts';
import { relax } from '../../../../lib/core/scheduling/pods/relax.ts';
import { asking } from '../../../builders/node-pools.ts';
import { affinityTerm, pendingPod, spread } from '../../../builders/pods.ts';

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
