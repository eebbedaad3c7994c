import { expect, test } from 'vitest';
import type { DoctorFlags } from '../../../lib/cli/doctor/doctor-command.ts';
import { runDoctor } from '../../../lib/cli/doctor/run-doctor.ts';
import { OptionError } from '../../../lib/operator/options/option-values.ts';
import type { DoctorPorts } from '../../../lib/operator/wiring/doctor.ts';
import type { AccountReader, ClusterHealthReader } from '../../../lib/ports/doctor.ts';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import { aNodeClass, aNodePool, asking } from '../../builders/node-pools.ts';
import { NO_TRACES } from '../../core/cluster/autoscaler-traces.ts';
import { fakeShell } from '../fake-shell.ts';
import { aDescribedCluster } from './described-cluster.ts';

function anAccount(over: Partial<AccountReader> = {}): AccountReader {
  return {
    describeCluster: async () => aDescribedCluster(),
    subnets: async () => ({
      subnets: [{ id: 'subnet-1', zone: 'eu-west-1a', zoneId: 'euw1-az1', freeAddresses: 4_000 }],
    }),
    securityGroups: async () => ({ securityGroups: [{ id: 'sg-1', name: 'nodes' }] }),
    hasRole: async () => true,
    hasInstanceProfile: async () => true,
    region: 'eu-west-1',
    vcpuQuotas: async (codes) => new Map(codes.map((code) => [code, 1_152])),
    lambdaConcurrency: async () => ({ limit: 1_000, unreserved: 1_000 }),
    ...over,
  };
}

function aCluster(over: Partial<ClusterHealthReader> = {}): ClusterHealthReader {
  return {
    serverVersion: async () => 'v1.35.4',
    findOtherAutoscalers: async () => NO_TRACES,
    coreDns: async () => ({ replicas: 2, ready: 2 }),
    metricsApi: async () => ({ isAvailable: true, message: 'all checks passed' }),
    findDefinition: async () => undefined,
    listNodePools: async () => [aNodePool()],
    listNodeClasses: async () => [aNodeClass()],
    ...over,
  };
}

const ON_STANDARD = aNodePool({
  limits: { cpu: '1000' },
  requirements: [asking('karpenter.k8s.aws/instance-category', 'In', 'm')],
});

async function fails(error: Error): Promise<never> {
  throw error;
}

async function doctor(ports: Partial<DoctorPorts>, over: Partial<DoctorFlags> = {}, text = '') {
  const { context, ran } = fakeShell();
  const shell = { region: undefined, profile: undefined, kubeconfig: undefined, context: undefined };
  const flags: DoctorFlags = { cluster: 'demo', file: undefined, ...shell, output: 'text', ...over };
  const all = { account: async () => anAccount(), cluster: async () => aCluster(), ...ports };
  await runDoctor({ ...context, readText: () => text }, flags, async () => all);
  return ran();
}

interface Shown {
  readonly findings: readonly { readonly check: string; readonly status: string; readonly fix?: string }[];
}

function statuses(stdout: string): readonly string[] {
  const { findings }: Shown = JSON.parse(stdout);
  return findings.map(({ check, status }) => `${check}: ${status}`);
}

