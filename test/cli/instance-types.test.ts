import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { InstanceTypesOutput } from '../../lib/cli/instance-types/instance-type-output.ts';
import { aDocument, aGivenPod } from '../snapshot/documents.ts';
import { runKerf } from './run-kerf.ts';

const list = (...args: readonly string[]) => runKerf(['instance-types', ...args]);

async function listed(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr, code } = await runKerf(['instance-types', '--output', 'json', ...args], files);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const output: InstanceTypesOutput = JSON.parse(stdout);
  return output;
}

function nodeClass(name: string, spec: object): string {
  const selector = [{ tags: { cluster: 'demo' } }];
  return stringify({
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: selector,
      securityGroupSelectorTerms: selector,
      role: 'node',
      ...spec,
    },
  });
}

const DENSE = nodeClass('dense', { kubelet: { maxPods: 200, systemReserved: { memory: '1Gi' } } });

describe('kerf instance-types --output json', () => {
  test('each type has its capacity, overhead, labels and offerings with prices', async () => {
    const output = await listed(['--name', 'm5.large', '--region', 'eu-west-3']);
    expect(output).toMatchObject({ region: 'eu-west-3', asOf: '2026-07-01T00:00:00Z', nodeClass: 'default' });
    expect(output.instanceTypes).toEqual([
      {
        name: 'm5.large',
        capacity: expect.objectContaining({ cpu: '2', memory: '7577Mi', pods: '29', 'ephemeral-storage': '20Gi' }),
        overhead: { cpu: '70m', memory: '674Mi', 'ephemeral-storage': '3Gi' },
        requirements: expect.objectContaining({
          'kubernetes.io/arch': ['amd64'],
          'karpenter.k8s.aws/instance-family': ['m5'],
          'karpenter.k8s.aws/instance-gpu-name': [],
        }),
        offerings: expect.arrayContaining([
          { capacityType: 'on-demand', zone: 'eu-west-3a', zoneId: 'euw3-az1', price: 0.112, available: true },
        ]),
      },
    ]);
  });

  test('the EC2NodeClass of a file affects the allocatable resources', async () => {
    const [type] = (await listed(['--name', 'm5.large', '-f', 'class.yaml'], { 'class.yaml': DENSE })).instanceTypes;
    expect(type).toMatchObject({ capacity: { pods: '200' }, overhead: { memory: '1698Mi' } });
  });

  test('all types of a region are listed, each once', async () => {
    const names = (await listed([])).instanceTypes.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(600);
    expect(new Set(names).size).toBe(names.length);
  });

  test('a snapshot can use the list as its instance types', async () => {
    const { instanceTypes } = await listed(['--name', 'm5.large']);
    const snapshot = JSON.stringify(aDocument({ instanceTypes, pods: [aGivenPod('web', {})] }));
    const { stdout } = await runKerf(['plan', 'provisioning', '--snapshot', 'a.json', '-o', 'json'], {
      'a.json': snapshot,
    });
    expect(JSON.parse(stdout)).toMatchObject({ podErrors: {}, newNodeClaims: [{ instanceTypes: ['m5.large'] }] });
  });
});

describe('kerf instance-types', () => {
  test('prints one line for each type, by family and size', async () => {
    const { stdout } = await list('--name', 'm7g.*', '--name', 'inf2.xlarge', '--region', 'us-east-1');
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe(
      '10 instance types of us-east-1 for EC2NodeClass/default (AL2023); bundled figures of 2026-07-01.',
    );
    expect(lines.slice(2, -1).map((line) => line.split(/\s+/)[0])).toEqual([
      'type',
      'inf2.xlarge',
      'm7g.medium',
      'm7g.large',
      'm7g.xlarge',
      'm7g.2xlarge',
      'm7g.4xlarge',
      'm7g.8xlarge',
      'm7g.12xlarge',
      'm7g.16xlarge',
      'm7g.metal',
    ]);
    expect(lines[3]).toMatch(/1×aws.amazon.com\/neuron 2×aws.amazon.com\/neuroncore/);
  });

  test.each([
    [['--name', 'm7g.larg'], '"m7g.larg" is not an instance type: did you mean m7g.large?'],
    [
      ['--name', '***zz***'],
      '"***zz***" is not an instance type: write a name such as m7g.large, or m7g.* for a family',
    ],
    [['--name', 'p5.48xlarge', '--region', 'eu-west-3'], '"p5.48xlarge" is not available in eu-west-3'],
    [['--region', 'mars'], 'there are no bundled figures for region "mars" (--region)'],
    [['--node-class', 'a'], 'no file is given'],
    [['gone.yaml'], 'gone.yaml cannot be read: no such file or folder'],
  ])('%j is bad input, and the error has a correction', async (args, message) => {
    const { stdout, stderr, code } = await list(...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
  });

  test('one of several EC2NodeClasses must be named', async () => {
    const files = { 'a.yaml': `${DENSE}---\n${nodeClass('plain', {})}` };
    const { stderr, code } = await runKerf(['instance-types', 'a.yaml'], files);
    expect({ stderr: stderr.trim(), code }).toEqual({
      stderr: 'the files have 2 EC2NodeClasses: add --node-class dense or plain',
      code: 2,
    });
    const { instanceTypes } = await listed(['a.yaml', '--node-class', 'plain', '--name', 'm5.large'], files);
    expect(instanceTypes[0]?.capacity).toMatchObject({ pods: '29' });
    expect((await runKerf(['instance-types', 'a.yaml', '--node-class', 'plan'], files)).stderr).toContain(
      'did you mean plain?',
    );
  });

  test('types without an image of the EC2NodeClass are left out, and counted: AL2 has no image for GPUs on arm64 (C65)', async () => {
    const files = { 'a.yaml': nodeClass('old', { amiSelectorTerms: [{ alias: 'al2@latest' }] }) };
    const { stdout } = await runKerf(['instance-types', 'a.yaml', '--name', 'g5*.xlarge'], files);
    expect(stdout).toContain(' 1 type without an image of the class is left out.');
    expect(stdout).toContain('g5.xlarge');
    expect(stdout).not.toContain('g5g.xlarge');
    const names = (await listed(['a.yaml'], files)).instanceTypes.map(({ name }) => name);
    expect(names).toContain('g5.xlarge');
    expect(names).not.toContain('g5g.xlarge');
  });

  test('the images of selectors other than an alias are not known', async () => {
    const own = nodeClass('own', { amiFamily: 'AL2023', amiSelectorTerms: [{ id: 'ami-1' }] });
    const { stdout } = await runKerf(['instance-types', 'a.yaml', '--name', 'm7g.large'], { 'a.yaml': own });
    expect(stdout.replaceAll('\n', ' ')).toContain(
      'The file does not show which types its images are for: types without an image, which Kerf does not launch, are listed too.',
    );
  });

  test('an invalid EC2NodeClass is reported and nothing is listed', async () => {
    const files = { 'a.yaml': DENSE.replace('maxPods', 'maxPod') };
    const { stdout, stderr, code } = await runKerf(['instance-types', 'a.yaml'], files);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain('maxPod');
    expect(stderr).toContain('1 problem: nothing was listed.');
  });
});
