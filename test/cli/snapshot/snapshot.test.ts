import { expect, test } from 'vitest';
import { BadInputError } from '../../../lib/apis/bad-input-error.ts';
import { type LiveReader, runSnapshot } from '../../../lib/cli/snapshot/run-snapshot.ts';
import { fakeShell } from '../fake-shell.ts';
import { runKerf } from '../run-kerf.ts';
import { aClass, aCluster } from './live-cluster.ts';

async function snapshot(cluster: LiveReader, region?: string) {
  const { context, ran } = fakeShell();
  const flags = { kubeconfig: undefined, context: 'prod', name: undefined, region, output: 'json' as const };
  await runSnapshot(context, flags, async () => cluster);
  return ran();
}

test('the snapshot of a cluster of Karpenter can be planned, and its pods and nodes explained', async () => {
  const { stdout, stderr, code } = await snapshot(aCluster());
  expect({ stderr, code }).toEqual({ stderr: '1 node, 2 pods, 1 NodePool and 1 NodeClaim read\n', code: 0 });
  const files = { 'a.json': stdout };
  const pod = await runKerf(['why', 'pod', 'huge', '--snapshot', 'a.json', '-o', 'json'], files);
  expect(pod.stderr).toBe('');
  expect(JSON.parse(pod.stdout)).toMatchObject({ state: 'NeedsNode', summary: expect.stringContaining('eu-west-3a') });
  const node = await runKerf(['why', 'node', 'node-general-a', '--snapshot', 'a.json', '-o', 'json'], files);
  expect(JSON.parse(node.stdout).facts).toContainEqual(['NodeClaim', 'general-a']);
});

test('pods of manifests get the requests of the LimitRanges of the cluster', async () => {
  const limits = [{ type: 'Container', defaultRequest: { cpu: '7' } }];
  const listLimitRanges: LiveReader['listLimitRanges'] = async () => [
    { metadata: { name: 'defaults', namespace: 'default' }, spec: { limits } },
  ];
  const { stdout } = await snapshot(aCluster({ listLimitRanges }));
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: bare}\nspec: {containers: [{name: main}]}\n';
  const why = ['why', 'pod', 'bare', '--snapshot', 'a.json', '-f', 'pod.yaml'];
  const explained = await runKerf(why, { 'a.json': stdout, 'pod.yaml': pod });
  expect(explained.stdout).toContain('requests  7 cpu');
});

test('user data and the manifests in annotations are left out', async () => {
  const { stdout } = await snapshot(aCluster());
  expect(stdout).not.toContain('SECRET');
  expect(stdout).not.toContain('last-applied-configuration');
});

test('the region is that of the nodes, of the subnets, or of the flag', async () => {
  const without = { listNodes: async () => [], listNodeClaims: async () => [] };
  expect((await snapshot(aCluster(without))).stdout).toContain('"zone":"eu-west-3a"');
  const unknown = aCluster({ ...without, listNodeClasses: async () => [aClass([])] });
  await expect(snapshot(unknown)).rejects.toThrow(BadInputError);
  const { stdout, stderr } = await snapshot(unknown, 'us-east-1');
  expect(stdout).toContain('"zone":"us-east-1b"');
  expect(stderr).toContain('EC2NodeClass default shows no subnets, so NodePool general has all zones of the region\n');
});

test('a NodePool without its EC2NodeClass is named', async () => {
  const { stderr } = await snapshot(aCluster({ listNodeClasses: async () => [] }), 'eu-west-3');
  expect(stderr).toContain('warning: NodePool general: its EC2NodeClass default does not exist\n');
});

test('an EC2NodeClass with capacity reservations is named, because a status does not show their free instances', async () => {
  const reservation = { id: 'cr-1', availabilityZone: 'eu-west-3a', instanceType: 'm5.large', ownerID: '1' };
  const kind = { instanceMatchCriteria: 'targeted', reservationType: 'default', state: 'active' } as const;
  const nodeClass = aClass();
  const status = { ...nodeClass.status, capacityReservations: [{ ...reservation, ...kind }] };
  const { stderr } = await snapshot(aCluster({ listNodeClasses: async () => [{ ...nodeClass, status }] }));
  expect(stderr).toContain('warning: EC2NodeClass default selects 1 capacity reservation, which only EC2 counts');
});

test('a region without figures is bad input', async () => {
  await expect(snapshot(aCluster(), 'eu-west-33')).rejects.toThrow('did you mean eu-west-3?');
});