test('a cluster that is ready, in 80 columns', async () => {
  const cluster = aCluster({ listNodePools: async () => [ON_STANDARD] });
  const { stdout, code } = await doctor({ cluster: async () => cluster });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Cluster demo\n\npass {2}cluster +EKS cluster demo is ACTIVE\n/);
  expect(stdout).toMatch(/\n17 pass\n$/);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('a failure stops only what depends on it, and is reported once', async () => {
  const gone = new UnreachableError('GET /version: connect ECONNREFUSED 10.0.0.1:443');
  const { stdout, code } = await doctor({ cluster: async () => fails(gone) }, { output: 'json' });
  expect(code).toBe(1);
  expect(statuses(stdout)).toEqual([
    'api server: fail',
    ...['cluster', 'version', 'access', 'endpoint', 'auto mode', 'subnets', 'security groups'].map(
      (one) => `${one}: pass`,
    ),
    'node role: skip',
    'vcpu quotas: pass',
    'vcpu quotas: pass',
    'lambda: pass',
  ]);
  expect(JSON.parse(stdout).findings[0].fix).toContain('check the address and its port');
});

test('a region that may have no Function URLs has a warning', async () => {
  const account = anAccount({ region: 'eu-south-2' });
  const { stdout } = await doctor({ account: async () => account }, { output: 'json' });
  expect(statuses(stdout)).toContain('lambda: warn');
});

test('a cluster that does not exist is one failure, although the API server needs the same answer', async () => {
  const missing = new RefusedError('describe EKS cluster demo: ResourceNotFoundException: No cluster found');
  const account = anAccount({ describeCluster: async () => fails(missing) });
  const { stdout } = await doctor({ account: async () => account, cluster: async () => fails(missing) });
  expect(stdout.match(/^fail /gm)).toHaveLength(1);
  expect(stdout).toContain('aws eks list-clusters');
  expect(stdout).toMatch(/pass {2}subnets/);
});

test('without AWS credentials, the checks of the cluster run', async () => {
  const { stdout, code } = await doctor({ account: async () => fails(new OptionError('no AWS credentials: sign in')) });
  expect(code).toBe(1);
  expect(stdout).toMatch(/fail {2}aws +no AWS credentials: sign in\n/);
  expect(stdout).toMatch(/pass {2}coredns/);
});

test('one list that is refused leaves the others', async () => {
  const cluster = aCluster({ listNodePools: async () => fails(new RefusedError('list nodepools: 403')) });
  const { stdout, code } = await doctor({ cluster: async () => cluster }, { output: 'json' });
  expect(code).toBe(1);
  expect(statuses(stdout).filter((one) => /nodepools|coredns|crds/.test(one))).toEqual([
    'nodepools: fail',
    'coredns: pass',
    'crds: pass',
  ]);
});

test('without any answer there is no table but the failure', async () => {
  const failure = new RefusedError('describe EKS cluster demo: not allowed');
  const refuses = async () => fails(failure);
  const account = anAccount({
    describeCluster: refuses,
    subnets: refuses,
    securityGroups: refuses,
    vcpuQuotas: refuses,
    lambdaConcurrency: refuses,
  });
  await expect(doctor({ account: async () => account, cluster: refuses })).rejects.toBe(failure);
});

test('the EC2NodeClasses of the files are checked instead of those of the cluster', async () => {
  const asked: string[] = [];
  const account = anAccount({
    subnets: async ({ metadata }) => {
      asked.push(metadata.name);
      return { problem: 'nothing' };
    },
    hasInstanceProfile: async () => false,
  });
  const { metadata: _, spec, ...others } = aNodeClass();
  const { role: _role, ...plain } = spec;
  const manifest = { ...others, metadata: { name: 'new' }, spec: { ...plain, instanceProfile: 'absent' } };
  const ran = await doctor({ account: async () => account }, { file: ['-'] }, JSON.stringify(manifest));
  expect(asked).toEqual(['new']);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('instance profile absent does not exist');
});

test('files without an EC2NodeClass are bad input', async () => {
  const pod = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } };
  await expect(doctor({}, { file: ['-'] }, JSON.stringify(pod))).rejects.toThrow('the files have no EC2NodeClass');
});

test('the quotas are compared with the NodePools of the files, and with the standard families if there is none', async () => {
  const asked: (readonly string[])[] = [];
  const account = anAccount({
    vcpuQuotas: async (codes) => {
      asked.push(codes);
      return new Map(codes.map((code) => [code, 64]));
    },
  });
  const requirements = [
    asking('karpenter.k8s.aws/instance-family', 'In', 'g4dn'),
    asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
  ];
  const text = [aNodePool({ name: 'gpu', requirements, limits: { cpu: '96' } }), aNodeClass()].map((one) =>
    JSON.stringify(one),
  );
  const ran = await doctor({ account: async () => account }, { file: ['-'], output: 'json' }, text.join('\n---\n'));
  expect(asked).toEqual([['L-DB2E81BA']]);
  expect(JSON.parse(ran.stdout).findings).toContainEqual({
    check: 'vcpu quotas',
    status: 'warn',
    message: 'on-demand G and VT: 64 vCPUs; limits.cpu of NodePool gpu is 96',
    fix: expect.stringContaining('--quota-code L-DB2E81BA --desired-value 96'),
  });
  const empty = aCluster({ listNodePools: async () => [] });
  await doctor({ account: async () => account, cluster: async () => empty });
  expect(asked[1]).toEqual(['L-1216C47A', 'L-34B43A08']);
});

test('a region without bundled instance types has the quotas of the standard families', async () => {
  const { stdout } = await doctor({ account: async () => anAccount({ region: 'us-gov-west-1' }) });
  expect(stdout.match(/^pass {2}vcpu quotas/gm)).toHaveLength(2);
});
