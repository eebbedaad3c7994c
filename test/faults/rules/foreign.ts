import type { Node, Pod } from '../../../lib/apis/kubernetes.ts';
import { writeNode, writePod } from '../../../lib/simulator/kubernetes/state.ts';
import type { OpenSimulation } from '../../../lib/simulator/simulation.ts';
import type { RuleOf } from '../rule.ts';

/** A node, a pod and instances that belong to others. */
const NODE = 'ip-10-0-0-1.ec2.internal';
const OTHERS = [
  { id: 'i-0000000000000f001', cluster: 'other', nodeClaim: 'other-claim' },
  { id: 'i-0000000000000f002', cluster: '', nodeClaim: '' },
] as const;

/** Adds them to a simulation that has not begun. */
export function addForeigners({ state, ec2, timetable }: OpenSimulation): void {
  const node: Node = {
    metadata: {
      name: NODE,
      uid: 'foreign-node',
      labels: { 'kubernetes.io/hostname': NODE, 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' },
    },
    spec: {
      providerID: 'aws:///us-east-1a/i-0000000000000f002',
      taints: [{ key: 'example.com/own', effect: 'NoSchedule' }],
    },
    status: {
      capacity: { cpu: '4', memory: '8Gi', pods: '20' },
      allocatable: { cpu: '4', memory: '8Gi', pods: '20' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
  // Beside the namespace of the workloads: a bare pod is healthy and not expected, so a budget that selects it allows one eviction more.
  const pod: Pod = {
    metadata: { name: 'own', namespace: 'own', uid: 'foreign-pod', creationTimestamp: '2025-12-31T00:00:00Z' },
    spec: { nodeName: NODE, containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
  writeNode(state, node);
  writePod(state, pod);
  for (const { id, cluster, nodeClaim } of OTHERS) {
    const what = {
      instanceType: 'c7g.large',
      zone: 'us-east-1a',
      capacityType: 'spot',
      imageId: 'ami-1',
      priceUsdPerHour: 0,
    } as const;
    ec2.addInstance({
      id,
      cluster,
      nodeClaim,
      nodePool: '',
      nodeClass: '',
      state: 'running',
      launchedAtMs: timetable.now() - 3_600_000,
      ...what,
    });
  }
}

const rule = 'nothing of others is touched';

/** Nothing of others is changed, evicted or terminated (promise 4). */
export const othersAreLeftAlone: RuleOf = ({ violate, simulation }) => {
  const isTheirs = (id: string): boolean => OTHERS.some((one) => one.id === id);
  let before: readonly unknown[] | undefined;
  return {
    terminating: (_, id) => isTheirs(id) && violate(rule, `instance ${id} was to be terminated`),
    tagging: (_, id) => isTheirs(id) && violate(rule, `instance ${id} was to be tagged`),
    patchingNode: ({ name }) => name === NODE && violate(rule, `node ${name} was to be patched`),
    deletingNode: (name) => name === NODE && violate(rule, `node ${name} was to be deleted`),
    evicting: ({ name }) => name === 'own' && violate(rule, `pod ${name} was to be evicted`),
    deletingPod: ({ name }) => name === 'own' && violate(rule, `pod ${name} was to be deleted`),
    step() {
      const { state, ec2 } = simulation();
      const now = [
        state.nodes.get(NODE),
        state.pods.get('own/own'),
        ...ec2.instances().filter(({ id }) => isTheirs(id)),
      ];
      before ??= now;
      if (now.some((one, at) => one !== before?.[at])) violate(rule, 'the node, the pod or an instance changed');
    },
  };
};
