import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ProvisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod, aGivenPool, aGivenType } from '../../snapshot/documents.ts';
import { type Ran, runKerf } from '../run-kerf.ts';

type Json = Readonly<Record<string, unknown>>;

const FILE = ['plan', 'provisioning', '--snapshot', 'a.json'];

async function plan(
  document: Json,
  args: readonly string[] = [],
  manifests: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return runKerf([...FILE, ...args], { 'a.json': JSON.stringify(document), ...manifests });
}

async function planned(
  document: Json,
  args: readonly string[] = [],
  manifests: Readonly<Record<string, string>> = {},
): Promise<ProvisioningOutput> {
  const { stdout, stderr, code } = await plan(document, ['--output', 'json', ...args], manifests);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const output: ProvisioningOutput = JSON.parse(stdout);
  return output;
}

function pods(count: number, spec: Json = {}): readonly Json[] {
  return Array.from({ length: count }, (_, index) => aGivenPod(`web-${index + 1}`, spec));
}

function yaml(...documents: readonly object[]): string {
  return documents.map((document) => stringify(document)).join('---\n');
}

const TEMPLATE = {
  metadata: { labels: { app: 'api' } },
  spec: { containers: [{ name: 'main', image: 'api', resources: { requests: { cpu: '1' } } }] },
};

const SELECTED = { selector: { matchLabels: { app: 'api' } }, template: TEMPLATE };
const JOB_TEMPLATE = { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } };

function deployment(replicas: number): Json {
  const spec = { replicas, ...SELECTED };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'api' }, spec };
}

function poolManifest(spec: Json = {}): Json {
  return { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', ...aGivenPool('general', spec) };
}

function placed({ newNodeClaims, existing }: ProvisioningOutput): readonly string[] {
  return [...newNodeClaims, ...existing].flatMap((one) => one.pods).toSorted();
}

describe('kerf plan provisioning --output json', () => {
  test('a claim has its pods, its requirements, its types with the cheapest first, and its price (B26)', async () => {
    const output = await planned(
      aDocument({ instanceTypes: [aGivenType('m5.xlarge', 4), aGivenType()], pods: pods(1) }),
    );
    const cheapestOffering = { type: 'm5.large', zone: 'us-east-1a', capacityType: 'spot', price: 0.04 };
    expect(output.newNodeClaims).toEqual([
      {
        nodePool: 'general',
        pods: ['default/web-1'],
        requirements: expect.objectContaining({
          'kubernetes.io/os': [{ operator: 'In', values: ['linux'] }],
          'karpenter.sh/nodepool': [{ operator: 'In', values: ['general'] }],
        }),
        instanceTypes: ['m5.large', 'm5.xlarge'],
        cheapestOffering,
        requests: { cpu: '1', memory: '1Gi', pods: '1' },
        launch: { instanceTypes: ['m5.large', 'm5.xlarge'], cheapestOffering },
        nodeClaim: {
          labels: expect.objectContaining({ 'karpenter.sh/nodepool': 'general' }),
          annotations: expect.objectContaining({ 'karpenter.sh/nodeclaim-min-values-relaxed': 'false' }),
          spec: expect.objectContaining({
            requirements: expect.arrayContaining([
              { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large', 'm5.xlarge'] },
            ]),
            resources: { requests: { cpu: '1', memory: '1Gi', pods: '1' } },
          }),
        },
      },
    ]);
    expect(output).toMatchObject({ existing: [], podErrors: {}, totalHourlyPrice: 0.04, notes: [] });
    expect(output.durationMs).toBeGreaterThan(0);
  });

  test('the total is the sum of the cheapest offerings', async () => {
    const apart = { topologyKey: 'kubernetes.io/hostname', labelSelector: {} };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } };
    const { newNodeClaims, totalHourlyPrice } = await planned(aDocument({ pods: pods(3, { affinity }) }));
    expect(newNodeClaims).toHaveLength(3);
    expect(totalHourlyPrice).toBe(0.12);
  });

  test('free resources of an existing node are used and shown', async () => {
    const output = await planned(aDocument({ nodes: [aGivenNode()], nodeClaims: [aGivenClaim()], pods: pods(2) }));
    expect(output.newNodeClaims).toEqual([]);
    expect(output.existing).toEqual([
      { node: 'node-1', pods: expect.arrayContaining(['default/web-1', 'default/web-2']) },
    ]);
  });

  test('an unschedulable pod has a reason for every NodePool, with numbers', async () => {
    const nodePools = [aGivenPool('a'), aGivenPool('b')];
    const huge = aGivenPod('huge', { containers: [{ name: 'main', resources: { requests: { cpu: '900' } } }] });
    const { podErrors } = await planned(aDocument({ nodePools, pods: [huge] }));
    expect(podErrors['default/huge']?.map(({ nodePool }) => nodePool).toSorted()).toEqual(['a', 'b']);
    for (const { reason, message, numbers } of podErrors['default/huge'] ?? []) {
      expect(reason).not.toBe('');
      expect(message).toMatch(/900/);
      expect(Object.keys(numbers)).not.toEqual([]);
    }
  });

  test('without a NodePool, every pod has that reason', async () => {
    const { podErrors } = await planned(aDocument({ nodePools: [], pods: pods(1) }));
    expect(podErrors['default/web-1']).toEqual([
      { reason: 'NoNodePool', message: 'there is no NodePool that can launch a node for it', numbers: {} },
    ]);
  });

  test.each([
    ['a node field', 'MatchFields', { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }],
    ['a label of Karpenter', 'InvalidLabel', { matchExpressions: [{ key: 'karpenter.sh/x', operator: 'Exists' }] }],
    ['an invalid label', 'InvalidLabel', { matchExpressions: [{ key: 'a b', operator: 'Exists' }] }],
  ])('a pod that requires %s is refused with the reason (B9)', async (_what, reason, term) => {
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
    };
    const output = await planned(aDocument({ pods: pods(1, { affinity }) }));
    expect(output.newNodeClaims).toEqual([]);
    expect(output.podErrors['default/web-1']).toMatchObject([{ reason }]);
  });

  test('a pod on a node that is being deleted is placed again (B7)', async () => {
    const claim = aGivenClaim('node-1', {}, { metadata: { name: 'c', deletionTimestamp: '2026-01-31T07:00:00Z' } });
    const output = await planned(
      aDocument({ nodes: [aGivenNode()], nodeClaims: [claim], pods: pods(1, { nodeName: 'node-1' }) }),
    );
    expect(output.newNodeClaims.map((one) => one.pods)).toEqual([['default/web-1']]);
  });

  test('the plan does not depend on the order of pods', async () => {
    const { durationMs: _, ...one } = await planned(aDocument({ pods: pods(9) }));
    const { durationMs: __, ...other } = await planned(aDocument({ pods: pods(9).toReversed() }));
    expect(other).toEqual(one);
  });
});

