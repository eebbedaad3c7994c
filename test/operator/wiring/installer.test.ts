/** The installer as it is deployed, attacked by events: EKS is recorded, and CloudFormation and S3 are servers of the test. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  AssociateAccessPolicyCommand,
  type Cluster,
  CreateAccessEntryCommand,
  DeleteAccessEntryCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  DisassociateAccessPolicyCommand,
  EKSClient,
  ListClustersCommand,
} from '@aws-sdk/client-eks';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerTrigger } from '../../../lib/operator/lambda/custom-resource.ts';
import { wireInstaller } from '../../../lib/operator/wiring/installer.ts';

const ROLE = 'arn:aws:iam::123456789012:role/';
const ADMIN = 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy';
const ROLES = {
  prefix: ROLE,
  provisioning: 'provisioning',
  lifecycle: 'lifecycle',
  disruption: 'disruption',
  termination: 'termination',
  installer: 'installer',
};

interface Recorded {
  readonly server: Server;
  readonly url: string;
  readonly requests: string[];
  readonly bodies: string[];
}

let eks: ReturnType<typeof mockEks>;
let status: string;
let cloudFormation: Recorded;
let answers: Recorded;
let attacker: Recorded;

const mockEks = () => mockClient(EKSClient);

async function recording(answer: () => string): Promise<Recorded> {
  const requests: string[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(200).end(answer());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { server, url: `http://127.0.0.1:${port}`, requests, bodies };
}

beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  status = 'UPDATE_IN_PROGRESS';
  cloudFormation = await recording(() => `<ResourceStatus>${status}</ResourceStatus>`);
  answers = await recording(() => '');
  attacker = await recording(() => '{}');
  eks = mockEks();
  eks.resolves({});
  eks.on(ListClustersCommand).resolves({ clusters: ['demo', 'other'] });
  eks.on(DescribeClusterCommand).resolves({ cluster: { accessConfig: { authenticationMode: 'API' } } });
  eks
    .on(DescribeAccessEntryCommand)
    .rejects(
      Object.assign(new Error('no entry'), { name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 404 } }),
    );
});

afterEach(() => {
  vi.unstubAllEnvs();
  eks.restore();
  for (const { server } of [cloudFormation, answers, attacker]) {
    server.close();
    server.closeAllConnections();
  }
});

async function invoke(event: unknown, clusters: object): Promise<void> {
  const { runtime, work } = wireInstaller({
    AWS_REGION: 'eu-west-3',
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    AWS_ENDPOINT_URL_S3: answers.url,
    CLUSTERS: JSON.stringify(clusters),
    ROLES: JSON.stringify(ROLES),
    STACK_ID: 'arn:aws:cloudformation:eu-west-3:123456789012:stack/Kerf/1b2c',
    STACK_RESOURCE: 'InstallerAccess',
    INSTALLER_PATH: 'Kerf/Installer',
    TABLE_NAME: 'state',
    WEBHOOK_URL: 'https://hooks.test/',
    WEBHOOK_SECRET: 's3cret',
    PROVISIONING_QUEUE_URL: 'https://sqs.test/provisioning',
    TERMINATION_QUEUE_URL: 'https://sqs.test/termination',
  });
  const quiet = { ...runtime, telemetry: { error: () => {} } };
  await answerTrigger(
    quiet,
    event,
    work(() => 60_000),
  );
}

function eventOf(RequestType: string, properties: object = {}): object {
  return {
    RequestType,
    ResponseURL: `${answers.url}/answer`,
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'InstallerAccess',
    PhysicalResourceId: 'InstallerAccess',
    ResourceProperties: { ServiceToken: 'token', ...properties },
    OldResourceProperties: { ServiceToken: 'token', ...properties },
  };
}

/** What the version before read from the event: its clusters, addresses and roles. */
function hostileProperties(): object {
  const entry = { principal: `${ROLE}attacker`, type: 'STANDARD', groups: ['system:masters'], policy: ADMIN };
  const cluster = { name: 'demo', endpoint: attacker.url };
  return {
    Clusters: JSON.stringify([
      { cluster, entries: [entry] },
      { cluster: { name: 'other' }, entries: [entry] },
    ]),
  };
}

const ACCESS_ONLY = { demo: { install: false } };

