import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { KarpenterLease } from '../../../lib/core/cluster/karpenter-signs.ts';
import {
  type AutoModeSigns,
  type AutoscalerTraces,
  activeAutoscalers,
  ignoredAutoscalers,
} from '../../../lib/core/cluster/other-autoscalers.ts';
import { NOW_MS } from '../../builders/times.ts';
import {
  aKarpenterDeployment,
  aKarpenterLease,
  KARPENTER_ACCOUNT,
  KARPENTER_TRACES,
  NO_TRACES,
} from './autoscaler-traces.ts';

type Traces = Partial<AutoscalerTraces & AutoModeSigns>;

const NO_AUTO_MODE = { autoMode: false, autoModePools: [] };

function reasons(traces: Traces): readonly string[] {
  return activeAutoscalers('demo', { ...NO_TRACES, ...NO_AUTO_MODE, ...traces }, NOW_MS).map(({ reason }) => reason);
}

function unreadableLease(namespace: string): KarpenterLease {
  return { namespace, holder: 'x', durationMs: 15_000 };
}

function ignored(traces: Traces) {
  return ignoredAutoscalers('demo', { ...NO_TRACES, ...traces }, NOW_MS);
}

describe('Karpenter', () => {
  test.each([
    ['renewed just now', {}, true],
    ['renewed by a clock that is ahead', { renewedAtMs: NOW_MS + 2 * MINUTE_MS }, true],
    ['whose time is over for less than the slack', { renewedAtMs: NOW_MS - 29_999 }, true],
    ['that is no longer renewed: Karpenter was removed', { renewedAtMs: NOW_MS - 30_000 }, false],
    ['that was given back by a Karpenter that was scaled down', { holder: '', durationMs: 1_000 }, false],
    ['with a long duration that was not renewed', { renewedAtMs: NOW_MS - 75_000, durationMs: 1e12 }, false],
  ])('with a lease %s', (_, lease, active) => {
    const traces = { leases: [aKarpenterLease(lease)], writers: [KARPENTER_ACCOUNT] };
    expect(reasons(traces)).toEqual(active ? ['KarpenterActive'] : []);
    expect(ignored(traces)).toBeUndefined();
  });

  test('in a namespace of its own counts like in kube-system', () => {
    const leases = [aKarpenterLease({ namespace: 'karpenter' })];
    expect(reasons({ leases, writers: [{ namespace: 'karpenter', name: 'any' }] })).toEqual(['KarpenterActive']);
  });

  test('without leader election shows by a ready replica of its Deployment', () => {
    expect(reasons(KARPENTER_TRACES)).toEqual(['KarpenterActive']);
  });

  test('that is scaled to zero is not a sign, and not reported', () => {
    const traces = { ...KARPENTER_TRACES, deployments: [aKarpenterDeployment({ replicas: 0, ready: 1 })] };
    expect(reasons(traces)).toEqual([]);
    expect(ignored(traces)).toBeUndefined();
  });

  test('the reason names what was seen, in numbers, and what to do', () => {
    const [active] = activeAutoscalers(
      'demo',
      {
        ...NO_TRACES,
        ...NO_AUTO_MODE,
        namespaces: ['ops'],
        leases: [aKarpenterLease({ namespace: 'ops' })],
        deployments: [aKarpenterDeployment({ namespace: 'ops', name: 'karp' })],
        writers: [{ namespace: 'ops', name: 'karpenter' }],
      },
      NOW_MS,
    );
    expect(active).toMatchObject({
      subject: { kind: 'Cluster', name: 'demo' },
      numbers: { renewedSecondsAgo: 3, leaseSeconds: 15, replicas: 2, ready: 2 },
    });
    expect(active?.message).toContain('kubectl -n ops scale deployment karp --replicas=0');
  });
});

