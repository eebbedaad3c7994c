import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../lib/apis/ec2-node-class.ts';
import { parseTime } from '../../lib/apis/formats/time.ts';
import type { Node, ObjectMeta, Pod } from '../../lib/apis/kubernetes.ts';
import type { ClusterClaim } from '../../lib/core/cluster/cluster-claim.ts';
import type { PodTarget } from '../../lib/core/model/decision.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { ConflictError } from '../../lib/ports/errors.ts';
import { NO_TRACES } from '../core/cluster/autoscaler-traces.ts';
import {
  A_BUDGET,
  A_BUFFER,
  A_DAEMON_SET,
  A_DEPLOYMENT,
  A_KEPT_CLASS,
  A_NODE,
  A_NODE_CLAIM,
  A_NODE_CLASS,
  A_NODE_POOL,
  A_POD_TEMPLATE,
  A_STATUS,
  A_VOLUME_CLAIM,
  AN_ATTACHMENT,
  AN_OVERLAY,
  aPod,
  OWNER,
  type WorldObject,
} from './cluster-objects.ts';

export interface ClusterHarness {
  /** Empty. */
  readonly cluster: Cluster;
  /** Objects of users and other controllers. The API server sets UID and resourceVersion. */
  readonly put: (thing: WorldObject) => Promise<void>;
  /** The same cluster, for a second deployment of Kerf. */
  readonly second: Cluster;
  readonly close?: () => Promise<void>;
}

async function claimSeenBy(one: Cluster): Promise<ClusterClaim | undefined> {
  return (await one.findOtherAutoscalers()).claim;
}