describe('objects of the snapshot', () => {
  test('a NodeOverlay changes prices (A4.6)', async () => {
    const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] }];
    const overlay = { metadata: { name: 'cheap' }, spec: { requirements, price: '0.001' } };
    const { totalHourlyPrice } = await planned(aDocument({ nodeOverlays: [overlay], pods: pods(1) }));
    expect(totalHourlyPrice).toBe(0.001);
  });

  test('a CapacityBuffer requests capacity like pods (B65)', async () => {
    const document = aDocument({
      capacityBuffers: [{ metadata: { name: 'spare' }, spec: { podTemplateRef: { name: 'one' }, replicas: 2 } }],
      podTemplates: [{ metadata: { name: 'one' }, template: TEMPLATE }],
    });
    expect(placed(await planned(document))).toHaveLength(2);
  });
});

const LIMIT_RANGE = {
  metadata: { name: 'defaults', namespace: 'default' },
  spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '250m' } }] },
};

function owned(kind: string, name: string): Json {
  return { ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: 'u', controller: true }] };
}

describe('kerf plan provisioning -f', () => {
  test.each([
    ['of the snapshot', { limitRanges: [LIMIT_RANGE] }, ''],
    ['of the manifests', {}, `---\n${yaml({ apiVersion: 'v1', kind: 'LimitRange', ...LIMIT_RANGE })}`],
  ])('added pods get the requests of a LimitRange %s; pods of the snapshot have theirs', async (_, lists, more) => {
    const bare = { metadata: { name: 'bare' }, spec: { containers: [{ name: 'main' }] } };
    const added = `${yaml({ apiVersion: 'v1', kind: 'Pod', ...bare })}${more}`;
    const output = await planned(aDocument({ pods: pods(1), ...lists }), ['-f', 'pod.yaml'], { 'pod.yaml': added });
    // One CPU of the pod of the snapshot, and the default request.
    expect(output.newNodeClaims.map(({ requests }) => requests['cpu'])).toEqual(['1250m']);
  });

  test('a Deployment becomes pending pods', async () => {
    const output = await planned(aDocument({ pods: pods(1) }), ['-f', 'api.yaml'], { 'api.yaml': yaml(deployment(3)) });
    expect(placed(output).map((name) => name.replace(/-[a-z0-9]{8}-\d+$/, ''))).toEqual([
      'default/api',
      'default/api',
      'default/api',
      'default/web-1',
    ]);
  });

  test('a workload replaces its pods in the snapshot', async () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'api-5f7d9c6b8d', uid: 'x', controller: true };
    const old = aGivenPod(
      'api-5f7d9c6b8d-abcde',
      { nodeName: 'node-1' },
      { metadata: { name: 'api-5f7d9c6b8d-abcde', ownerReferences: [owner] } },
    );
    const document = aDocument({ nodes: [aGivenNode()], nodeClaims: [aGivenClaim()], pods: [old] });
    const { existing, newNodeClaims } = await planned(document, ['api.yaml'], { 'api.yaml': yaml(deployment(1)) });
    expect({ existing: existing.map(({ pods: there }) => there.length), newNodeClaims }).toEqual({
      existing: [1],
      newNodeClaims: [],
    });
  });

  test.each([
    { kind: 'StatefulSet', spec: { replicas: 2, serviceName: 'api', ...SELECTED } },
    { kind: 'ReplicaSet', spec: { replicas: 2, ...SELECTED } },
    { kind: 'Job', spec: { parallelism: 2, completions: 5, template: JOB_TEMPLATE } },
    { kind: 'Job', spec: { parallelism: 5, completions: 2, template: JOB_TEMPLATE } },
  ])('a $kind becomes pending pods, and a plain argument is the same as -f', async ({ kind, spec }) => {
    const manifest = { apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1', kind, metadata: { name: 'db' }, spec };
    const output = await planned(aDocument(), ['db.yaml'], { 'db.yaml': yaml(manifest) });
    expect(placed(output)).toEqual(['default/db-0', 'default/db-1']);
  });

  test('a workload that the API server refuses is an error, as in kerf validate', async () => {
    const manifest = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'db' }, spec: { template: TEMPLATE } };
    const { code, stderr } = await plan(aDocument(), ['db.yaml'], { 'db.yaml': yaml(manifest) });
    expect(code).toBe(2);
    expect(stderr).toContain('Job/db  spec.template.spec.restartPolicy: is missing; write OnFailure or Never');
  });

  test('in an export of a cluster, each pod counts once, and Helm hooks do not count', async () => {
    const set = { metadata: { name: 'api-abc', ...owned('Deployment', 'api') }, spec: { replicas: 2, ...SELECTED } };
    const pod = { metadata: { name: 'api-abc-1', ...owned('ReplicaSet', 'api-abc') }, spec: TEMPLATE.spec };
    const orphan = { metadata: { name: 'other-1', ...owned('ReplicaSet', 'other') }, spec: TEMPLATE.spec };
    const hook = { metadata: { name: 'hook', annotations: { 'helm.sh/hook': 'test' } }, spec: TEMPLATE.spec };
    const exported = yaml(
      deployment(2),
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', ...set },
      ...[pod, orphan, hook].map((one) => ({ apiVersion: 'v1', kind: 'Pod', ...one })),
    );
    const { stdout, stderr } = await plan(aDocument(), ['-f', 'all.yaml', '-o', 'json'], { 'all.yaml': exported });
    const output: ProvisioningOutput = JSON.parse(stdout);
    const names = placed(output).map((name) => name.replace(/-[a-z0-9]{8}-\d+$/, ''));
    expect(names).toEqual(['default/api', 'default/api', 'default/other-1']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'all.yaml:22  ReplicaSet/api-abc: left out: Deployment api creates it',
      'all.yaml:49  Pod/api-abc-1: left out: ReplicaSet api-abc creates it',
      'all.yaml:85  Pod/hook: left out: a Helm hook, which runs only while Helm installs, upgrades or tests',
    ]);
  });

  test('a pod that is bound to a node that the snapshot does not have is named, because it is not planned', async () => {
    const bound = (name: string, nodeName: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { ...TEMPLATE.spec, nodeName },
    });
    const exported = yaml(bound('gone', 'node-9'), bound('here', 'node-1'));
    const document = aDocument({ nodes: [aGivenNode()], nodeClaims: [aGivenClaim()] });
    const { stderr } = await plan(document, ['-f', 'all.yaml', '-o', 'json'], { 'all.yaml': exported });
    expect(stderr.trimEnd().split('\n')).toEqual([
      'ignored: gone: bound to a node that the plan does not have; to plan a pod, remove its spec.nodeName',
    ]);
  });

  test('a NodePool replaces the NodePool with its name', async () => {
    const limited = yaml(poolManifest({ limits: { cpu: '1' } }));
    const { newNodeClaims, podErrors } = await planned(aDocument({ pods: pods(1) }), ['-f', 'pool.yaml'], {
      'pool.yaml': limited,
    });
    expect(newNodeClaims).toEqual([]);
    expect(podErrors['default/web-1']?.[0]?.message).toMatch(/limit/);
  });

  test('a NodePool with a new name is added, with all instance types', async () => {
    const output = await planned(aDocument({ nodePools: [], pods: pods(1) }), ['-f', 'pool.yaml'], {
      'pool.yaml': yaml(poolManifest()),
    });
    expect(output.newNodeClaims).toHaveLength(1);
  });

  test('an invalid manifest is reported with its line, and nothing is planned', async () => {
    const text = yaml(poolManifest()).replace('operator: In', 'operator: IN');
    const { code, stdout, stderr } = await plan(aDocument(), ['-f', 'pool.yaml'], { 'pool.yaml': text });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^pool\.yaml:\d+:\d+ +NodePool\/general +spec\.template\.spec\.requirements\[0\]\.operator: "IN"/,
    );
    expect(stderr).toContain('nothing was planned');
  });

  test('an empty file is reported to have no effect', async () => {
    const { code, stderr } = await plan(aDocument(), ['-f', 'a.yaml'], { 'a.yaml': '' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'a.yaml: no objects with an effect on the plan\n' });
  });

  test.each([
    ['a file that does not exist', ['-f', 'nope.yaml'], /nope\.yaml cannot be read/],
    ['more replicas than can be planned', ['-f', 'api.yaml'], /2000000 pods are too many: the limit is 100000/],
  ])('%s ends with exit code 2', async (_what, args, message) => {
    const { code, stderr } = await plan(aDocument(), args, { 'api.yaml': yaml(deployment(2_000_000)) });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('kerf plan provisioning as text', () => {
  test('without pending pods the output is one line', async () => {
    expect(await plan(aDocument())).toMatchObject({
      stdout: 'No unschedulable pods: nothing would change.\n',
      code: 0,
    });
  });

  test('the output begins with the summary, and shows nodes, prices and workloads', async () => {
    const { stdout } = await plan(aDocument({ pods: pods(2) }));
    expect(stdout).toMatch(/^2 pods to schedule: 2 on \d new nodes? for \$0\.0\d+\/h \(about \$\d+ a month\)\./);
    expect(stdout).toMatch(/general +m5\.x?large +spot +us-east-1a or 1 more/);
    expect(stdout).toMatch(/ for web ×2\n/);
  });

  test('pods with the same reason are one group, and all are counted', async () => {
    const { stdout } = await plan(aDocument({ pods: pods(40, { nodeSelector: { team: 'a' } }) }));
    expect(stdout).toMatch(/^40 pods to schedule: 40 unschedulable\./);
    expect(stdout).toMatch(/\n {2}web-\d+ and 39 more\n {6}NodePool general: .*team/);
  });

  test('a long list ends with the number of further entries', async () => {
    const all = Array.from({ length: 30 }, (_, index) =>
      aGivenPod(`p${index}`, { nodeSelector: { [`team${index}`]: 'a' } }),
    );
    const { stdout } = await plan(aDocument({ pods: all }));
    expect(stdout).toContain('  and 10 more pods (--output json has all)\n');
    expect(stdout.split('\n').length).toBeLessThan(60);
  });

  test('ignored pods are reported on standard error, and in the notes of the JSON output (B6)', async () => {
    const document = aDocument({ pods: pods(2, { schedulingGates: [{ name: 'quota' }] }) });
    const { stdout, stderr } = await plan(document);
    expect(stdout).toMatch(/^No unschedulable pods/);
    expect(stderr).toBe('ignored: web-1 and web-2: has scheduling gates\n');
    const json = JSON.parse((await plan(document, ['--output', 'json'])).stdout);
    expect(json.notes).toEqual(['ignored: web-1 and web-2: has scheduling gates']);
  });

  test('--fail-on-pending gives exit code 1 only if a pod is unschedulable', async () => {
    const lost = aDocument({ pods: pods(1, { nodeSelector: { team: 'a' } }) });
    const codes = [
      await plan(lost),
      await plan(lost, ['--fail-on-pending']),
      await plan(aDocument(), ['--fail-on-pending']),
    ];
    expect(codes.map(({ code }) => code)).toEqual([0, 1, 0]);
  });

  test('without a snapshot it ends with exit code 2', async () => {
    const { code, stderr } = await runKerf(['plan', 'provisioning']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/snapshot/);
  });
});

test.each([[[]], [['plan']]])('%j alone lists the commands', async (args) => {
  const { stdout, code } = await runKerf(args);
  expect(code).toBe(0);
  expect(stdout).toContain('COMMANDS');
});
