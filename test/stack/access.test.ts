import { describe, expect, test } from 'vitest';
import type { ClusterOptions } from '../../lib/operator/options/cluster-options.ts';
import { OptionError } from '../../lib/operator/options/option-values.ts';
import { propertiesOf, templateOf } from './assembly.ts';
import { at } from './json.ts';

/** The access entries of each cluster in the installer's properties; a role of this stack has the name of its function. */
function admittedBy(clusters: readonly ClusterOptions[]): readonly string[] {
  const [resource] = propertiesOf(templateOf(clusters), 'AWS::CloudFormation::CustomResource');
  const told = JSON.stringify(at(resource, 'Clusters') ?? '');
  const entries = [...told.matchAll(/\\"principal\\":\\"(.*?)\\",\\"type\\":\\"(\w+)\\",\\"groups\\":\[(.*?)\]/g)];
  return entries.map(([, principal = '', type, groups = '']) => {
    const name = /(?:role\/([\w-]+))$/.exec(principal)?.[1] ?? /"(\w+?)Role[0-9A-F]{8}"/.exec(principal)?.[1];
    return [name, type, groups.replaceAll(/\\*"/g, '')].join(' ').trim();
  });
}

const FUNCTIONS = [
  'Provisioning STANDARD kerf:provisioning',
  'Lifecycle STANDARD kerf:lifecycle',
  'Disruption STANDARD kerf:disruption',
  'Termination STANDARD kerf:termination',
];

describe('access entries of a cluster', () => {
  test('the functions, each with its own group, and the node role of Karpenter’s guide', () => {
    expect(admittedBy([{ name: 'blue', install: false }])).toEqual([...FUNCTIONS, 'KarpenterNodeRole-blue EC2_LINUX']);
  });

  test('the roles of nodes that the configuration names, those of Windows in their own way', () => {
    expect(admittedBy([{ name: 'blue', nodeRole: 'nodes', windowsNodeRole: 'windows-nodes' }]).slice(4)).toEqual([
      'nodes EC2_LINUX',
      'windows-nodes EC2_WINDOWS',
      'Installer STANDARD',
    ]);
  });

  test('the installer is last, with all rights', () => {
    const template = templateOf([{ name: 'blue' }]);
    const [resource] = propertiesOf(template, 'AWS::CloudFormation::CustomResource');
    const told = JSON.stringify(at(resource, 'Clusters'));
    expect(told.indexOf('AmazonEKSClusterAdminPolicy')).toBeGreaterThan(told.indexOf('KarpenterNodeRole-blue'));
    expect(admittedBy([{ name: 'blue' }])[5]).toBe('Installer STANDARD');
  });

  test('none, where they are created elsewhere', () => {
    expect(admittedBy([{ name: 'blue', accessEntries: false }])).toEqual([]);
  });
});

test('the installer’s log is retained after the stack is deleted, because only it has the errors of removing Kerf', () => {
  const template = templateOf([{ name: 'blue' }]);
  const kept = Object.keys(template.findResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Retain' }));
  expect(kept).toEqual([expect.stringMatching(/^Installer/)]);
  template.hasOutput('InstallerLogGroup', { Value: { Ref: kept[0] } });
});

describe('a role that the stack makes for nodes', () => {
  test('has a fixed name for EC2NodeClasses, may be passed to instances, and has an access entry', () => {
    const template = templateOf([{ name: 'blue', makeNodeRole: true }]);
    template.hasResourceProperties('AWS::IAM::Role', { RoleName: 'KerfNodeRole-blue' });
    expect(JSON.stringify(template.toJSON())).not.toContain('KarpenterNodeRole');
    expect(JSON.stringify(template.findOutputs('*'))).toContain('NodeRoleblueRole');
    expect(admittedBy([{ name: 'blue', makeNodeRole: true }])[4]).toBe('NodeRoleblue EC2_LINUX');
  });

  test('of a cluster whose name is too long for IAM is refused, with what to do', () => {
    const name = 'a'.repeat(60);
    expect(() => templateOf([{ name, makeNodeRole: true }])).toThrow(OptionError);
    expect(() => templateOf([{ name, makeNodeRole: true }])).toThrow(/73 characters.*nodeRole/);
  });
});
