/** Clusters that are reached in different networks have functions of their own there, and share the table. */
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { VARIABLES } from '../../lib/operator/options/options.ts';
import { LONGEST_CLUSTERS } from '../../lib/stack/configuration.ts';
import { propertiesOf, templateOf } from './assembly.ts';
import { at, listAt, recordAt, textAt } from './json.ts';

const network = {
  vpcId: 'vpc-11111111',
  subnetIds: ['subnet-aaaaaaaa', 'subnet-bbbbbbbb'],
  securityGroupIds: ['sg-11111111'],
};
let template: Template;

beforeAll(() => {
  template = templateOf([
    { name: 'open' },
    { name: 'private-1', network },
    // The same network, in another order.
    {
      name: 'private-2',
      network: { ...network, subnetIds: ['subnet-bbbbbbbb', 'subnet-aaaaaaaa'] },
      logLevel: 'debug',
    },
    { name: 'elsewhere', network: { ...network, vpcId: 'vpc-22222222' } },
  ]);
});

function functionsNamed(name: string): readonly Readonly<Record<string, unknown>>[] {
  const all = propertiesOf(template, 'AWS::Lambda::Function');
  return all.filter((properties) => textAt(properties, 'Description') === `Kerf ${name}`);
}

function clustersOf(properties: Readonly<Record<string, unknown>>): readonly string[] {
  const clusters: unknown = JSON.parse(textAt(properties, 'Environment', 'Variables', VARIABLES.clusters));
  return typeof clusters === 'object' && clusters !== null ? Object.keys(clusters) : [];
}

test.each(['provisioning', 'lifecycle', 'disruption', 'termination'])(
  '%s runs once a network, in its VPC, for the clusters there',
  (name) => {
    const found = functionsNamed(name).map((one) => [clustersOf(one), at(one, 'VpcConfig', 'SubnetIds')]);
    expect(found).toEqual([
      [['open'], undefined],
      [
        ['private-1', 'private-2'],
        ['subnet-aaaaaaaa', 'subnet-bbbbbbbb'],
      ],
      [['elsewhere'], ['subnet-aaaaaaaa', 'subnet-bbbbbbbb']],
    ]);
  },
);

test.each(['webhook', 'interruption'])('%s calls no cluster, and runs in no VPC', (name) => {
  const found = functionsNamed(name);
  expect(found.map(clustersOf)).toEqual([['open'], ['private-1', 'private-2'], ['elsewhere']]);
  for (const one of found) expect(one).not.toHaveProperty('VpcConfig');
});

test('a function in a VPC has the id of the VPC, and may have no route to the endpoint of the webhook', () => {
  const vpcs = functionsNamed('lifecycle').map((one) => at(one, 'Environment', 'Variables', VARIABLES.vpc));
  expect(vpcs).toEqual([undefined, network.vpcId, 'vpc-22222222']);
});

test('the catalogue is read once for all of them, and there is one table', () => {
  expect(functionsNamed('catalogue')).toHaveLength(1);
  template.resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
});

test('the most talkative cluster of a network has its way', () => {
  const levels = functionsNamed('lifecycle').map((one) =>
    textAt(one, 'Environment', 'Variables', 'POWERTOOLS_LOG_LEVEL'),
  );
  expect(levels).toEqual(['INFO', 'DEBUG', 'INFO']);
});

test('a tick wakes the functions of the cluster’s own network', () => {
  const rules = template.findResources('AWS::Events::Rule', {
    Properties: { ScheduleExpression: 'rate(1 minute)' },
  });
  const queuesOf = (id: string): string => JSON.stringify(at(rules[id], 'Properties', 'Targets'));
  const ids = Object.keys(rules);
  expect(ids).toHaveLength(4);
  const own = ids.filter((id) => id.startsWith('Network'));
  expect(own).toHaveLength(3);
  for (const id of own) expect(queuesOf(id)).toContain(id.slice(0, 'Networkvpc11111111'.length));
});

/** What CloudFormation and AWS make of each reference in a variable, at its longest. */
const LONGEST: Readonly<Record<string, number>> = {
  [VARIABLES.clusters]: LONGEST_CLUSTERS,
  [VARIABLES.webhookUrl]: 'https://.lambda-url.ap-southeast-1.on.aws/'.length + 32,
  [VARIABLES.webhookSecret]: 40,
  [VARIABLES.table]: 60,
  [VARIABLES.account]: 12,
  [VARIABLES.bodies]: 63,
  [VARIABLES.eventBus]: 64,
  [VARIABLES.roles]:
    '{"prefix":"arn:aws-us-gov:iam::123456789012:role/","provisioning":"","lifecycle":"","disruption":"","termination":"","installer":""}'
      .length +
    5 * 64,
  [VARIABLES.stack]: 'arn:aws-us-gov:cloudformation:ap-southeast-1:123456789012:stack//'.length + 128 + 36,
};
const LONGEST_QUEUE_URL = 'https://sqs.cn-northwest-1.amazonaws.com.cn/123456789012/'.length + 80;

