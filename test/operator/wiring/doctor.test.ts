import { DescribeSecurityGroupsCommand, DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { GetInstanceProfileCommand, GetRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { OptionError } from '../../../lib/operator/options/option-values.ts';
import { wireDoctor } from '../../../lib/operator/wiring/doctor.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import { TEST_CERTIFICATE } from '../../fakes/tls.ts';
import { awsError } from '../../providers/aws/aws-error.ts';

const eks = mockClient(EKSClient);
const ec2 = mockClient(EC2Client);
const iam = mockClient(IAMClient);
const OPTIONS = { cluster: 'demo', region: 'eu-west-1', profile: undefined, kubeconfig: undefined };
let server: FakeApiServer;

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'example');
  server = await FakeApiServer.start('https');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const client of [eks, ec2, iam]) client.restore();
  await server.close();
});
beforeEach(() => {
  for (const client of [eks, ec2, iam]) client.reset();
});

function clusterOfEks() {
  eks.on(DescribeClusterCommand).resolves({
    cluster: {
      name: 'demo',
      status: 'ACTIVE',
      version: '1.35',
      endpoint: server.endpoint,
      certificateAuthority: { data: Buffer.from(TEST_CERTIFICATE).toString('base64') },
      kubernetesNetworkConfig: { serviceIpv4Cidr: '10.100.0.0/16' },
      accessConfig: { authenticationMode: 'API' },
      resourcesVpcConfig: { endpointPublicAccess: true, publicAccessCidrs: ['203.0.113.0/24'] },
      computeConfig: { enabled: true },
    },
  });
}

test('the description of EKS has the settings that are checked', async () => {
  clusterOfEks();
  const account = await wireDoctor(OPTIONS).account();
  expect(await account.describeCluster()).toEqual({
    name: 'demo',
    status: 'ACTIVE',
    kubernetesVersion: '1.35',
    authenticationMode: 'API',
    endpoint: { isPublic: true, isPrivate: false, publicCidrs: ['203.0.113.0/24'] },
    autoMode: true,
  });
});

test('subnets, security groups, roles and instance profiles are read from EC2 and IAM', async () => {
  ec2.on(DescribeSubnetsCommand).resolves({
    Subnets: [{ SubnetId: 'subnet-1', AvailabilityZone: 'eu-west-1a', AvailableIpAddressCount: 7 }],
  });
  ec2.on(DescribeSecurityGroupsCommand).resolves({ SecurityGroups: [] });
  iam.on(GetRoleCommand).rejects(awsError('NoSuchEntityException', 404));
  iam.on(GetRoleCommand, { RoleName: 'node' }).resolves({});
  iam.on(GetInstanceProfileCommand).rejects(awsError('NoSuchEntityException', 404));
  const account = await wireDoctor(OPTIONS).account();
  expect((await account.subnets(aNodeClass())).subnets).toMatchObject([{ id: 'subnet-1', freeAddresses: 7 }]);
  expect((await account.securityGroups(aNodeClass())).problem).toContain('securityGroupSelectorTerms finds nothing');
  expect([await account.hasRole('node'), await account.hasRole('absent')]).toEqual([true, false]);
  expect(await account.hasInstanceProfile('absent')).toBe(false);
  iam.on(GetRoleCommand).rejects(awsError('AccessDenied', 403));
  await expect(account.hasRole('node')).rejects.toBeInstanceOf(RefusedError);
});

test('the cluster is read at the address that EKS returns, with the credentials of the shell', async () => {
  clusterOfEks();
  const cluster = await wireDoctor(OPTIONS).cluster();
  expect(await cluster.serverVersion()).toBe('v1.35.4');
  expect(await cluster.coreDns()).toBeUndefined();
  const address = { group: '/apis/apps/v1', resource: 'deployments', namespace: 'kube-system', name: 'coredns' };
  server.store.put(address, {
    metadata: { name: 'coredns', namespace: 'kube-system' },
    spec: { replicas: 2 },
    status: { readyReplicas: 1 },
  });
  expect(await cluster.coreDns()).toEqual({ replicas: 2, ready: 1 });
  const api = { group: '/apis/apiregistration.k8s.io/v1', resource: 'apiservices', name: 'v1beta1.metrics.k8s.io' };
  expect(await cluster.metricsApi()).toBeUndefined();
  const metadata = { name: api.name };
  server.store.put(api, { metadata });
  expect(await cluster.metricsApi()).toEqual({ isAvailable: false, message: 'it has no condition Available' });
  const condition = { type: 'Available', status: 'True', message: 'all checks passed' };
  server.store.put(api, { metadata, status: { conditions: [condition] } });
  expect(await cluster.metricsApi()).toEqual({ isAvailable: true, message: 'all checks passed' });
  expect(await cluster.listNodePools()).toEqual([]);
  expect((await cluster.findOtherAutoscalers()).leases).toEqual([]);
  // The API server answers a review, and stores nothing.
  const writes = server.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('accessreviews'));
  expect(writes).toEqual([]);
});

test('quotas are read at the endpoint of an emulator', async () => {
  clusterOfEks();
  vi.stubEnv('AWS_ENDPOINT_URL', server.endpoint);
  const account = await wireDoctor(OPTIONS).account();
  expect(account.region).toBe('eu-west-1');
  await expect(account.lambdaConcurrency()).rejects.toThrow(/read the account settings of Lambda/);
  await expect(account.vcpuQuotas(['L-1'])).rejects.toThrow(/read the quotas of EC2/);
  vi.stubEnv('AWS_ENDPOINT_URL', undefined);
});

test('a name that EKS does not accept is bad input', () => {
  expect(() => wireDoctor({ ...OPTIONS, cluster: 'a b' })).toThrow(OptionError);
});
