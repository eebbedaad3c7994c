import { describe, expect, test } from 'vitest';
import type {
  Affinity,
  ContainerPort,
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  Taint,
  Toleration,
} from '../../../lib/apis/kubernetes.ts';
import { aNode } from '../../builders/nodes.ts';
import { aPod, runningPod } from '../../builders/pods.ts';
import { placesAfterPass } from './cluster-with.ts';

/** Whether the one node takes the pod beside those that are there. */
function takes(node: Node, pod: Pod, there: readonly Pod[] = []): boolean {
  return placesAfterPass({ nodes: [node], pods: [...there, pod] })[pod.metadata.name] === node.metadata.name;
}

describe('NodeResourcesFit', () => {
  const half = runningPod('node-1', { name: 'there', requests: { cpu: '1' } });
  const ending = { ...half, metadata: { ...half.metadata, deletionTimestamp: '2026-01-31T08:01:00Z' } };
  const ended: Pod = { ...half, status: { phase: 'Succeeded' } };
  test.each([
    { rule: 'a pod that asks for all that is free fits', requests: { cpu: '1' }, there: [half], fits: true },
    { rule: 'a pod that asks for more does not', requests: { cpu: '1001m' }, there: [half], fits: false },
    { rule: 'a pod that is ending holds its room', requests: { cpu: '1001m' }, there: [ending], fits: false },
    { rule: 'a pod that has ended holds none', requests: { cpu: '2' }, there: [ended], fits: true },
    { rule: 'what the node has not is not there', requests: { 'nvidia.com/gpu': '1' }, there: [], fits: false },
    { rule: 'none of what the node has not is there', requests: { 'nvidia.com/gpu': '0' }, there: [], fits: true },
  ])('$rule', ({ requests, there, fits }) => {
    expect(takes(aNode(), aPod({ requests }), there)).toBe(fits);
  });

  test('each pod takes one of the slots', () => {
    const node = aNode({ allocatable: { cpu: '2', memory: '8Gi', pods: '1' } });
    expect(takes(node, aPod({ requests: {} }))).toBe(true);
    expect(takes(node, aPod({ requests: {} }), [runningPod('node-1', { name: 'there', requests: {} })])).toBe(false);
  });

  test('what is overdrawn keeps away only those who ask for it', () => {
    const there = runningPod('node-1', { name: 'there', requests: { cpu: '3' } });
    expect(takes(aNode(), aPod({ requests: { memory: '1Gi' } }), [there])).toBe(true);
  });
});

describe('NodeAffinity', () => {
  const node = aNode({ labels: { disk: 'ssd', size: '8', name: 'eight' } });
  test.each<{ readonly rule: string; readonly one: NodeSelectorRequirement; readonly meets: boolean }>([
    { rule: 'In a list with it', one: { key: 'disk', operator: 'In', values: ['ssd', 'hdd'] }, meets: true },
    { rule: 'In a list without it', one: { key: 'disk', operator: 'In', values: ['hdd'] }, meets: false },
    { rule: 'In, of an absent label', one: { key: 'rack', operator: 'In', values: ['a'] }, meets: false },
    { rule: 'NotIn a list with it', one: { key: 'disk', operator: 'NotIn', values: ['ssd'] }, meets: false },
    { rule: 'NotIn, of an absent label', one: { key: 'rack', operator: 'NotIn', values: ['a'] }, meets: true },
    { rule: 'Exists', one: { key: 'disk', operator: 'Exists' }, meets: true },
    { rule: 'Exists, of an absent label', one: { key: 'rack', operator: 'Exists' }, meets: false },
    { rule: 'DoesNotExist', one: { key: 'disk', operator: 'DoesNotExist' }, meets: false },
    { rule: 'DoesNotExist, of an absent label', one: { key: 'rack', operator: 'DoesNotExist' }, meets: true },
    { rule: 'Gt less', one: { key: 'size', operator: 'Gt', values: ['7'] }, meets: true },
    { rule: 'Gt the same', one: { key: 'size', operator: 'Gt', values: ['8'] }, meets: false },
    { rule: 'Gte the same', one: { key: 'size', operator: 'Gte', values: ['8'] }, meets: true },
    { rule: 'Lt more', one: { key: 'size', operator: 'Lt', values: ['10'] }, meets: true },
    { rule: 'Lt the same', one: { key: 'size', operator: 'Lt', values: ['8'] }, meets: false },
    { rule: 'Lte the same', one: { key: 'size', operator: 'Lte', values: ['8'] }, meets: true },
    { rule: 'Gt, of a value that is not a number', one: { key: 'name', operator: 'Gt', values: ['7'] }, meets: false },
    {
      rule: 'In today’s values by a name of old',
      one: { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['amd64'] },
      meets: true,
    },
  ])('a requirement: $rule is met: $meets', ({ one, meets }) => {
    expect(takes(node, aPod({ spec: { affinity: requiring({ matchExpressions: [one] }) } }))).toBe(meets);
  });

  const met: NodeSelectorTerm = { matchExpressions: [{ key: 'disk', operator: 'Exists' }] };
  const unmet: NodeSelectorTerm = { matchExpressions: [{ key: 'rack', operator: 'Exists' }] };
  test.each([
    { rule: 'any one of the terms will do', terms: [unmet, met], fits: true },
    {
      rule: 'all of a term must hold',
      terms: [{ matchExpressions: [...(met.matchExpressions ?? []), ...(unmet.matchExpressions ?? [])] }],
      fits: false,
    },
    { rule: 'a term that asks for nothing matches nothing', terms: [{}], fits: false },
    { rule: 'no term matches nothing', terms: [], fits: false },
    {
      rule: 'a field names the node',
      terms: [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['node-1'] }] }],
      fits: true,
    },
    {
      rule: 'a field names another node',
      terms: [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['node-2'] }] }],
      fits: false,
    },
  ])('$rule', ({ terms, fits }) => {
    expect(takes(node, aPod({ spec: { affinity: requiring(...terms) } }))).toBe(fits);
  });

  test('the nodeSelector must hold beside the terms', () => {
    expect(takes(node, aPod({ spec: { nodeSelector: { disk: 'ssd' }, affinity: requiring(met) } }))).toBe(true);
    expect(takes(node, aPod({ spec: { nodeSelector: { disk: 'hdd' }, affinity: requiring(met) } }))).toBe(false);
  });
});