test('the longest configuration fits into the 4 KB that Lambda has for the variables of a function', () => {
  const sizes = propertiesOf(template, 'AWS::Lambda::Function').map((properties) => {
    const variables = Object.entries(recordAt(properties, 'Environment', 'Variables'));
    const lengths = variables.map(([name, value]) => {
      const known = name.endsWith('_QUEUE_URL') ? LONGEST_QUEUE_URL : LONGEST[name];
      if (known === undefined && typeof value !== 'string')
        throw new Error(`${name} refers to something: how long is it?`);
      return name.length + (known ?? String(value).length);
    });
    return lengths.reduce((sum, length) => sum + length, 0);
  });
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4_096);
});

test('the wakes of all networks have one alarm on dead letters, and the interruption function of each network has its own', () => {
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').map((alarm) =>
    JSON.stringify(at(alarm, 'AlarmDescription')),
  );
  const count = (name: string): number => alarms.filter((text) => text.includes(`section ${name}`)).length;
  expect(['WakeDeadLetters', 'InterruptionDeadLetters'].map(count)).toEqual([1, 3]);
});

/** The statements with this effect on deleting network interfaces. */
function naming(effect: string, statements: readonly unknown[]): readonly unknown[] {
  return statements.filter(
    (one) => at(one, 'Effect') === effect && listAt(one, 'Action').includes('ec2:DeleteNetworkInterface'),
  );
}

test('what Lambda may do to network interfaces for a function in a VPC, the function’s own code may not', () => {
  const ours = /^\{"Fn::Join":\["",\["arn:",\{"Ref":"AWS::Partition"\},":lambda:.*:function:Kerf-\*"\]\]\}$/;
  const policies = propertiesOf(template, 'AWS::IAM::Policy').map((one) => listAt(one, 'PolicyDocument', 'Statement'));
  const allowed = policies.filter((statements) => naming('Allow', statements).length > 0);
  expect(allowed.length).toBeGreaterThan(0);
  for (const statements of allowed) {
    const sources = naming('Deny', statements).map((one) =>
      at(one, 'Condition', 'ArnLike', 'lambda:SourceFunctionArn'),
    );
    expect(sources.map((source) => ours.test(JSON.stringify(source)))).toEqual([true]);
  }
});

function nodeRolesOf(...clusters: Parameters<typeof templateOf>[0]): readonly string[] {
  const named = { Properties: { RoleName: 'KerfNodeRole-blue' } };
  return Object.keys(templateOf(clusters).findResources('AWS::IAM::Role', named));
}

function elsewhereIn(one: Template): readonly unknown[] {
  return propertiesOf(one, 'AWS::CloudFormation::CustomResource').map((properties) => at(properties, 'Elsewhere'));
}

test('each installer has the names of the clusters of other networks, and that of a single network has none', () => {
  expect(elsewhereIn(template)).toEqual([
    ['private-1', 'private-2', 'elsewhere'],
    ['open', 'elsewhere'],
    ['open', 'private-1', 'private-2'],
  ]);
  expect(elsewhereIn(templateOf([{ name: 'open' }]))).toEqual([undefined]);
});

test('each function of a network has the names of all clusters of the deployment, so that kerf status knows those that were removed', () => {
  const served = functionsNamed('lifecycle').map((one) => {
    const variables = at(one, 'Environment', 'Variables');
    const read = (name: string): unknown => JSON.parse(textAt(variables, name));
    return [
      ...Object.keys(recordAt(read(VARIABLES.clusters))),
      ...listAt(read(VARIABLES.otherClusters)).map(String),
    ].toSorted();
  });
  const all = ['elsewhere', 'open', 'private-1', 'private-2'];
  expect(served).toEqual([all, all, all]);
});

test('the role that the stack makes for nodes stays when their cluster moves to another network', () => {
  const blue = { name: 'blue', makeNodeRole: true };
  const roles = nodeRolesOf(blue);
  expect(roles).toHaveLength(1);
  expect(nodeRolesOf({ ...blue, network })).toEqual(roles);
  expect(nodeRolesOf({ ...blue, network: { ...network, subnetIds: ['subnet-aaaaaaaa'] } })).toEqual(roles);
});