describe('an event with clusters, roles and addresses of its own', () => {
  test.each(['Create', 'Update'])('%s installs only what the environment says', async (type) => {
    await invoke(eventOf(type, hostileProperties()), ACCESS_ONLY);
    const created = eks.commandCalls(CreateAccessEntryCommand).map(({ args: [{ input }] }) => Object.values(input));
    expect(created).toHaveLength(5);
    expect(JSON.stringify(eks.calls().map(({ args: [{ input }] }) => input))).not.toContain('attacker');
    expect(attacker.requests).toEqual([]);
    expect(answers.requests).toHaveLength(1);
  });

  test('gets no bearer token: the address of the cluster is the one in EKS', async () => {
    eks.on(DescribeClusterCommand).resolves({
      cluster: {
        endpoint: 'http://127.0.0.1:1',
        version: '1.35',
        certificateAuthority: { data: 'Q0E=' },
        kubernetesNetworkConfig: { serviceIpv4Cidr: '10.100.0.0/16' },
        accessConfig: { authenticationMode: 'API' },
      },
    });
    await invoke(eventOf('Create', hostileProperties()), { demo: {} });
    expect(attacker.requests).toEqual([]);
    const given = eks.commandCalls(AssociateAccessPolicyCommand).map(({ args: [{ input }] }) => input);
    expect(given).toEqual([expect.objectContaining({ clusterName: 'demo', principalArn: `${ROLE}installer` })]);
    expect(eks.commandCalls(DisassociateAccessPolicyCommand), 'after the failure').toHaveLength(1);
  });

  test('a forged Delete calls EKS for nothing', async () => {
    await invoke(eventOf('Delete', hostileProperties()), ACCESS_ONLY);
    expect(eks.calls()).toEqual([]);
    expect(answers.requests).toHaveLength(1);
  });
});

test('a Delete fails, and removes no access, if a cluster fails with an error of no service', async () => {
  status = 'DELETE_IN_PROGRESS';
  const kubernetesNetworkConfig = { serviceIpv4Cidr: '10.100.0.0/16' };
  const certificateAuthority: Cluster['certificateAuthority'] = JSON.parse('{ "data": 5 }');
  const cluster = { endpoint: 'https://demo.test', version: '1.35', certificateAuthority, kubernetesNetworkConfig };
  eks.on(DescribeClusterCommand).resolves({ cluster });
  await invoke(eventOf('Delete'), { demo: {} });
  expect(eks.commandCalls(DeleteAccessEntryCommand)).toEqual([]);
  expect(eks.commandCalls(DisassociateAccessPolicyCommand).length).toBeGreaterThan(0);
  expect(answers.bodies[0]).toMatch(/"FAILED".*cluster demo: unexpected error: TypeError/);
});

test('a cluster that moves to another network loses only the access of the old functions', async () => {
  const tags = { 'app.kubernetes.io/managed-by': 'kerf' };
  const accessEntry = { type: 'STANDARD', kubernetesGroups: [], tags };
  eks.on(DescribeAccessEntryCommand, { clusterName: 'other' }).resolves({ accessEntry });
  await invoke(eventOf('Update', { Elsewhere: ['other'] }), ACCESS_ONLY);
  expect(eks.commandCalls(AssociateAccessPolicyCommand), 'nothing is removed in the cluster').toEqual([]);
  const removed = eks.commandCalls(DeleteAccessEntryCommand).map(({ args: [{ input }] }) => input);
  const roles = ['provisioning', 'lifecycle', 'disruption', 'termination', 'installer'];
  expect(removed.filter(({ clusterName }) => clusterName === 'other')).toEqual(
    roles.map((role) => ({ clusterName: 'other', principalArn: `${ROLE}${role}` })),
  );
});

test('rights that are left are taken back in each cluster by the daily check, if nothing is being deployed', async () => {
  await invoke({ source: 'aws.events' }, { demo: {} });
  expect(eks.commandCalls(DisassociateAccessPolicyCommand)).toHaveLength(0);
  status = 'UPDATE_COMPLETE';
  await invoke({ source: 'aws.events' }, { demo: {} });
  const taken = eks.commandCalls(DisassociateAccessPolicyCommand).map(({ args: [{ input }] }) => input);
  expect(taken).toEqual([{ clusterName: 'demo', principalArn: `${ROLE}installer`, policyArn: ADMIN }]);
});
