import { expect, test } from 'vitest';
import { type Node, namespaceOf, type Pod } from '../../../lib/apis/kubernetes.ts';
import { readings } from '../../../lib/controllers/observe/readings.ts';
import { observeNeed } from '../../../lib/controllers/provisioning/observe-need.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { aNode } from '../../builders/nodes.ts';
import { pendingPod, runningPod } from '../../builders/pods.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';
import { clusterWith } from '../../simulator/kubernetes/cluster-with.ts';

const POD = pendingPod({ name: 'web', createdAtMs: NOW_MS - 4 * MINUTE });
const PLANNED = { pods: [`${namespaceOf(POD)}/web`] };
const JOINED = launchedClaim({ ...PLANNED, nodeName: 'node-a', registeredAtMs: NOW_MS });
const DELETED = { deletion: { reason: 'expired', message: '', requestedAtMs: NOW_MS } } as const;
const OF_DAEMON_SET = runningPod('node-a', { name: 'agent', owner: 'DaemonSet' });

async function needFor(
  pods: readonly Pod[],
  claims: readonly NodeClaimRecord[],
  nodes: readonly Node[] | 'unread' = [],
): Promise<string> {
  const clock = { now: () => NOW_MS };
  const cluster = simulatedCluster(clusterWith({ nodes: nodes === 'unread' ? [] : nodes, pods }), clock);
  const readNode: typeof cluster.readNode = async (name) => {
    if (nodes === 'unread') throw new UnreachableError('the API server does not answer');
    return cluster.readNode(name);
  };
  const ports = { cluster: { ...cluster, readNode }, clock, settings: DEFAULT_SETTINGS };
  const need = await observeNeed(ports, async () => claims, readings());
  return need.kind === 'decision' ? 'decision' : `nominations of ${[...need.awaited.values()].flat().length} pods`;
}

test.each<[string, readonly NodeClaimRecord[]]>([
  ['is launched', [aClaim(PLANNED)]],
  ['has an instance', [launchedClaim(PLANNED)]],
  ['has joined, and has only pods that were planned for it', [JOINED]],
])('a pod needs no decision while the node that is planned for it %s', async (_, claims) => {
  expect(await needFor([POD, OF_DAEMON_SET], claims)).toBe('nominations of 1 pods');
});

test.each<[string, readonly NodeClaimRecord[], readonly Pod[]]>([
  ['no node is planned for it', [], []],
  ['another pod has its place on the node', [JOINED], [runningPod('node-a', { name: 'other' })]],
  ['its node is initialized, so the kube-scheduler has refused it', [{ ...JOINED, initializedAtMs: NOW_MS }], []],
  ['its NodeClaim is deleted', [{ ...JOINED, ...DELETED }], []],
  ['its node has disappeared before its initialization', [{ ...JOINED, nodeLostAtMs: NOW_MS }], []],
  [
    'EC2 refuses its launch',
    [aClaim({ ...PLANNED, launch: { kind: 'refused', attempt: 1, atMs: NOW_MS, message: 'denied' } })],
    [],
  ],
  ['its node takes longer than three minutes', [launchedClaim({ ...PLANNED, createdAtMs: NOW_MS - 3 * MINUTE })], []],
])('a pod needs a decision if %s', async (_, claims, others) => {
  expect(await needFor([POD, ...others], claims)).toBe('decision');
});

test('a pod needs a decision if the node was planned for an earlier pod with its name, as in a StatefulSet', async () => {
  const claim = launchedClaim({ ...PLANNED, createdAtMs: NOW_MS - MINUTE });
  expect(await needFor([POD], [claim])).toBe('nominations of 1 pods');
  expect(await needFor([pendingPod({ name: 'web', createdAtMs: NOW_MS })], [claim])).toBe('decision');
});

test('a node that is removed needs a decision while it has pods to move', async () => {
  const removed = launchedClaim({ nodeName: 'node-a', ...DELETED });
  expect(await needFor([OF_DAEMON_SET], [removed])).toBe('nominations of 0 pods');
  expect(await needFor([OF_DAEMON_SET, runningPod('node-a')], [removed])).toBe('decision');
});

test('with more than 20 such nodes, a decision lists the pods of all of them at once', async () => {
  const removed = (count: number): readonly NodeClaimRecord[] =>
    Array.from({ length: count }, (_, index) =>
      launchedClaim({ name: `c-${index}`, nodeName: `n-${index}`, ...DELETED }),
    );
  expect(await needFor([], removed(20))).toBe('nominations of 0 pods');
  expect(await needFor([], removed(21))).toBe('decision');
});

test.each([
  ['a static NodePool lacks nodes', '5', 'decision'],
  ['a static NodePool has no room', '0', 'nominations of 0 pods'],
  ['a static NodePool is invalid (A1.26)', 'many', 'nominations of 0 pods'],
])('%s: with limits.nodes %s, the need is: %s', async (_, nodes, need) => {
  const clock = { now: () => NOW_MS };
  const listNodePools = async () => [aNodePool({ replicas: 1, limits: { nodes } })];
  const cluster = { ...simulatedCluster(clusterWith({ nodes: [], pods: [] }), clock), listNodePools };
  const featureGates = { ...DEFAULT_SETTINGS.featureGates, staticCapacity: true };
  const ports = { cluster, clock, settings: { ...DEFAULT_SETTINGS, featureGates } };
  const found = await observeNeed(ports, async () => [], readings());
  expect(found.kind === 'decision' ? 'decision' : `nominations of ${found.awaited.size} pods`).toBe(need);
});

test.each<[string, readonly Node[] | 'unread', string]>([
  ['a pod that another component has nominated for a node that is gone needs a decision (B6)', [], 'decision'],
  ['one that is nominated for a node that exists needs none', [aNode({ name: 'lost' })], 'nominations of 0 pods'],
  ['nor does one whose node cannot be read', 'unread', 'nominations of 0 pods'],
])('%s', async (_, nodes, expected) => {
  const pod = { ...POD, status: { ...POD.status, nominatedNodeName: 'lost' } };
  expect(await needFor([pod], [], nodes)).toBe(expected);
});
