import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { inRequirement } from '../../../lib/core/requirements/requirement.ts';
import { problemIndexOf, type Run, startRun } from '../../../lib/core/scheduling/run.ts';
import type { SchedulingProblem } from '../../../lib/core/scheduling/schedule.ts';
import { solve, solveWithBound } from '../../../lib/core/scheduling/solve.ts';
import { anInstanceType } from '../../builders/instance-types.ts';
import { aPoolView, asking } from '../../builders/node-pools.ts';
import { pendingPod, pendingPods, spread } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** Forty types of four families. */
const types = Array.from({ length: 40 }, (_, at) =>
  anInstanceType({ name: `${'cmrt'[at % 4]}5.size${at}`, cpu: 2 + at, memoryGib: 4 * (2 + at) }),
);

function problemOf(pods: readonly Pod[], nodePools = [aPoolView({ types })]): SchedulingProblem {
  return { pods, stateNodes: [], nodePools, daemonSets: [] };
}

const preference = { matchExpressions: [asking('karpenter.k8s.aws/instance-family', 'In', 'c5')] };

/** Workloads that differ in size, zone, spread and preference. */
const WORKLOADS = {
  plain: {},
  large: { requests: { cpu: '3', memory: '2Gi' } },
  zonal: { spec: { nodeSelector: { [ZONE]: 'eu-west-3b' } } },
  spread: { labels: { app: 'web' }, spec: { topologySpreadConstraints: [spread()] } },
  preferring: {
    spec: {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } },
    },
  },
} as const;

/** The given number of pods of each workload. */
function workloads(of: number): readonly Pod[] {
  return Object.entries(WORKLOADS).flatMap(([name, over]) => pendingPods(of, { name, ...over }));
}

/** The number of requirement sets of a run, read from the number of a new set. */
function setsOf({ sets }: Run): number {
  return sets.intern(new Map([['never-asked-for', inRequirement('never-asked-for', ['x'])]])).id;
}

/** Pods of which each excludes an instance type of its own, so that any two of them have requirements that no other two have. */
function differing(of: number): readonly Pod[] {
  return Array.from({ length: of }, (_, at) => {
    const matchExpressions = [asking('node.kubernetes.io/instance-type', 'NotIn', `x${at}`, 'c5.size0')];
    const required = { nodeSelectorTerms: [{ matchExpressions }] };
    return pendingPod({
      name: `differing-${at}`,
      requests: { cpu: `${100 + (at % 397)}m`, memory: `${64 + (at % 311)}Mi` },
      spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } },
    });
  });
}

/** How often a run looks up a label of an instance type. */
function labelsRead(pods: readonly Pod[]): number {
  let reads = 0;
  const watched = types.map((type) => ({
    ...type,
    get requirements() {
      reads += 1;
      return type.requirements;
    },
  }));
  solve(problemOf(pods, [aPoolView({ types: watched })]));
  return reads;
}

describe('the work of a run grows with the number of classes, not of pods', () => {
  test('5,000 pods of five workloads have five classes, as 50 pods do (B40)', () => {
    const classes = (of: number): number => problemIndexOf(problemOf(workloads(of))).groups.length;
    expect([classes(10), classes(1_000)]).toEqual([5, 5]);
  });

  test('fields that do not affect placement do not create a class (B40)', () => {
    const pods = Array.from({ length: 100 }, (_, at) =>
      pendingPod({
        name: `job-${at}`,
        labels: { app: 'job', index: String(at) },
        annotations: { at: String(at) },
        createdAtMs: NOW_MS - at,
        ownerUid: `uid-${at}`,
      }),
    );
    expect(problemIndexOf(problemOf(pods)).groups).toHaveLength(1);
  });

  test.each([
    ['requests', { requests: { cpu: '2' } }],
    ['a node selector', { spec: { nodeSelector: { [ZONE]: 'eu-west-3b' } } }],
    ['tolerations', { spec: { tolerations: [{ operator: 'Exists' as const }] } }],
    ['a namespace', { namespace: 'other' }],
    ['a host port', { containers: [{ name: 'main', ports: [{ hostPort: 80 }] }] }],
  ])('%s of its own makes one (B40)', (_, over) => {
    const pods = [...pendingPods(3), pendingPod({ name: 'other', ...over })];
    expect(problemIndexOf(problemOf(pods)).groups).toHaveLength(2);
  });

  test('a label creates a class if a selector uses it (B40)', () => {
    const rollouts = [1, 2].map((at) => pendingPod({ name: `web-${at}`, labels: { rollout: String(at) } }));
    const selecting = pendingPod({
      name: 'selecting',
      spec: { topologySpreadConstraints: [spread({ labelSelector: { matchLabels: { rollout: '1' } } })] },
    });
    expect(problemIndexOf(problemOf(rollouts)).groups).toHaveLength(1);
    expect(problemIndexOf(problemOf([...rollouts, selecting])).groups).toHaveLength(3);
  });

  test('the number of requirement sets does not grow (B40)', () => {
    const demanded = (of: number): number => {
      const run = startRun(problemIndexOf(problemOf(workloads(of))), 'cost');
      for (const { podClass } of run.groups) run.demandFor(podClass);
      return setsOf(run);
    };
    expect(demanded(200)).toBe(demanded(2));
  });

  test('pods with requirements of their own are compared up to a number of pairs, and are all placed', () => {
    const small = Array.from({ length: 4 }, (_, at) => anInstanceType({ name: `c5.size${at}`, cpu: 1, memoryGib: 2 }));
    const pods = [...differing(800), ...pendingPods(50, { name: 'plain', requests: { cpu: '100m' } })];
    const problem = problemOf(pods, [aPoolView({ types: small })]);
    const { schedule, boundOf } = solveWithBound(problem);
    // Two attempts, of which each joins 10,000 pairs at most for new claims and for open ones.
    expect(setsOf(startRun(problemIndexOf(problem), 'cost'))).toBeLessThan(2 * 20_000 + 5 * 800);
    expect(schedule.unplaced).toEqual([]);
    expect(boundOf(schedule.newClaims)).toBeUndefined();
    // Pods without requirements still share the nodes of the others.
    const kindsOn = schedule.newClaims.map(
      (claim) => new Set(claim.pods.map((pod) => pod.metadata.name.split('-')[0])),
    );
    expect(kindsOn).toContainEqual(new Set(['differing', 'plain']));
  });

  test('pairs that are incompatible do not count: pods of 150 teams, each with a node selector of its own, share 150 nodes', () => {
    const pods = Array.from({ length: 150 }, (_, team) =>
      Array.from({ length: 4 }, (_none, at) => {
        const requests = { cpu: `${300 + 10 * at}m`, memory: `${500 + 10 * at}Mi` };
        return pendingPod({ name: `team-${team}-${at}`, requests, spec: { nodeSelector: { team: `team-${team}` } } });
      }),
    ).flat();
    const pool = aPoolView({ types, requirements: [asking('team', 'Exists')] });
    const { schedule, boundOf } = solveWithBound(problemOf(pods, [pool]));
    expect(schedule.newClaims.map((claim) => claim.pods.length)).toEqual(Array.from({ length: 150 }, () => 4));
    expect(boundOf(schedule.newClaims)).toBeGreaterThan(0);
  });

  test.each(Object.entries(WORKLOADS))(
    'the labels of instance types are looked up as often for 4,000 pods as for 400: the workload %s (B40)',
    (name, over) => {
      expect(labelsRead(pendingPods(4_000, { name, ...over }))).toBe(labelsRead(pendingPods(400, { name, ...over })));
    },
  );
});
