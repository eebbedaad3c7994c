import { describe, expect, test } from 'vitest';
import {
  checkDescribed,
  checkNodeIdentity,
  checkSecurityGroups,
  checkSubnets,
} from '../../../lib/cli/doctor/account-checks.ts';
import {
  checkAutoscalers,
  checkCoreDns,
  checkDefinitions,
  checkMetrics,
  checkNodePools,
} from '../../../lib/cli/doctor/cluster-checks.ts';
import { wantedDefinitions } from '../../../lib/core/install/definitions.ts';
import type { DescribedCluster } from '../../../lib/ports/doctor.ts';
import { aNodeClass, aNodePool } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../builders/times.ts';
import { KARPENTER_TRACES, NO_TRACES } from '../../core/cluster/autoscaler-traces.ts';
import { aDescribedCluster } from './described-cluster.ts';

function described(check: string, over: Partial<DescribedCluster>) {
  return checkDescribed(aDescribedCluster(over)).find((finding) => finding.check === check);
}

describe('what EKS describes', () => {
  test('a cluster that is ready passes every check', () => {
    expect(checkDescribed(aDescribedCluster()).map(({ check, status }) => `${check} ${status}`)).toEqual([
      'cluster pass',
      'version pass',
      'access pass',
      'endpoint pass',
      'auto mode pass',
    ]);
  });

  test.each([
    ['CREATING', 'fail', 'aws eks wait cluster-active --name demo'],
    ['UPDATING', 'warn', 'aws eks wait cluster-active --name demo'],
    ['DELETING', 'fail', 'aws eks describe-cluster --name demo'],
  ])('a cluster that is %s: %s', (status, expected, fix) => {
    const found = described('cluster', { status });
    expect(found).toMatchObject({ status: expected, message: `EKS cluster demo is ${status}` });
    expect(found?.fix).toContain(fix);
  });

  test('Kubernetes 1.29 has no admission policy, and is upgraded to the next minor version', () => {
    const found = described('version', { kubernetesVersion: '1.28' });
    expect(found).toMatchObject({ status: 'warn', message: expect.stringContaining('Kubernetes 1.28') });
    expect(found?.fix).toContain('--kubernetes-version 1.29');
    expect(described('version', { kubernetesVersion: '1.30' })?.status).toBe('pass');
  });

  test('access entries need another mode than CONFIG_MAP, with the sentence of the installer', () => {
    const found = described('access', { authenticationMode: 'CONFIG_MAP' });
    expect(found).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/\(authenticationMode CONFIG_MAP\)$/),
    });
    expect(found?.fix).toMatch(/^Enable access entries.*authenticationMode=API_AND_CONFIG_MAP/);
  });

  test.each([
    [{ isPublic: true, isPrivate: false, publicCidrs: ['0.0.0.0/0'] }, 'pass', 'public, so'],
    [{ isPublic: true, isPrivate: true, publicCidrs: ['10.0.0.0/8', '0.0.0.0/0'] }, 'pass', 'public and private'],
    [{ isPublic: false, isPrivate: true, publicCidrs: [] }, 'warn', 'is private'],
    [{ isPublic: true, isPrivate: true, publicCidrs: ['203.0.113.0/24'] }, 'warn', '1 address range'],
    [{ isPublic: true, isPrivate: false, publicCidrs: ['203.0.113.0/24'] }, 'fail', '203.0.113.0/24'],
  ])('the endpoint %j: %s', (endpoint, status, words) => {
    const found = described('endpoint', { endpoint });
    expect(found).toMatchObject({ status, message: expect.stringContaining(words) });
    expect(found?.fix?.includes('network') ?? false).toBe(status !== 'pass');
  });

  test('Auto Mode is a warning with the command, because Kerf is on standby beside it', () => {
    const found = described('auto mode', { autoMode: true });
    expect(found).toMatchObject({ status: 'warn', message: expect.stringContaining('EKS Auto Mode runs') });
    expect(found?.fix).toContain('aws eks update-cluster-config --name demo');
  });
});

function subnet(id: string, zone: string, freeAddresses: number) {
  return { id, zone, zoneId: '', freeAddresses };
}

