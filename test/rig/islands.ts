/** Islands: an app whose pods run on one node of Kerf, and whose replacements run on a node that all islands share. */
import { expect, vi } from 'vitest';
import { read, succeed } from '../cluster/support/api-client.ts';
import { at, listAt, textAt } from '../stack/json.ts';
import { type ClaimedNode, createNode, POOL } from './claimed-nodes.ts';

const SPARE = 'spare';
const SOON = { timeout: 60_000, interval: 250 };
const HOSTNAME = 'kubernetes.io/hostname';

export interface Island extends ClaimedNode {
  /** @default 3 */
  readonly pods?: number;
  /** @default ReplicaSet; `none`: bare pods */
  readonly controller?: 'ReplicaSet' | 'StatefulSet' | 'none';
  /** @default default */
  readonly namespace?: string;
  /** The specs of its PodDisruptionBudgets; a selector that is not there selects the app. @default none */
  readonly budgets?: readonly Readonly<Record<string, unknown>>[];
  /** Further labels of the pods. @default none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Finalizers of the pods. @default none */
  readonly finalizers?: readonly string[];
  /** @default 5 */
  readonly graceSeconds?: number;
  /** A PersistentVolumeClaim of the pods. @default none */
  readonly volumeClaim?: string;
}

/** The node for the replacements. Pods are bound to another node if they can be. */
export async function createSpareNode(): Promise<void> {
  const capacity = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '200Gi', pods: '500' };
  const taints = [{ key: 'test/for-replacements', effect: 'PreferNoSchedule' }];
  await createNode({ name: SPARE, taints, capacity, labels: { [POOL]: 'fifty' } });
}

/** *Shape:* when its pods run on its node, and its budgets are computed. The node must exist. */
export async function createApp(island: Island): Promise<void> {
  const { name, namespace = 'default', pods = 3, controller = 'ReplicaSet', budgets = [] } = island;
  const labels = { app: name, ...island.labels };
  for (const [index, spec] of budgets.entries()) await createBudget(island, `${name}-${index}`, spec);
  const template = { metadata: { labels, finalizers: island.finalizers ?? [] }, spec: podSpec(island) };
  if (controller === 'none') {
    for (let index = 0; index < pods; index += 1) {
      const metadata = { ...template.metadata, name: `${name}-${index}` };
      await succeed({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body: { ...template, metadata } });
    }
  } else {
    const spec = { replicas: pods, selector: { matchLabels: { app: name } }, template };
    const body = { metadata: { name }, spec: controller === 'StatefulSet' ? { ...spec, serviceName: name } : spec };
    const path = `/apis/apps/v1/namespaces/${namespace}/${controller.toLowerCase()}s`;
    await succeed({ method: 'POST', path, body });
  }
}

async function createBudget(
  { name, namespace = 'default' }: Pick<Island, 'name' | 'namespace'>,
  budget: string,
  spec: Readonly<Record<string, unknown>>,
): Promise<void> {
  const body = { metadata: { name: budget }, spec: { selector: { matchLabels: { app: name } }, ...spec } };
  await succeed({ method: 'POST', path: budgetsOf(namespace), body });
}

export async function removeBudgets({ name, namespace = 'default', budgets = [] }: Island): Promise<void> {
  for (const index of budgets.keys()) {
    await succeed({ method: 'DELETE', path: `${budgetsOf(namespace)}/${name}-${index}` });
  }
}

function budgetsOf(namespace: string): string {
  return `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
}

/** Waits until the pods of all islands run on their own nodes. */
export async function settled(islands: readonly Island[]): Promise<void> {
  await vi.waitFor(async () => {
    const all = listAt(await read('/api/v1/pods'), 'items').filter((pod) => at(pod, 'status', 'phase') === 'Running');
    for (const { name, pods = 3 } of islands) {
      const mine = all.filter((pod) => at(pod, 'metadata', 'labels', 'app') === name);
      expect(mine.map((pod) => textAt(pod, 'spec', 'nodeName'))).toEqual(Array.from({ length: pods }, () => name));
    }
  }, SOON);
  await budgetsSettled();
}

/** Waits until Kubernetes has computed every budget, or has failed to. */
async function budgetsSettled(): Promise<void> {
  await vi.waitFor(async () => {
    for (const budget of listAt(await read('/apis/policy/v1/poddisruptionbudgets'), 'items')) {
      expect(at(budget, 'status', 'observedGeneration')).toBe(at(budget, 'metadata', 'generation'));
    }
  }, SOON);
}

function podSpec({ name, graceSeconds = 5, volumeClaim }: Island) {
  const onNode = (values: readonly string[]) => ({ matchExpressions: [{ key: HOSTNAME, operator: 'In', values }] });
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [onNode([name, SPARE])] },
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: onNode([name]) }],
  };
  const container = {
    name: 'main',
    image: 'registry.k8s.io/pause:3.10',
    resources: { requests: { cpu: '100m', memory: '64Mi' } },
  };
  const volume = { name: 'data', persistentVolumeClaim: { claimName: volumeClaim } };
  return {
    containers: [container],
    terminationGracePeriodSeconds: graceSeconds,
    // The scheduler would wait for the volume.
    ...(volumeClaim === undefined ? { affinity: { nodeAffinity } } : { nodeName: name, volumes: [volume] }),
  };
}

const NAMES = Array.from({ length: 50 }, (_, index) => `fifty-${String(index).padStart(2, '0')}`);

/** Fifty nodes of one NodePool with a pod each, and a budget of ten pods. */
export const FIFTY = {
  nodes: NAMES.map((name): ClaimedNode => ({ name, nodePool: 'fifty' })),
  async createApp(): Promise<void> {
    await createBudget({ name: 'fifty' }, 'fifty', { maxUnavailable: '20%' });
    const labels = { app: 'fifty' };
    const { containers } = podSpec({ name: 'fifty' });
    const spread = {
      maxSkew: 1,
      topologyKey: HOSTNAME,
      whenUnsatisfiable: 'DoNotSchedule',
      // Replacements of evicted pods find no room but the spare node.
      nodeTaintsPolicy: 'Honor',
      labelSelector: { matchLabels: labels },
    };
    const spec = { containers, nodeSelector: { [POOL]: 'fifty' }, topologySpreadConstraints: [spread] };
    const template = { metadata: { labels }, spec };
    const body = {
      metadata: { name: 'fifty' },
      spec: { replicas: NAMES.length, selector: { matchLabels: labels }, template },
    };
    await succeed({ method: 'POST', path: '/apis/apps/v1/namespaces/default/replicasets', body });
  },
};