describe('a sign that a user of one namespace can create', () => {
  test.each<[string, Traces, string]>([
    [
      'a Deployment of another namespace',
      { ...KARPENTER_TRACES, deployments: [aKarpenterDeployment({ namespace: 'team-a' })] },
      'Deployment team-a/karpenter: namespace team-a is not in karpenterNamespaces (kube-system, karpenter)',
    ],
    [
      'a Deployment without a ready pod',
      { ...KARPENTER_TRACES, deployments: [aKarpenterDeployment({ ready: 0 })] },
      'Deployment kube-system/karpenter: none of its 2 replicas is ready',
    ],
    [
      'a Deployment whose service account has no right on NodeClaims',
      { ...KARPENTER_TRACES, deployments: [aKarpenterDeployment({ serviceAccount: 'web' })] },
      'Deployment kube-system/karpenter: its service account web may not create nodeclaims.karpenter.sh',
    ],
    [
      'a Deployment whose service account has the name of a writer in another namespace',
      { ...KARPENTER_TRACES, deployments: [aKarpenterDeployment({ namespace: 'karpenter' })] },
      'Deployment karpenter/karpenter: its service account karpenter may not create nodeclaims.karpenter.sh',
    ],
    [
      'a Lease of another namespace',
      { leases: [aKarpenterLease({ namespace: 'team-a' })], writers: [KARPENTER_ACCOUNT] },
      'Lease team-a/karpenter-leader-election: namespace team-a is not in karpenterNamespaces (kube-system, karpenter)',
    ],
    [
      'a Lease that is renewed in the future',
      { leases: [aKarpenterLease({ renewedAtMs: NOW_MS + 121_000 })], writers: [KARPENTER_ACCOUNT] },
      'Lease kube-system/karpenter-leader-election: it is renewed 121 s in the future, more than 120 s',
    ],
    [
      'a Lease whose time cannot be read',
      { leases: [unreadableLease('karpenter')], writers: [{ namespace: 'karpenter', name: 'any' }] },
      'Lease karpenter/karpenter-leader-election: its renewTime is not a time',
    ],
    [
      'a Lease of another namespace whose time cannot be read',
      { leases: [unreadableLease('team-a')] },
      'Lease team-a/karpenter-leader-election: namespace team-a is not in karpenterNamespaces',
    ],
    [
      'a Lease in a namespace in which no service account has the right',
      { leases: [aKarpenterLease({ namespace: 'karpenter' })], writers: [KARPENTER_ACCOUNT] },
      'Lease karpenter/karpenter-leader-election: no service account of a Deployment in namespace karpenter may create nodeclaims.karpenter.sh',
    ],
  ])('is ignored and named: %s', (_, traces, why) => {
    expect(reasons(traces)).toEqual([]);
    expect(ignored(traces)).toMatchObject({ reason: 'UnprovenAutoscaler', numbers: { signs: 1 } });
    expect(ignored(traces)?.message).toContain(why);
  });

  test('does not hide a true one', () => {
    const deployments = [aKarpenterDeployment({ namespace: 'team-a' }), aKarpenterDeployment()];
    expect(reasons({ ...KARPENTER_TRACES, deployments })).toEqual(['KarpenterActive']);
    expect(ignored({ ...KARPENTER_TRACES, deployments })?.numbers).toEqual({ signs: 1 });
  });

  test('is one of many: three are named, and the rest is counted', () => {
    const deployments = [5, 3, 4, 2, 1].map((n) => aKarpenterDeployment({ namespace: `team-${n}` }));
    const report = ignored({ deployments });
    expect(report?.numbers).toEqual({ signs: 5 });
    expect(report?.message).toMatch(/team-1\/.*team-2\/.*team-3\/.*; and 2 more/);
    expect(report?.message).not.toContain('team-4/');
  });
});

describe('EKS Auto Mode', () => {
  test.each([
    ['EKS says that it runs', { autoMode: true }, true],
    [
      'EKS says that it does not run, whatever NodePools it left',
      { autoMode: false, autoModePools: ['system'] },
      false,
    ],
    ['EKS says nothing, and a NodePool is there', { autoMode: undefined, autoModePools: ['system'] }, true],
    ['EKS says nothing, and no NodePool is there', { autoMode: undefined }, false],
  ])('%s', (_, traces, active) => {
    expect(reasons(traces)).toEqual(active ? ['AutoModeActive'] : []);
  });
});