describe('what an EC2NodeClass selects', () => {
  test('subnets are counted with their zones and free addresses', () => {
    const subnets = [subnet('subnet-1', 'eu-west-1a', 4_000), subnet('subnet-2', 'eu-west-1b', 50)];
    expect(checkSubnets('default', { subnets })).toEqual([
      { check: 'subnets', status: 'pass', message: 'default: 2 subnets in 2 zones with 4050 free addresses' },
    ]);
  });

  test.each([
    [12, 'warn', 'subnet-2 has 12'],
    [49, 'warn', 'subnet-2 has 49'],
  ])('a subnet with %d free addresses: %s', (free, status, words) => {
    const subnets = [subnet('subnet-1', 'eu-west-1a', 4_000), subnet('subnet-2', 'eu-west-1b', free)];
    const [found] = checkSubnets('default', { subnets });
    expect(found).toMatchObject({ status, message: expect.stringContaining(words), fix: expect.any(String) });
  });

  test('without a free address, nothing can be launched', () => {
    expect(checkSubnets('default', { subnets: [subnet('subnet-1', 'a', 0)] })[0]?.status).toBe('fail');
  });

  test('a selector that finds nothing fails, with what to check', () => {
    const problem = 'EC2NodeClass default: spec.subnetSelectorTerms finds nothing; check ids, names and tags';
    expect(checkSubnets('default', { problem })[0]).toEqual({
      check: 'subnets',
      status: 'fail',
      message: 'EC2NodeClass default: spec.subnetSelectorTerms finds nothing',
      fix: expect.stringMatching(/^Check ids, names and tags\. .*aws ec2 describe-subnets/),
    });
    expect(checkSecurityGroups('default', { problem })[0]?.fix).toContain('describe-security-groups');
  });

  test('security groups are counted', () => {
    const securityGroups = [{ id: 'sg-1', name: 'one' }];
    expect(checkSecurityGroups('default', { securityGroups })[0]?.message).toBe('default: 1 security group (sg-1)');
  });

  test('a role or an instance profile that does not exist fails', () => {
    const role = { nodeClass: 'default', kind: 'role', name: 'node' } as const;
    expect(checkNodeIdentity({ ...role, exists: true }).status).toBe('pass');
    expect(checkNodeIdentity({ ...role, exists: false })).toMatchObject({
      status: 'fail',
      message: 'default: role node does not exist',
      fix: expect.stringContaining('spec.role'),
    });
    const profile = { ...role, kind: 'instance profile', exists: false } as const;
    expect(checkNodeIdentity(profile).fix).toContain('spec.instanceProfile');
  });
});

describe('what runs in the cluster', () => {
  test('Karpenter is a warning with the command that stops it', () => {
    const [found, ...others] = checkAutoscalers('demo', KARPENTER_TRACES, NOW_MS);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ status: 'warn', message: expect.stringContaining('Karpenter runs in cluster demo') });
    expect(found?.fix).toContain('--replicas=0');
    expect(checkAutoscalers('demo', NO_TRACES, NOW_MS)[0]?.status).toBe('pass');
  });

  test('signs that may not be read fail, because Karpenter may run', () => {
    const found = checkAutoscalers('demo', { ...NO_TRACES, unread: ['list leases: 403'] }, NOW_MS);
    expect(found).toMatchObject([{ status: 'fail', message: 'list leases: 403' }]);
  });

  test.each([
    [2, 2, 'pass'],
    [2, 1, 'warn'],
    [1, 1, 'warn'],
    [2, 0, 'fail'],
  ])('CoreDNS with %d replicas and %d ready: %s', (replicas, ready, status) => {
    expect(checkCoreDns({ replicas, ready })).toMatchObject({
      status,
      message: expect.stringContaining(`${ready} of`),
    });
  });

  test('a cluster without CoreDNS may have another DNS server', () => {
    expect(checkCoreDns(undefined).status).toBe('warn');
  });

  test('without the metrics API, autoscalers of pods do not scale, with the add-on or what to read', () => {
    expect(checkMetrics({ isAvailable: true, message: 'all checks passed' }).status).toBe('pass');
    expect(checkMetrics(undefined)).toMatchObject({ status: 'warn', fix: expect.stringContaining('metrics-server') });
    expect(checkMetrics({ isAvailable: false, message: 'service/metrics-server has no endpoints' })).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(/not available, .*: service\/metrics-server has no endpoints$/),
    });
  });

  test('CRDs: missing ones are installed by a deploy, old stored versions stop it, newer fields are kept', () => {
    const wanted = wantedDefinitions();
    const plain = { storedVersions: ['v1'], convertedByWebhook: false, schemas: {} };
    const [first, ...rest] = wanted.map((one) => ({ wanted: one, found: undefined }));
    if (first === undefined) throw new Error('there are CRDs');
    expect(checkDefinitions([{ ...first, found: plain }, ...rest])).toMatchObject([
      { status: 'pass', message: '1 of 5 CRDs installed, stored as v1; a deploy installs the other 4' },
    ]);
    const old = { ...plain, storedVersions: ['v1beta1', 'v1'] };
    expect(checkDefinitions([{ ...first, found: old }])).toMatchObject([
      { status: 'fail', fix: expect.stringContaining('storedVersions') },
    ]);
    const schemas = { v1: { properties: { spec: { properties: { newField: {} } } } } };
    expect(checkDefinitions([{ ...first, found: { ...plain, schemas } }])).toMatchObject([
      { status: 'warn', message: expect.stringContaining('spec.newField') },
    ]);
  });

  test('NodePools name an EC2NodeClass that exists', () => {
    expect(checkNodePools([aNodePool()], [aNodeClass()]).status).toBe('pass');
    expect(checkNodePools([], []).status).toBe('warn');
    expect(checkNodePools([aNodePool()], [])).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/1 of 1 NodePool without .* general names default/),
    });
  });
});
