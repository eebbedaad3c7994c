import fc from 'fast-check';
import type { RawSnapshot } from '../../parity/verifier/raw-documents.ts';
import { randomInstanceTypes } from './random-instance-types.ts';
import { nodePool, randomNodePools } from './random-node-pools.ts';
import { type NodeSurroundings, nodeObjects, randomNodes } from './random-nodes.ts';
import { appOf, pendingPods, randomDeployments } from './random-pods.ts';
import { persistentVolumes, STORAGE_CLASSES, volumeClaims } from './random-storage.ts';

/**
 * Random snapshots as JSON documents, small enough to be read: 1 to 25 pending pods, up to 4 nodes, 1 to 3 NodePools, 4 to 10
 * instance types. Deployments, pools and nodes are drawn, and each is optional, so that a failing snapshot shrinks to the few
 * objects that cause the failure: a plain pod, a plain pool, four plain types.
 */

const daemonSet = fc.record({
  nodeSelector: fc.constantFrom(
    undefined,
    { 'kubernetes.io/arch': 'amd64' },
    { 'karpenter.k8s.aws/instance-family': 'm5' },
  ),
  tolerations: fc.constantFrom([{ operator: 'Exists' }], undefined),
  hostPort: fc.constantFrom(undefined, undefined, 80),
});

const options = fc.record({
  preferencePolicy: fc.constantFrom(undefined, undefined, 'Ignore'),
  minValuesPolicy: fc.constantFrom(undefined, undefined, 'BestEffort'),
});

export const randomSnapshot: fc.Arbitrary<RawSnapshot> = fc
  .record({
    deployments: randomDeployments,
    pools: randomNodePools,
    types: randomInstanceTypes,
    nodes: randomNodes,
    daemons: fc.array(daemonSet, { maxLength: 2 }),
    options,
  })
  .map(({ deployments, pools, types, nodes, daemons, options: chosen }) => {
    const around: NodeSurroundings = { pools, types, daemonSets: daemons.map((_, index) => `daemon-${index + 1}`) };
    const existing = nodes.map((node, index) => nodeObjects(node, index, around));
    const stored = deployments.flatMap(({ storage, namespace }, index) =>
      storage === undefined ? [] : [{ storage, namespace, app: appOf(index) }],
    );
    return asDocument({
      formatVersion: 1,
      name: 'random',
      options: { ...chosen, now: '2026-01-01T01:00:00Z' },
      nodePools: pools.map(nodePool),
      instanceTypes: types,
      pods: [...deployments.flatMap(pendingPods), ...existing.flatMap(({ pods }) => pods)],
      nodes: existing.flatMap((one) => one.nodes),
      nodeClaims: existing.flatMap((one) => one.nodeClaims),
      csiNodes: existing.flatMap((one) => one.csiNodes),
      daemonSets: daemons.map(daemonSetObject),
      namespaces: NAMESPACE_OBJECTS,
      pvcs: stored.flatMap(({ storage, namespace, app }) => volumeClaims(storage, app, namespace)),
      pvs: stored.flatMap(({ storage, namespace, app }) => persistentVolumes(storage, app, namespace)),
      storageClasses: stored.length === 0 ? [] : STORAGE_CLASSES,
    });
  });

/** Converts to JSON text and back: undefined fields are left out, and no object is shared. */
function asDocument(value: object): RawSnapshot {
  return JSON.parse(JSON.stringify(value));
}

function daemonSetObject(
  { nodeSelector, tolerations, hostPort }: typeof daemonSet extends fc.Arbitrary<infer T> ? T : never,
  index: number,
) {
  const name = `daemon-${index + 1}`;
  return {
    metadata: { name, namespace: 'kube-system', uid: `uid-${name}` },
    spec: {
      selector: { matchLabels: { daemon: name } },
      template: {
        metadata: { labels: { daemon: name } },
        spec: {
          nodeSelector,
          tolerations,
          containers: [
            {
              name: 'main',
              resources: { requests: { cpu: '150m', memory: '64Mi' } },
              ports: hostPort === undefined ? undefined : [{ hostPort: hostPort + index }],
            },
          ],
        },
      },
    },
  };
}

const NAMESPACE_OBJECTS = [
  { metadata: { name: 'default' } },
  { metadata: { name: 'other', labels: { tier: 'x' } } },
  { metadata: { name: 'kube-system' } },
];
