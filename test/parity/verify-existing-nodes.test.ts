import { describe } from 'vitest';
import { aNode, aPod, aPool, aSnapshot, hostPort, onNode, requests } from './small-cluster.ts';
import { type Objection, testObjections } from './verifier/objections.ts';
import { NODE_POOL, ZONE } from './verifier/well-known-labels.ts';

/** Tests the verifier for existing nodes. */

const free = { pods: [aPod('p')] };
const starting = (taint: string) =>
  aNode('n', {
    metadata: { name: 'n', labels: { 'karpenter.sh/initialized': 'false' } },
    spec: { taints: [{ key: taint, effect: 'NoSchedule' }] },
  });

const EXISTING: readonly Objection[] = [
  {
    rule: 'a node has room beside the pods that it has (B17)',
    snapshot: aSnapshot({ pods: [aPod('p'), aPod('r', { ...requests('1500m'), nodeName: 'n' })], nodes: [aNode('n')] }),
    sound: onNode('n', 'p'),
    broken: onNode('n', 'p'),
    brokenSnapshot: aSnapshot({
      pods: [aPod('p'), aPod('r', { ...requests('1501m'), nodeName: 'n' })],
      nodes: [aNode('n')],
    }),
    says: /node n: its pods do not fit/,
  },
  {
    rule: 'a node has room for daemons that do not run yet (B17)',
    snapshot: aSnapshot({
      pods: [
        aPod('p'),
        aPod('d-1', { ...requests('2'), nodeName: 'n' }, { ownerReferences: [{ kind: 'DaemonSet', name: 'd' }] }),
      ],
      nodes: [aNode('n', { status: { allocatable: { cpu: '3', memory: '9Gi', pods: '9' } } })],
      daemonSets: [{ metadata: { name: 'd' }, spec: { template: { spec: requests('2') } } }],
    }),
    sound: onNode('n', 'p'),
    broken: onNode('n', 'p'),
    brokenSnapshot: aSnapshot({
      ...free,
      nodes: [aNode('n')],
      daemonSets: [{ metadata: { name: 'd' }, spec: { template: { spec: requests('2') } } }],
    }),
    says: /node n: its pods do not fit/,
  },
  {
    rule: 'a node whose capacity became smaller has room for fewer pods',
    snapshot: aSnapshot({ ...free, nodes: [aNode('n')] }),
    sound: onNode('n', 'p'),
    broken: onNode('n', 'p'),
    brokenSnapshot: aSnapshot({
      ...free,
      nodes: [aNode('n', { status: { allocatable: { cpu: '400m', memory: '1Gi', pods: '9' } } })],
    }),
    says: /cpu 0.5 requested, 0.4 available/,
  },
  {
    rule: 'a pod tolerates the taints of its node, except startup taints of a starting node (B16)',
    snapshot: aSnapshot({
      ...free,
      nodes: [starting('boot')],
      nodePools: [aPool({}, { startupTaints: [{ key: 'boot', effect: 'NoSchedule' }] })],
    }),
    sound: onNode('n', 'p'),
    broken: onNode('n', 'p'),
    brokenSnapshot: aSnapshot({
      ...free,
      nodes: [starting('team')],
      nodePools: [aPool({}, { startupTaints: [{ key: 'boot', effect: 'NoSchedule' }] })],
    }),
    says: /node n: pod default\/p does not tolerate team/,
  },
  {
    rule: 'a startup taint counts after the node is initialized (B16)',
    snapshot: aSnapshot({ ...free, nodes: [starting('node.kubernetes.io/not-ready')] }),
    sound: onNode('n', 'p'),
    broken: onNode('n', 'p'),
    brokenSnapshot: aSnapshot({
      ...free,
      nodes: [aNode('n', { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } })],
    }),
    says: /does not tolerate node.kubernetes.io\/not-ready/,
  },
  {
    rule: 'the labels of a node match the node selector',
    snapshot: aSnapshot({
      pods: [aPod('p', { nodeSelector: { [NODE_POOL]: 'pool', [ZONE]: 'b' } })],
      nodes: [aNode('n', { zone: 'b' }), aNode('m')],
    }),
    sound: onNode('n', 'p'),
    broken: onNode('m', 'p'),
    says: /node m: pod default\/p has a node selector or affinity that does not hold/,
  },
  {
    rule: 'host ports of running pods are in use (B58)',
    snapshot: aSnapshot({
      pods: [aPod('p', hostPort(80)), aPod('r', { ...hostPort(80), nodeName: 'm' })],
      nodes: [aNode('n'), aNode('m')],
    }),
    sound: onNode('n', 'p'),
    broken: onNode('m', 'p'),
    says: /node m: host port 80/,
  },
  {
    rule: 'a node that is being deleted gets no pods (B15)',
    snapshot: aSnapshot({ ...free, nodes: [aNode('n')] }),
    sound: onNode('n', 'p'),
    broken: onNode('n', 'p'),
    brokenSnapshot: aSnapshot({
      ...free,
      nodes: [aNode('n', { metadata: { name: 'n', deletionTimestamp: '2026-01-01T00:00:00Z' } })],
    }),
    says: /node n: it is being deleted/,
  },
  {
    rule: 'a claim in flight gets pods like its future node (B15)',
    snapshot: aSnapshot({
      ...free,
      nodeClaims: [{ metadata: { name: 'c' }, status: { allocatable: { cpu: '1', memory: '2Gi', pods: '5' } } }],
    }),
    sound: onNode('c', 'p'),
    broken: onNode('c', 'p'),
    brokenSnapshot: aSnapshot({
      ...free,
      nodeClaims: [{ metadata: { name: 'c' }, status: { allocatable: { cpu: '100m', memory: '2Gi', pods: '5' } } }],
    }),
    says: /node c: its pods do not fit/,
  },
];

describe('existing nodes', () => testObjections(EXISTING));
