import { describe, expect, test } from 'vitest';
import { activeAutoscalers, type KarpenterLease } from '../../../lib/core/cluster/other-autoscalers.ts';
import { NOW_MS } from '../../builders/times.ts';

const NO_TRACES = { leases: [], deployments: [], autoModePools: [], unread: [], autoMode: false };

function aLease(over: Partial<KarpenterLease> = {}): KarpenterLease {
  return {
    namespace: 'kube-system',
    holder: 'karpenter-5b_1',
    renewedAtMs: NOW_MS - 3_000,
    durationMs: 15_000,
    ...over,
  };
}

function reasons(traces: Partial<Parameters<typeof activeAutoscalers>[1]>): readonly string[] {
  return activeAutoscalers('demo', { ...NO_TRACES, ...traces }, NOW_MS).map(({ reason }) => reason);
}

describe('Karpenter', () => {
  test.each([
    ['renewed just now', {}, true],
    ['renewed by a clock that is ahead', { renewedAtMs: NOW_MS + 5_000 }, true],
    ['whose time is over for less than the slack', { renewedAtMs: NOW_MS - 29_999 }, true],
    ['that is no longer renewed: Karpenter was removed', { renewedAtMs: NOW_MS - 30_000 }, false],
    ['that was given back by a Karpenter that was scaled down', { holder: '', durationMs: 1_000 }, false],
    ['in a namespace of its own', { namespace: 'karpenter' }, true],
  ])('with a lease %s', (_, lease, active) => {
    expect(reasons({ leases: [aLease(lease)] })).toEqual(active ? ['KarpenterActive'] : []);
  });

  test('without leader election shows by the replicas that its Deployment is to have', () => {
    const deployment = { namespace: 'kube-system', name: 'karpenter', replicas: 2 };
    expect(reasons({ deployments: [deployment] })).toEqual(['KarpenterActive']);
    expect(reasons({ deployments: [{ ...deployment, replicas: 0 }] })).toEqual([]);
  });

  test('the reason names what was seen, in numbers, and what to do', () => {
    const deployments = [{ namespace: 'ops', name: 'karp', replicas: 2 }];
    const [active] = activeAutoscalers(
      'demo',
      { ...NO_TRACES, leases: [aLease({ namespace: 'ops' })], deployments },
      NOW_MS,
    );
    expect(active).toMatchObject({
      subject: { kind: 'Cluster', name: 'demo' },
      numbers: { renewedSecondsAgo: 3, leaseSeconds: 15, replicas: 2 },
    });
    expect(active?.message).toContain('kubectl -n ops scale deployment karp --replicas=0');
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
