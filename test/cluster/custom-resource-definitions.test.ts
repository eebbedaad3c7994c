/** The definitions that Kerf installs, on a real API server: accepted as they are, and what kubectl makes of them. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { at, listAt } from '../stack/json.ts';
import { callApi, mergePatch, read, succeed } from './support/api-client.ts';
import {
  applyDefinition,
  COLLECTIONS,
  conditionOf,
  create,
  definitionPath,
  install,
  installDefinitions,
  type Kind,
  pathOf,
  removeAll,
  shippedDefinitions,
} from './support/resources.ts';
import { aNodeClaim, aNodePool, SAMPLES } from './support/samples.ts';

const shipped = shippedDefinitions();
const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

describe('a definition', () => {
  test('is there for each of the five kinds, and for no other', () => {
    expect(shipped.map(({ name }) => name)).toEqual([
      'capacitybuffers.autoscaling.x-k8s.io',
      'ec2nodeclasses.karpenter.k8s.aws',
      'nodeclaims.karpenter.sh',
      'nodeoverlays.karpenter.sh',
      'nodepools.karpenter.sh',
    ]);
  });

  test.each(shipped)('$name is accepted without a warning and established', async (definition) => {
    const { status, body, warnings } = await applyDefinition(definition);
    expect({ status, reason: at(body, 'message'), warnings }).toEqual({
      status: expect.toBeOneOf([200, 201]),
      reason: undefined,
      warnings: [],
    });
    const inForce = await install(definition);
    expect(conditionOf(inForce, 'NamesAccepted')).toBe('True');
    expect(conditionOf(inForce, 'NonStructuralSchema')).toBeUndefined();
  });

  test.each(shipped)('$name applied a second time changes nothing', async (definition) => {
    const before = await install(definition);
    await applyDefinition(definition);
    expect(await read(definitionPath(definition))).toEqual(before);
  });
});

describe('kubectl', () => {
  beforeAll(installDefinitions);
  afterEach(removeAll);

  test.each([
    {
      row: 'A1.2',
      kind: 'NodePool',
      columns: ['NodeClass', 'Nodes', 'Ready', 'Age'],
      wide: ['Weight', 'CPU', 'Memory'],
    },
    {
      row: 'A2.7',
      kind: 'NodeClaim',
      columns: ['Type', 'Capacity', 'Zone', 'Node', 'Ready', 'Age'],
      wide: ['ImageID', 'ID', 'NodePool', 'NodeClass', 'Drifted'],
    },
    { row: 'A3.1', kind: 'EC2NodeClass', columns: ['Ready', 'Age'], wide: ['Role'] },
    { row: 'A4.1', kind: 'NodeOverlay', columns: ['Ready', 'Age'], wide: ['Weight'] },
    {
      row: 'A5.1',
      kind: 'CapacityBuffer',
      columns: ['Strategy', 'PodTemplate', 'Replicas', 'ConditionsType', 'ConditionsStatus', 'ConditionsReason', 'Age'],
      wide: [],
    },
  ] as const)('shows the columns $columns of a $kind, and $wide when asked for more ($row)', async (expected) => {
    const table = await tableOf(expected.kind);
    expect(table.columns).toEqual(['Name', ...expected.columns]);
    expect(table.wide).toEqual(expected.wide);
  });

  test('shows the values of a NodePool', async () => {
    await create({ ...aNodePool({ weight: 7 }) });
    const status = { nodes: 3, resources: { cpu: '12', memory: '48Gi', nodes: '3' }, conditions: [READY] };
    await mergePatch(`${COLLECTIONS.NodePool}/general/status`, { status });
    expect((await tableOf('NodePool')).rows).toEqual([
      {
        Name: 'general',
        NodeClass: 'default',
        Nodes: '3',
        Ready: 'True',
        Age: expect.any(String),
        Weight: '7',
        CPU: '12',
        Memory: '48Gi',
      },
    ]);
  });

  test('shows the values of a NodeClaim, those of its labels too', async () => {
    const labels = {
      'karpenter.sh/nodepool': 'general',
      'karpenter.sh/capacity-type': 'spot',
      'node.kubernetes.io/instance-type': 'm7g.large',
      'topology.kubernetes.io/zone': 'us-east-1a',
    };
    const claim = aNodeClaim();
    await create({ ...claim, metadata: { ...claim.metadata, labels } });
    const providerID = 'aws:///us-east-1a/i-0123456789abcdef0';
    const conditions = [READY, { ...READY, type: 'Drifted', status: 'False' }];
    const status = { nodeName: 'ip-10-0-0-1', imageID: 'ami-1', providerID, conditions };
    await mergePatch(`${pathOf(claim)}/status`, { status });
    const [row] = (await tableOf('NodeClaim')).rows;
    expect(row).toMatchObject({ Type: 'm7g.large', Capacity: 'spot', Zone: 'us-east-1a', Node: 'ip-10-0-0-1' });
    expect(row).toMatchObject({ Ready: 'True', ImageID: 'ami-1', ID: providerID, NodePool: 'general' });
    expect(row).toMatchObject({ NodeClass: 'default', Drifted: 'False' });
  });

  test.each([
    { row: 'A1.1', kind: 'NodePool', names: [], categories: ['karpenter'], namespaced: false },
    { row: 'A2', kind: 'NodeClaim', names: [], categories: ['karpenter'], namespaced: false },
    { row: 'A3.1', kind: 'EC2NodeClass', names: ['ec2nc', 'ec2ncs'], categories: ['karpenter'], namespaced: false },
    { row: 'A4.1', kind: 'NodeOverlay', names: ['overlays'], categories: ['karpenter'], namespaced: false },
    { row: 'A5.1', kind: 'CapacityBuffer', names: ['cb'], categories: ['autoscaling'], namespaced: true },
  ] as const)('finds a $kind by the short names $names and the categories $categories ($row)', async (expected) => {
    const [, groupAndVersion = ''] = /^\/apis\/([^/]+\/[^/]+)\//.exec(COLLECTIONS[expected.kind]) ?? [];
    const resources = listAt(await read(`/apis/${groupAndVersion}`), 'resources');
    const resource = resources.find(
      (each) => at(each, 'kind') === expected.kind && !String(at(each, 'name')).includes('/'),
    );
    expect(listAt(resource, 'shortNames')).toEqual(expected.names);
    expect(listAt(resource, 'categories')).toEqual(expected.categories);
    expect(at(resource, 'namespaced')).toBe(expected.namespaced);
  });
});

describe('a subresource', () => {
  beforeAll(installDefinitions);
  afterEach(removeAll);

  test.each(SAMPLES)('status of a $kind is written through /status alone', async (sample) => {
    const status = { conditions: [READY] };
    const created = await create({ ...sample, status });
    expect(created.status).toBe(201);
    expect(listAt(created.body, 'status', 'conditions')).toEqual([]);

    const patched = await mergePatch(pathOf(sample), { status });
    expect(listAt(patched.body, 'status', 'conditions')).toEqual([]);

    const set = await mergePatch(`${pathOf(sample)}/status`, { spec: {}, status });
    expect(set.status).toBe(200);
    const stored = await read(pathOf(sample));
    expect(listAt(stored, 'status', 'conditions')).toEqual([READY]);
    expect(at(stored, 'spec')).toEqual(at(created.body, 'spec'));
  });

  test('scale of a static NodePool reads and writes its replicas and reads its nodes (A1.1)', async () => {
    const pool = aNodePool({ replicas: 2 });
    await create(pool);
    await mergePatch(`${pathOf(pool)}/status`, { status: { nodes: 1 } });
    const scale = await read(`${pathOf(pool)}/scale`);
    expect(at(scale, 'spec', 'replicas')).toBe(2);
    expect(at(scale, 'status', 'replicas')).toBe(1);

    await succeed({
      method: 'PUT',
      path: `${pathOf(pool)}/scale`,
      body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'general' }, spec: { replicas: 5 } },
    });
    expect(at(await read(pathOf(pool)), 'spec', 'replicas')).toBe(5);
  });
});

interface Table {
  readonly columns: readonly unknown[];
  readonly wide: readonly unknown[];
  /** As they are printed. */
  readonly rows: readonly Readonly<Record<string, string>>[];
}

async function tableOf(kind: Kind): Promise<Table> {
  const { body } = await callApi({
    method: 'GET',
    path: COLLECTIONS[kind],
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  });
  const columns = listAt(body, 'columnDefinitions');
  const names = (isWide: boolean): readonly unknown[] =>
    columns.filter((column) => (at(column, 'priority') !== 0) === isWide).map((column) => at(column, 'name'));
  const rows = listAt(body, 'rows').map((row): Readonly<Record<string, string>> => {
    const cells = listAt(row, 'cells');
    return Object.fromEntries(columns.map((column, position) => [String(at(column, 'name')), String(cells[position])]));
  });
  return { columns: names(false), wide: names(true), rows };
}
