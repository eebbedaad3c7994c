/** Creates Deployments and a DaemonSet, and reads their pods. */
import { read, succeed } from '../cluster/support/api-client.ts';
import { at, listAt } from '../stack/json.ts';

export interface Workload {
  readonly name: string;
  /** @default default */
  readonly namespace?: string;
  readonly replicas: number;
  /** @default 100m and 128Mi */
  readonly requests?: Readonly<Record<string, string>>;
  /** Further fields of the pods' spec. */
  readonly podSpec?: Readonly<Record<string, unknown>>;
  /** Further labels beside `app`, whose value is the name. */
  readonly labels?: Readonly<Record<string, string>>;
}

const DEPLOYMENTS = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;

export async function createDeployment(workload: Workload): Promise<void> {
  const { name, namespace = 'default', replicas, requests, podSpec, labels } = workload;
  const matchLabels = { app: name, ...labels };
  const container = {
    name: 'main',
    image: 'registry.k8s.io/pause:3.10',
    resources: { requests: requests ?? { cpu: '100m', memory: '128Mi' } },
  };
  const template = {
    metadata: { labels: matchLabels },
    // The pods have no process, so they need no time to end.
    spec: { terminationGracePeriodSeconds: 5, containers: [container], ...podSpec },
  };
  const spec = { replicas, selector: { matchLabels }, template };
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec };
  await succeed({ method: 'POST', path: DEPLOYMENTS(namespace), body });
}

/** A DaemonSet with a pod on each node. @param requests none by default */
export async function createAgents(requests: Readonly<Record<string, string>> = {}): Promise<void> {
  const labels = { app: 'agent' };
  const template = {
    metadata: { labels },
    spec: {
      containers: [{ name: 'main', image: 'agent', resources: { requests } }],
      tolerations: [{ operator: 'Exists' }],
      terminationGracePeriodSeconds: 1,
    },
  };
  await succeed({
    method: 'POST',
    path: '/apis/apps/v1/namespaces/kube-system/daemonsets',
    body: { metadata: { name: 'agent' }, spec: { selector: { matchLabels: labels }, template } },
  });
}

export async function scaleDeployment(name: string, replicas: number, namespace = 'default'): Promise<void> {
  await succeed({
    method: 'PATCH',
    path: `${DEPLOYMENTS(namespace)}/${name}/scale`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { spec: { replicas } },
  });
}

export async function podsOf(app: string, namespace = 'default'): Promise<readonly unknown[]> {
  return listAt(await read(`/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${app}`), 'items');
}

export function isRunning(pod: unknown): boolean {
  return at(pod, 'status', 'phase') === 'Running' && at(pod, 'metadata', 'deletionTimestamp') === undefined;
}

/** Deletes the Deployments with their pods, and the nodes with the pods that are bound to them. */
export async function clearCluster(namespace = 'default'): Promise<void> {
  await succeed({ method: 'DELETE', path: DEPLOYMENTS(namespace), body: { propagationPolicy: 'Background' } });
  await succeed({ method: 'DELETE', path: '/api/v1/nodes' });
  await succeed({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/pods`, body: { gracePeriodSeconds: 0 } });
}
