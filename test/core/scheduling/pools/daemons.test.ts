import { describe, expect, test } from 'vitest';
import type { NodeSelectorTerm, Pod, PodSpec } from '../../../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aDaemonSet, aNode } from '../../../builders/nodes.ts';
import { pendingPod, runningPod } from '../../../builders/pods.ts';
import { HOUR, NOW_MS } from '../../../builders/times.ts';
import { place, typesOf } from '../problems.ts';

const ARCH = 'kubernetes.io/arch';
const CPU = 'karpenter.k8s.aws/instance-cpu';

function asking100m(over: Partial<PodSpec> = {}): ClusterSnapshot['daemonSets'] {
  return [aDaemonSet('logs', over)];
}

/** A pod of the DaemonSet `logs` that runs on the node `old`. */
function daemonPod(name: string, cpu: string, options: Parameters<typeof runningPod>[1] = {}): Pod {
  return runningPod('old', { name, owner: 'DaemonSet', ownerUid: 'uid-logs', requests: { cpu }, ...options });
}

/** The cpu requests of daemons on a new claim for a pod of one CPU, in millicores. */
function overheadOf(daemonSets: ClusterSnapshot['daemonSets'], running: readonly Pod[] = []): number | undefined {
  const nodes = [aNode({ name: 'old', allocatable: { cpu: '1', memory: '1Gi', pods: '9' } })];
  const [claim] = place([pendingPod({ requests: { cpu: '1' } })], { daemonSets, nodes, pods: running }).newClaims;
  return claim && (claim.requests['cpu'] ?? 0) - 1_000;
}

function requiring(...nodeSelectorTerms: readonly NodeSelectorTerm[]): Partial<PodSpec> {
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}

describe('the requests of a daemon on a new node', () => {
  test('are those of its newest pod, including changes by admission (B20)', () => {
    const running = [
      daemonPod('logs-b', '300m', { createdAtMs: NOW_MS - HOUR }),
      daemonPod('logs-a', '400m', { createdAtMs: NOW_MS }),
      daemonPod('logs-c', '200m', { createdAtMs: NOW_MS - 2 * HOUR }),
    ];
    expect(overheadOf(asking100m(), running)).toBe(400);
  });

  test('are those of its newest pod, also if it has no node yet: in a rollout, the new node must have room for it (B20)', () => {
    const newer = pendingPod({ name: 'logs-b', owner: 'DaemonSet', ownerUid: 'uid-logs', requests: { cpu: '600m' } });
    const running = [daemonPod('logs-a', '400m', { createdAtMs: NOW_MS - HOUR })];
    expect(overheadOf(asking100m(), [...running, newer])).toBe(600);
    const ended = { ...newer, status: { phase: 'Failed' } } as const;
    expect(overheadOf(asking100m(), [...running, ended])).toBe(400);
  });

  test('are those of the template while no pod runs (B20)', () => {
    const other = daemonPod('other-a', '400m', { ownerUid: 'uid-other' });
    const ended = daemonPod('logs-a', '400m', { status: { phase: 'Failed' } });
    expect(overheadOf(asking100m(), [other, ended])).toBe(100);
  });

  test('are its limits if the template has no requests (B20)', () => {
    const containers = [{ name: 'main', resources: { limits: { cpu: '250m' } } }];
    expect(overheadOf(asking100m({ containers }))).toBe(250);
  });

  test('run on no node if every term of the template is empty', () => {
    const running = [daemonPod('logs-a', '400m')];
    expect(overheadOf(asking100m(requiring({})), running)).toBe(0);
    expect(overheadOf(asking100m(requiring({}, { matchExpressions: [asking(ARCH, 'Exists')] })), running)).toBe(400);
  });

  test('do not depend on the node to which its newest pod is pinned (B20)', () => {
    const pinned = requiring({ matchFields: [asking('metadata.name', 'In', 'old')] });
    const pod = daemonPod('logs-a', '400m', { spec: { nodeName: 'old', ...pinned } });
    expect(overheadOf(asking100m(), [pod])).toBe(400);
  });

  test('count on the nodes that the template selects, regardless of its newest pod (B20)', () => {
    const onArm = { nodeSelector: { [ARCH]: 'arm64' } };
    expect(overheadOf(asking100m(onArm), [daemonPod('logs-a', '400m')])).toBe(0);
    const pod = daemonPod('logs-a', '400m', { spec: { nodeName: 'old', ...onArm } });
    expect(overheadOf(asking100m(), [pod])).toBe(400);
  });
});

describe('the daemons that run on a new node', () => {
  const half = [{ name: 'main', resources: { requests: { cpu: '500m' } } }];
  const tight = pendingPod({ requests: { cpu: '1600m' } });
  const typesWith = (
    spec: Partial<PodSpec>,
    pool: Parameters<typeof aPoolView>[0] = {},
  ): readonly string[] | undefined =>
    typesOf(place([tight], { daemonSets: asking100m({ containers: half, ...spec }), nodePools: [aPoolView(pool)] }))[0];

  test('those with a required term that the node satisfies (B21)', () => {
    const arm = { matchExpressions: [asking(ARCH, 'In', 'arm64')] };
    expect(typesWith(requiring(arm))).toContain('m5.large');
    expect(typesWith(requiring(arm, { matchExpressions: [asking(CPU, 'In', '2')] }))).toEqual([
      'm5.xlarge',
      'm5.2xlarge',
    ]);
  });

  test('also those that do not tolerate a startup taint, because it will be removed (B21)', () => {
    expect(typesWith({}, { startupTaints: [{ key: 'cni', effect: 'NoSchedule' }] })).not.toContain('m5.large');
  });

  test.each(['karpenter.sh/registered', 'karpenter.sh/initialized'])('those that wait for %s (B21)', (label) => {
    const requestsWith = (value: string): number | undefined =>
      place([pendingPod({ requests: { cpu: '1' } })], { daemonSets: asking100m({ nodeSelector: { [label]: value } }) })
        .newClaims[0]?.requests['cpu'];
    expect([requestsWith('true'), requestsWith('false')]).toEqual([1_100, 1_000]);
  });

  test('preferences do not exclude daemons (B21)', () => {
    const preference = { matchExpressions: [asking(ARCH, 'In', 'arm64')] };
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } };
    expect(typesWith({ affinity })).not.toContain('m5.large');
  });

  test('each type is evaluated with its own daemons (B21)', () => {
    const daemonSets = [
      aDaemonSet('small', { containers: half, nodeSelector: { [CPU]: '2' } }),
      aDaemonSet('large', { containers: half, nodeSelector: { [CPU]: '8' } }),
    ];
    const [claim] = place([pendingPod({ requests: { cpu: '7600m' } })], { daemonSets }).newClaims;
    expect(claim).toBeUndefined();
    expect(typesOf(place([pendingPod({ requests: { cpu: '1600m' } })], { daemonSets }))).toEqual([
      ['m5.xlarge', 'm5.2xlarge'],
    ]);
  });
});