describe('TaintToleration', () => {
  const taint: Taint = { key: 'team', value: 'a', effect: 'NoSchedule' };
  test.each<{ readonly rule: string; readonly taint: Taint; readonly by?: Toleration; readonly fits: boolean }>([
    { rule: 'NoSchedule keeps pods away', taint, fits: false },
    { rule: 'NoExecute keeps pods away', taint: { ...taint, effect: 'NoExecute' }, fits: false },
    { rule: 'PreferNoSchedule excludes no pod', taint: { ...taint, effect: 'PreferNoSchedule' }, fits: true },
    { rule: 'a toleration of key and value', taint, by: { key: 'team', value: 'a' }, fits: true },
    { rule: 'a toleration of another value', taint, by: { key: 'team', value: 'b' }, fits: false },
    { rule: 'a toleration of the key', taint, by: { key: 'team', operator: 'Exists' }, fits: true },
    { rule: 'a toleration of everything', taint, by: { operator: 'Exists' }, fits: true },
    { rule: 'a toleration of another effect', taint, by: { operator: 'Exists', effect: 'NoExecute' }, fits: false },
  ])('$rule: fits: $fits', ({ taint: one, by, fits }) => {
    const pod = aPod({ spec: by === undefined ? {} : { tolerations: [by] } });
    expect(takes(aNode({ taints: [one] }), pod)).toBe(fits);
  });

  test('an unschedulable node takes only who tolerates that', () => {
    const node = aNode({ unschedulable: true });
    const tolerations: readonly Toleration[] = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }];
    expect(takes(node, aPod())).toBe(false);
    expect(takes(node, aPod({ spec: { tolerations } }))).toBe(true);
  });
});

describe('NodePorts', () => {
  const taken: ContainerPort = { hostPort: 80, hostIP: '10.0.0.1' };
  test.each<{ readonly rule: string; readonly port: ContainerPort; readonly fits: boolean }>([
    { rule: 'the same port of the same address', port: { hostPort: 80, hostIP: '10.0.0.1' }, fits: false },
    { rule: 'the same port of every address', port: { hostPort: 80 }, fits: false },
    { rule: 'the same port of another address', port: { hostPort: 80, hostIP: '10.0.0.2' }, fits: true },
    { rule: 'the same port of another protocol', port: { hostPort: 80, protocol: 'UDP' }, fits: true },
    { rule: 'another port', port: { hostPort: 81 }, fits: true },
    { rule: 'a port of the pod alone', port: { containerPort: 80 }, fits: true },
  ])('$rule: fits: $fits', ({ port, fits }) => {
    const there = runningPod('node-1', { name: 'there', containers: [{ name: 'main', ports: [taken] }] });
    expect(takes(aNode(), aPod({ containers: [{ name: 'main', ports: [port] }] }), [there])).toBe(fits);
  });

  test('a sidecar holds its port, an init container that ends does not', () => {
    const there = runningPod('node-1', { name: 'there', containers: [{ name: 'main', ports: [taken] }] });
    const init = { name: 'init', ports: [taken] };
    expect(takes(aNode(), aPod({ spec: { initContainers: [init] } }), [there])).toBe(true);
    const initContainers = [{ ...init, restartPolicy: 'Always' }];
    expect(takes(aNode(), aPod({ spec: { initContainers } }), [there])).toBe(false);
  });

  test('a pod on the network of the node holds its container ports', () => {
    const spec = { hostNetwork: true, containers: [{ name: 'main', ports: [{ containerPort: 80 }] }] };
    expect(takes(aNode(), aPod({ spec }), [runningPod('node-1', { name: 'there', spec })])).toBe(false);
  });

  test('two pods of one pass do not get the same port', () => {
    const containers = [{ name: 'main', ports: [{ hostPort: 80 }] }];
    const pods = ['a', 'b'].map((name) => aPod({ name, containers }));
    expect(placesAfterPass({ nodes: [aNode()], pods })).toEqual({ a: 'node-1', b: 'none' });
  });
});

function requiring(...nodeSelectorTerms: readonly NodeSelectorTerm[]): Affinity {
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}
