/** Clusters that are reached in different networks have functions of their own there, and share the table. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VARIABLES } from '../../lib/operator/options.ts';
import { type Assembly, propertiesOf, synthesize } from './assembly.ts';
import { at, textAt } from './json.ts';

const network = {
  vpcId: 'vpc-11111111',
  subnetIds: ['subnet-aaaaaaaa', 'subnet-bbbbbbbb'],
  securityGroupIds: ['sg-11111111'],
};
let assembly: Assembly;

beforeAll(() => {
  assembly = synthesize(
    [
      { name: 'open' },
      { name: 'private-1', network },
      // The same network, said in another order.
      {
        name: 'private-2',
        network: { ...network, subnetIds: ['subnet-bbbbbbbb', 'subnet-aaaaaaaa'] },
        logLevel: 'debug',
      },
      { name: 'elsewhere', network: { ...network, vpcId: 'vpc-22222222' } },
    ],
    { bundle: false },
  );
});
afterAll(() => assembly.remove());

function functionsNamed(name: string): readonly Readonly<Record<string, unknown>>[] {
  const all = propertiesOf(assembly.template, 'AWS::Lambda::Function');
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

test('a function in a VPC knows that it is in one, and may have no way to what an API server calls', () => {
  const vpcs = functionsNamed('lifecycle').map((one) => at(one, 'Environment', 'Variables', VARIABLES.vpc));
  expect(vpcs).toEqual([undefined, network.vpcId, 'vpc-22222222']);
});

test('the catalogue is read once for all of them, and there is one table', () => {
  expect(functionsNamed('catalogue')).toHaveLength(1);
  assembly.template.resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
});

test('the most talkative cluster of a network has its way', () => {
  const levels = functionsNamed('lifecycle').map((one) =>
    textAt(one, 'Environment', 'Variables', 'POWERTOOLS_LOG_LEVEL'),
  );
  expect(levels).toEqual(['INFO', 'DEBUG', 'INFO']);
});

test('a tick wakes the functions of the cluster’s own network', () => {
  const rules = assembly.template.findResources('AWS::Events::Rule', {
    Properties: { ScheduleExpression: 'rate(1 minute)' },
  });
  const queuesOf = (id: string): string => JSON.stringify(at(rules[id], 'Properties', 'Targets'));
  const ids = Object.keys(rules);
  expect(ids).toHaveLength(4);
  const own = ids.filter((id) => id.startsWith('Network'));
  expect(own).toHaveLength(3);
  for (const id of own) expect(queuesOf(id)).toContain(id.slice(0, 'Networkvpc11111111'.length));
});
