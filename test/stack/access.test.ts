import { describe, expect, test } from 'vitest';
import type { ClusterOptions } from '../../lib/operator/options/cluster-options.ts';
import { type InstallerOptions, installerOptions } from '../../lib/operator/options/installer-options.ts';
import { OptionError } from '../../lib/operator/options/option-values.ts';
import { propertiesOf, templateOf } from './assembly.ts';
import { at, listAt, recordAt, textAt } from './json.ts';
import { resolved } from './resolve.ts';

/** What the installer reads from the environment that the stack gives it. */
function readByInstaller(clusters: readonly ClusterOptions[]): InstallerOptions {
  const [installer] = propertiesOf(templateOf(clusters), 'AWS::Lambda::Function').filter(
    (one) => one['Description'] === 'Kerf installer',
  );
  const variables = recordAt(resolved(at(installer, 'Environment', 'Variables')));
  const texts = Object.entries(variables).map(([name, value]) => [name, String(value)] as const);
  const urls = texts.map(([name, value]) => [name, name.endsWith('_URL') ? 'https://url.test/' : value] as const);
  return installerOptions({ AWS_REGION: 'eu-west-3', ...Object.fromEntries(urls) });
}

describe('the environment of the installer', () => {
  test('has the clusters with all their options, and the roles by ARN', () => {
    const options = { name: 'blue', nodeRole: 'nodes', onDelete: 'drain', accessEntries: true } as const;
    const { clusters, roles, stack, resource, installedBy } = readByInstaller([options]);
    expect(clusters).toEqual([options]);
    expect(roles.functions.lifecycle).toMatch(/^arn:aws:iam::123456789012:role\/Lifecycle/);
    expect(roles.installer).toMatch(/^arn:aws:iam::123456789012:role\/Installer/);
    expect(installedBy).toBe(`${stack}/Kerf/Installer`);
    const resources = templateOf([options]).findResources('AWS::CloudFormation::CustomResource');
    expect(Object.keys(resources)).toEqual([resource]);
  });

  test('lacks the clusters that others install', () => {
    const others = { name: 'green', accessEntries: false, install: false };
    expect(readByInstaller([{ name: 'blue' }, others]).clusters).toEqual([{ name: 'blue' }]);
    templateOf([others]).resourceCountIs('AWS::CloudFormation::CustomResource', 0);
  });
});

function propertiesWith(options: ClusterOptions): string {
  return JSON.stringify(propertiesOf(templateOf([options]), 'AWS::CloudFormation::CustomResource'));
}

test('a change of the configuration makes CloudFormation call the installer', () => {
  const all = [{ name: 'blue' }, { name: 'blue', nodeRole: 'nodes' }, { name: 'green' }].map(propertiesWith);
  expect(new Set(all).size).toBe(3);
});

test('an installation that did not end properly is checked once a day', () => {
  const rules = propertiesOf(templateOf([{ name: 'blue' }]), 'AWS::Events::Rule');
  const daily = rules.filter((rule) => rule['ScheduleExpression'] === 'rate(1 day)');
  expect(daily).toHaveLength(1);
  expect(JSON.stringify(listAt(daily[0], 'Targets'))).toContain('InstallerFunction');
});

test('the installer’s log is retained after the stack is deleted, because only it has the errors of removing Kerf', () => {
  const template = templateOf([{ name: 'blue' }]);
  const kept = Object.keys(template.findResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Retain' }));
  expect(kept).toEqual([expect.stringMatching(/^Installer/)]);
  template.hasOutput('InstallerLogGroup', { Value: { Ref: kept[0] } });
});

describe('a role that the stack makes for nodes', () => {
  test('has a fixed name for EC2NodeClasses, may be passed to instances, and exists before its access entry', () => {
    const template = templateOf([{ name: 'blue', makeNodeRole: true }]);
    template.hasResourceProperties('AWS::IAM::Role', { RoleName: 'KerfNodeRole-blue' });
    expect(JSON.stringify(template.toJSON())).not.toContain('KarpenterNodeRole');
    expect(JSON.stringify(template.findOutputs('*'))).toContain('NodeRoleblueRole');
    const [resource] = Object.values(template.findResources('AWS::CloudFormation::CustomResource'));
    expect(listAt(resource, 'DependsOn').map(String)).toContainEqual(expect.stringMatching(/^NodeRoleblueRole/));
  });

  test('is retained after the stack is deleted, because instance profiles of its nodes have it, but not after a failed deploy', () => {
    templateOf([{ name: 'blue', makeNodeRole: true }]).hasResource('AWS::IAM::Role', {
      Properties: { RoleName: 'KerfNodeRole-blue' },
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
  });

  test('of a cluster whose name is too long for IAM is refused, with what to do', () => {
    const name = 'a'.repeat(60);
    expect(() => templateOf([{ name, makeNodeRole: true }])).toThrow(OptionError);
    expect(() => templateOf([{ name, makeNodeRole: true }])).toThrow(/73 characters.*nodeRole/);
  });
});

describe('the rights of the installer in EKS', () => {
  const statements = propertiesOf(templateOf([{ name: 'blue' }]), 'AWS::IAM::Policy')
    .flatMap((policy) => listAt(policy, 'PolicyDocument', 'Statement'))
    .map(resolved);
  const allowing = (action: string): readonly unknown[] =>
    statements.filter((statement) => [at(statement, 'Action')].flat().includes(action));

  test.each(['eks:AssociateAccessPolicy', 'eks:DisassociateAccessPolicy'])(
    '%s: only with its own entry, whatever an event contains',
    (action) => {
      const resources = allowing(action).map((statement) => textAt(statement, 'Resource'));
      expect(resources).toEqual([
        expect.stringMatching(/:access-entry\/\*\/role\/123456789012\/InstallerRole[0-9A-F]{8}\/\*$/),
      ]);
    },
  );

  test('entries are created in configured clusters alone, of the functions with their groups, or of nodes', () => {
    const creating = allowing('eks:CreateAccessEntry');
    expect(creating.map((statement) => textAt(statement, 'Resource'))).toEqual(
      Array.from({ length: 2 }, () => expect.stringMatching(/:cluster\/blue$/)),
    );
    const [standard, nodes] = creating.map((statement) => recordAt(statement, 'Condition'));
    expect(listAt(standard, 'ArnEquals', 'eks:principalArn')).toHaveLength(5);
    expect(listAt(standard, 'ForAllValues:StringEquals', 'eks:kubernetesGroups').map(String)).toEqual([
      'kerf:provisioning',
      'kerf:lifecycle',
      'kerf:disruption',
      'kerf:termination',
    ]);
    expect(nodes).toEqual({ StringEquals: { 'eks:accessEntryType': ['EC2_LINUX', 'EC2_WINDOWS'] } });
  });

  test('entries of the deployment’s own roles alone are removed', () => {
    const resources = allowing('eks:DeleteAccessEntry').flatMap((statement) => listAt(statement, 'Resource'));
    expect(resources).toHaveLength(5);
    for (const resource of resources) {
      expect(resource).toMatch(/access-entry\/\*\/role\/123456789012\/(\w+)Role[0-9A-F]{8}\/\*$/);
    }
  });
});