/** The doc comment of `lib/ports/cluster.ts`, executed. */
export function clusterContract(name: string, make: () => Promise<ClusterHarness>): void {
  describe(`Cluster: ${name}`, () => {
    let harness: ClusterHarness;
    let cluster: Cluster;
    beforeEach(async () => {
      harness = await make();
      cluster = harness.cluster;
    });
    afterEach(() => harness.close?.());

    const putPod = (pod: string, over: Partial<Pod['spec']> = {}) =>
      harness.put({ kind: 'Pod', object: aPod(pod, over) });
    const findNode = async (node: string) => (await cluster.listNodes()).find(({ metadata }) => metadata.name === node);
    const findPod = async (pod: string) => (await cluster.listPods()).find(({ metadata }) => metadata.name === pod);
    const targetOf = async (pod: string): Promise<PodTarget> => {
      const { metadata } = (await findPod(pod)) ?? aPod(pod);
      return { namespace: 'default', name: pod, uid: metadata.uid ?? '' };
    };
    /** A deleted pod counts as gone, although its kubelet removes it later. */
    const isThere = async (pod: string) => {
      const found = await findPod(pod);
      return found !== undefined && found.metadata.deletionTimestamp === undefined;
    };

    describe('lists', () => {
      test('pods are listed by their node', async () => {
        await putPod('pending');
        await putPod('bound-1', { nodeName: 'node-1' });
        await putPod('bound-2', { nodeName: 'node-2' });
        expect(namesOf(await cluster.listUnboundPods())).toEqual(['pending']);
        expect(namesOf(await cluster.listPodsOnNode('node-1'))).toEqual(['bound-1']);
        expect(namesOf(await cluster.listPods())).toEqual(['bound-1', 'bound-2', 'pending']);
      });

      test('a long list is complete', async () => {
        const names = Array.from({ length: 1_101 }, (_, index) => `pod-${String(index).padStart(4, '0')}`);
        await Promise.all(names.map((each) => putPod(each)));
        expect(namesOf(await cluster.listPods())).toEqual(names);
      });

      test('NodePools and NodeClaims of EKS Auto Mode are not listed', async () => {
        const nodeClassRef = { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' };
        const { template, ...spec } = A_NODE_POOL.object.spec;
        const theirs = { ...spec, template: { spec: { ...template.spec, nodeClassRef } } };
        const pool = { ...A_NODE_POOL.object, metadata: { name: 'system' }, spec: theirs };
        await harness.put({ kind: 'NodePool', object: pool });
        await harness.put(A_NODE_POOL);
        expect(namesOf(await cluster.listNodePools())).toEqual(['general']);
        const claim = { ...A_NODE_CLAIM, metadata: { name: 'system-x' } };
        await cluster.applyNodeClaim({ ...claim, spec: { ...claim.spec, nodeClassRef } });
        await cluster.applyNodeClaim(A_NODE_CLAIM);
        expect(namesOf(await cluster.listNodeClaims())).toEqual(['general-a']);
      });

      test('a cluster without other autoscalers has no signs of them', async () => {
        expect(await cluster.findOtherAutoscalers()).toEqual(NO_TRACES);
      });

      test('every kind is read with the fields that decisions use', async () => {
        const all = [A_NODE, A_NODE_POOL, A_NODE_CLASS, A_DAEMON_SET, A_BUDGET, AN_OVERLAY];
        for (const each of all) await harness.put(each);
        expect(await cluster.listNodes()).toMatchObject([A_NODE.object]);
        expect(await cluster.listNodePools()).toMatchObject([A_NODE_POOL.object]);
        expect(await cluster.listNodeClasses()).toMatchObject([A_NODE_CLASS.object]);
        expect(await cluster.listDaemonSets()).toMatchObject([A_DAEMON_SET.object]);
        expect(await cluster.listPodDisruptionBudgets()).toMatchObject([A_BUDGET.object]);
        expect(await cluster.listNodeOverlays()).toMatchObject([AN_OVERLAY.object]);
        expect(await cluster.listNodeClaims()).toEqual([]);
      });

      test('volumes are read with the node that they are attached to, and the claim that they are bound to (D25)', async () => {
        const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
        await putPod('database', { nodeName: 'node-1', volumes });
        for (const each of [A_VOLUME_CLAIM, AN_ATTACHMENT]) await harness.put(each);
        expect(await cluster.listVolumeAttachments()).toMatchObject([AN_ATTACHMENT.object]);
        expect(await cluster.listPersistentVolumeClaims()).toMatchObject([A_VOLUME_CLAIM.object]);
      });

      test('a CapacityBuffer is read with everything that it can refer to', async () => {
        for (const each of [A_BUFFER, A_POD_TEMPLATE, A_DEPLOYMENT]) await harness.put(each);
        expect(await cluster.listCapacityBuffers()).toMatchObject([A_BUFFER.object]);
        expect(await cluster.listPodTemplates()).toMatchObject([A_POD_TEMPLATE.object]);
        expect(await cluster.listScalableWorkloads('Deployment')).toMatchObject([A_DEPLOYMENT.object]);
        expect(await cluster.listScalableWorkloads('StatefulSet')).toEqual([]);
        expect(await cluster.listScalableWorkloads('ReplicaSet')).toEqual([]);
      });
    });

    describe('the claim of a cluster', () => {
      test('belongs to the deployment that claims it first, and every deployment reads whose it is', async () => {
        expect([await claimSeenBy(cluster), await claimSeenBy(harness.second)]).toEqual([undefined, undefined]);
        const claimed = await cluster.claimCluster();
        expect(claimed).toMatchObject({ isOwn: true });
        const { deployment } = claimed;
        expect(await harness.second.claimCluster()).toMatchObject({ deployment, isOwn: false });
        expect(await claimSeenBy(harness.second)).toMatchObject({ deployment, isOwn: false });
        expect(await claimSeenBy(cluster)).toMatchObject({ deployment, isOwn: true });
      });

      test('stays with the deployment that has it when it claims the cluster again', async () => {
        expect(await cluster.claimCluster()).toEqual(await cluster.claimCluster());
      });

      test('of two claims at the same time, one is refused', async () => {
        const claims = await Promise.all([cluster.claimCluster(), harness.second.claimCluster()]);
        expect(new Set(claims.map(({ deployment }) => deployment)).size).toBe(1);
        expect(claims.filter(({ isOwn }) => isOwn)).toHaveLength(1);
      });
    });

    describe('nodes', () => {
      test('a patch merges labels and annotations, and replaces taints and finalizers', async () => {
        await harness.put(A_NODE);
        const taint = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' } as const;
        const read = await findNode('node-1');
        await cluster.patchNode(
          { name: 'node-1', ...versionOf(read) },
          {
            labels: { 'karpenter.sh/registered': 'true' },
            annotations: { note: 'x' },
            taints: [taint],
            finalizers: ['a/b'],
            ownerReferences: [OWNER],
          },
        );
        const patched = await findNode('node-1');
        expect(patched).toEqual(await cluster.readNode('node-1'));
        expect(patched?.metadata.ownerReferences).toEqual([OWNER]);
        expect(patched?.metadata.labels).toMatchObject({ zone: 'a', 'karpenter.sh/registered': 'true' });
        expect(patched?.metadata.annotations).toMatchObject({ note: 'x' });
        expect(patched?.metadata.finalizers).toEqual(['a/b']);
        expect(patched?.spec?.taints).toEqual([taint]);
        expect(patched?.spec?.providerID).toBe('aws:///us-east-1a/i-1');
      });

      test('a patch on a node that changed since it was read is a conflict and changes nothing', async () => {
        await harness.put(A_NODE);
        const read = await findNode('node-1');
        await cluster.patchNode({ name: 'node-1' }, { labels: { first: 'yes' } });
        const late = cluster.patchNode({ name: 'node-1', ...versionOf(read) }, { labels: { second: 'yes' } });
        await expect(late).rejects.toBeInstanceOf(ConflictError);
        expect((await findNode('node-1'))?.metadata.labels).not.toHaveProperty('second');
      });

      test('a node is removed with its last finalizer', async () => {
        await harness.put({
          kind: 'Node',
          object: { ...A_NODE.object, metadata: { name: 'node-1', finalizers: ['karpenter.sh/termination'] } },
        });
        await cluster.deleteNode('node-1');
        expect((await findNode('node-1'))?.metadata.deletionTimestamp).toBeDefined();
        await cluster.patchNode({ name: 'node-1' }, { finalizers: [] });
        expect(await findNode('node-1')).toBeUndefined();
      });

      test('a write to a node that does not exist is success', async () => {
        await cluster.deleteNode('missing');
        expect(await cluster.readNode('missing')).toBeUndefined();
        await cluster.patchNode({ name: 'missing', resourceVersion: '1' }, { labels: { a: 'b' } });
        expect(await cluster.listNodes()).toEqual([]);
      });
    });

    describe('pods', () => {
      test('an evicted pod is removed', async () => {
        await putPod('web-1', { nodeName: 'node-1' });
        expect(await cluster.evictPod(await targetOf('web-1'))).toEqual({ kind: 'evicted' });
        expect(await isThere('web-1')).toBe(false);
      });

      test('a PodDisruptionBudget without allowed disruptions blocks an eviction, and not a deletion', async () => {
        await putPod('web-1', { nodeName: 'node-1' });
        await harness.put(A_BUDGET);
        expect(await cluster.evictPod(await targetOf('web-1'))).toMatchObject({ kind: 'blocked' });
        expect(await isThere('web-1')).toBe(true);
        await cluster.deletePod(await targetOf('web-1'), 0);
        expect(await isThere('web-1')).toBe(false);
      });

      test('a pod with two PodDisruptionBudgets is not evicted, also if both allow it', async () => {
        await putPod('web-1', { nodeName: 'node-1' });
        const budget = { ...A_BUDGET.object, spec: { ...A_BUDGET.object.spec, maxUnavailable: '100%' } };
        for (const one of ['one', 'two']) {
          const status = { disruptionsAllowed: 1 };
          const object = { ...budget, metadata: { name: one, namespace: 'default' }, status };
          await harness.put({ kind: 'PodDisruptionBudget', object });
        }
        expect(await cluster.evictPod(await targetOf('web-1'))).toMatchObject({ kind: 'blocked' });
        expect(await isThere('web-1')).toBe(true);
      });

      test('another pod of the same name is not evicted', async () => {
        await putPod('web-1', { nodeName: 'node-1' });
        const former = { ...(await targetOf('web-1')), uid: '00000000-0000-0000-0000-000000000000' };
        expect(await cluster.evictPod(former)).toEqual({ kind: 'gone' });
        await cluster.deletePod(former, 0);
        expect(await isThere('web-1')).toBe(true);
      });

      test('a later deletion can only shorten the grace period, which is counted from the first one', async () => {
        await putPod('web-1', { nodeName: 'node-1' });
        const deleted = async (graceSeconds: number) => {
          await cluster.deletePod(await targetOf('web-1'), graceSeconds);
          const { deletionTimestamp, deletionGracePeriodSeconds } = (await findPod('web-1'))?.metadata ?? {};
          return { endMs: parseTime(deletionTimestamp ?? ''), seconds: deletionGracePeriodSeconds };
        };
        const first = await deleted(600);
        expect(first.seconds).toBe(600);
        const shortened = { endMs: first.endMs - 300_000, seconds: 300 };
        expect(await deleted(300)).toEqual(shortened);
        expect(await deleted(900)).toEqual(shortened);
      });

      test('a pod that does not exist is gone', async () => {
        const missing = await targetOf('missing');
        expect(await cluster.evictPod(missing)).toEqual({ kind: 'gone' });
        await cluster.deletePod(missing, 30);
      });
    });

    describe('EC2NodeClasses', () => {
      const read = async (): Promise<EC2NodeClass> => {
        const [found] = await cluster.listNodeClasses();
        if (found === undefined) throw new Error('there is no EC2NodeClass');
        return found;
      };

      test('are read with their generation and their resourceVersion', async () => {
        await harness.put(A_NODE_CLASS);
        const { metadata } = await read();
        expect(metadata.generation).toBe(1);
        expect(metadata.resourceVersion).toEqual(expect.stringMatching(/./));
      });

      test('a patch merges annotations and replaces finalizers and status, one after the other', async () => {
        await harness.put({ kind: 'EC2NodeClass', object: { ...A_NODE_CLASS.object, metadata: A_KEPT_CLASS } });
        const first = await cluster.patchNodeClass(await read(), { annotations: { hash: 'x' }, finalizers: ['a/b'] });
        if (first === undefined) throw new Error('it is gone');
        const second = await cluster.patchNodeClass(first, { annotations: { hash: 'y' }, status: A_STATUS });
        expect(second).toMatchObject({ metadata: { annotations: { team: 'a', hash: 'y' } }, status: A_STATUS });
        const { subnets: _, ...rest } = A_STATUS;
        if (second === undefined) throw new Error('it is gone');
        await cluster.patchNodeClass(second, { status: rest });
        const { metadata, spec, status } = await read();
        expect(metadata).toMatchObject({ annotations: { team: 'a', hash: 'y' }, finalizers: ['a/b'], generation: 1 });
        expect(spec).toMatchObject(A_NODE_CLASS.object.spec);
        expect(status).toEqual(rest);
      });

      test('a patch of a class that changed since it was read is a conflict and changes nothing', async () => {
        await harness.put(A_NODE_CLASS);
        const before = await read();
        await cluster.patchNodeClass(before, { finalizers: ['a/b'] });
        for (const patch of [{ finalizers: [] }, { status: A_STATUS }]) {
          await expect(cluster.patchNodeClass(before, patch)).rejects.toBeInstanceOf(ConflictError);
        }
        const { metadata, status } = await read();
        expect(metadata.finalizers).toEqual(['a/b']);
        expect(status?.subnets).toBeUndefined();
      });

      test('a deleted class is removed with its last finalizer', async () => {
        const metadata = { ...A_KEPT_CLASS, deletionTimestamp: '2026-01-31T08:00:00Z', finalizers: ['a/b'] };
        await harness.put({ kind: 'EC2NodeClass', object: { ...A_NODE_CLASS.object, metadata } });
        const going = await read();
        expect(going.metadata.deletionTimestamp).toBeDefined();
        expect(await cluster.patchNodeClass(going, { finalizers: [] })).toBeUndefined();
        expect(await cluster.listNodeClasses()).toEqual([]);
        expect(await cluster.patchNodeClass(going, { finalizers: [] })).toBeUndefined();
      });
    });

    describe('kinds that users write', () => {
      const condition = {
        type: 'Ready',
        status: 'True',
        reason: 'Ready',
        message: '',
        lastTransitionTime: '2026-01-31T08:00:00Z',
      } as const;

      test('a patch of a NodePool merges annotations and replaces the status', async () => {
        await harness.put(A_NODE_POOL);
        const [read] = await cluster.listNodePools();
        if (read === undefined) throw new Error('there is no NodePool');
        const first = await cluster.patchNodePool(read, {
          annotations: { hash: 'x' },
          status: { nodes: 2, resources: { cpu: '8', 'nvidia.com/gpu': '1' }, nodeClassObservedGeneration: 3 },
        });
        if (first === undefined) throw new Error('it is gone');
        const status = { nodes: 1, resources: { cpu: '4' }, conditions: [condition] };
        const second = await cluster.patchNodePool(first, { status });
        expect(second).toMatchObject({ metadata: { annotations: { hash: 'x' }, generation: 1 } });
        const [shown] = await cluster.listNodePools();
        expect(shown?.status).toEqual(status);
        await expect(cluster.patchNodePool(read, { status })).rejects.toBeInstanceOf(ConflictError);
      });

      test('a patch of a NodeOverlay or a CapacityBuffer writes its status', async () => {
        for (const each of [AN_OVERLAY, A_BUFFER]) await harness.put(each);
        const [overlay] = await cluster.listNodeOverlays();
        const [buffer] = await cluster.listCapacityBuffers();
        if (overlay === undefined || buffer === undefined) throw new Error('they are not listed');
        await cluster.patchNodeOverlay(overlay, { status: { conditions: [condition] } });
        await cluster.patchCapacityBuffer(buffer, { status: { replicas: 2, conditions: [condition] } });
        expect(await cluster.listNodeOverlays()).toMatchObject([{ status: { conditions: [condition] } }]);
        expect(await cluster.listCapacityBuffers()).toMatchObject([{ status: { replicas: 2 } }]);
        for (const late of [
          cluster.patchNodeOverlay(overlay, { status: {} }),
          cluster.patchCapacityBuffer(buffer, { status: {} }),
        ])
          await expect(late).rejects.toBeInstanceOf(ConflictError);
      });

      test('a patch of an object that does not exist is success', async () => {
        const object = { ...A_NODE_CLAIM, metadata: { name: 'missing' } };
        expect(await cluster.patchNodeClaim(object, { status: { conditions: [condition] } })).toBeUndefined();
        expect(await cluster.patchNodePool(A_NODE_POOL.object, { status: { nodes: 0 } })).toBeUndefined();
      });
    });

    describe('events', () => {
      test('an event on any object can be published twice', async () => {
        const event = { type: 'Normal', reason: 'Evicted', message: 'm5.large in us-east-1a' } as const;
        for (const kind of ['NodeClaim', 'Node', 'EC2NodeClass', 'NodeClaim'] as const) {
          await cluster.publishEvent({ ...event, regarding: { kind, name: 'general-a' } });
        }
        await cluster.publishEvent({ ...event, regarding: { kind: 'Pod', name: 'web-1', namespace: 'default' } });
      });
    });
  });
}

function namesOf(objects: readonly { readonly metadata: ObjectMeta }[]): readonly string[] {
  return objects.map(({ metadata }) => metadata.name).toSorted();
}

function versionOf(node: Node | undefined): { readonly resourceVersion?: string } {
  const resourceVersion = node?.metadata.resourceVersion;
  return resourceVersion === undefined ? {} : { resourceVersion };
}
