import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { isRecord } from '../../../lib/apis/record.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

const MANY = { cpu: 'many' };
const metadata = { name: 'invalid', namespace: 'default', uid: 'invalid', creationTimestamp: '2026-01-01T00:00:00Z' };
const spec = { containers: [{ name: 'main', resources: { requests: MANY } }] };
const pending = {
  phase: 'Pending',
  conditions: [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ],
};
const status = { capacity: MANY, allocatable: MANY };

type Edit = (items: readonly unknown[], nodes: readonly string[]) => readonly unknown[];

/** The ports, with another answer to one list of the API server. */
function withList(ports: ControllerPorts, method: keyof ControllerPorts['cluster'], edit: Edit): ControllerPorts {
  const { cluster, settings } = ports;
  const get = (target: typeof cluster, member: string | symbol): unknown => {
    const own: unknown = Reflect.get(target, member);
    if (member !== method || typeof own !== 'function') return own;
    return async () => {
      const names = (await cluster.listNodes()).map((node) => node.metadata.name);
      const items: unknown = await own.call(target);
      return Array.isArray(items) ? edit(items, names) : items;
    };
  };
  const featureGates = { ...settings.featureGates, capacityBuffer: true, nodeOverlay: true };
  return { ...ports, settings: { ...settings, featureGates }, cluster: new Proxy(cluster, { get }) };
}

const add =
  (object: unknown): Edit =>
  (items) => [...items, object];

interface Invalid {
  readonly of: string;
  readonly method: keyof ControllerPorts['cluster'];
  readonly edit: Edit;
  /** Part of the refusal. @default none is reported */
  readonly refusal?: string;
}

const INVALID: readonly Invalid[] = [
  {
    of: 'a pending pod',
    method: 'listPods',
    edit: add({ metadata, spec, status: pending }),
    refusal: 'its cpu "many"',
  },
  {
    of: 'the overhead of a pod',
    method: 'listPods',
    edit: add({ metadata, spec: { containers: [], overhead: MANY }, status: pending }),
    refusal: 'its cpu "many"',
  },
  {
    of: 'a running pod',
    method: 'listPods',
    edit: (pods, [nodeName]) =>
      nodeName === undefined
        ? pods
        : [...pods, { metadata, spec: { ...spec, nodeName }, status: { phase: 'Running' } }],
  },
  {
    of: 'a node of others',
    method: 'listNodes',
    edit: add({ metadata, spec: { providerID: 'aws:///us-east-1a/i-0' }, status }),
  },
  {
    of: 'a node',
    method: 'listNodes',
    edit: ([first, ...others]) =>
      isRecord(first)
        ? [{ ...first, status: { ...status, conditions: [{ type: 'Ready', status: 'True' }] } }, ...others]
        : [],
  },
  {
    of: 'a DaemonSet',
    method: 'listDaemonSets',
    edit: add({ metadata, spec: { selector: {}, template: { spec } } }),
    refusal: 'DaemonSet default/invalid is left out, because its cpu',
  },
  {
    of: 'a CapacityBuffer',
    method: 'listCapacityBuffers',
    edit: add({ metadata, spec: { podTemplateRef: { name: 'none' }, limits: MANY } }),
  },
  {
    of: 'a NodeOverlay',
    method: 'listNodeOverlays',
    edit: add({ metadata, spec: { requirements: [], capacity: { 'x.dev/y': 'many' } } }),
  },
];

// The API server refuses these objects.
test.each(INVALID)(
  'promise 7: an amount of $of that is not a quantity does not stop other work',
  async ({ method, edit, refusal }) => {
    const failures: string[] = [];
    const { podsPending, podsRunning, nodesAtEnd, timeline } = await live({
      manifests: someManifests({ nodePools: [aPool()], deployments: [aDeployment('web', 3)] }),
      scenario: {
        name: 'an invalid object',
        events: [
          { kind: 'interruptSpot', atMs: 4 * MINUTE_MS, count: 1 },
          { kind: 'scale', atMs: 6 * MINUTE_MS, deployment: 'default/web', replicas: 1 },
        ],
      },
      catalogue: SMALL_CATALOGUE,
      durationMs: 12 * MINUTE_MS,
      wrapPorts: (ports) => withList(ports, method, edit),
      onFailure: ({ error }) => void failures.push(String(error)),
    });
    expect({ podsPending, podsRunning }).toEqual({ podsPending: [], podsRunning: 1 });
    expect(nodesAtEnd).toBeGreaterThan(0);
    expect(failures).toEqual([]);
    const refused = timeline.flatMap((one) =>
      one.kind === 'blocked' && one.reason === 'InvalidQuantity' ? [one.message] : [],
    );
    if (refusal !== undefined) expect(refused).toContainEqual(expect.stringContaining(refusal));
  },
);
