import { describe, expect, test } from 'vitest';
import { runKerf } from '../cli/run-kerf.ts';
import { aDocument, aGivenNode, aGivenPod, aGivenPool, aGivenType } from './documents.ts';

type Over = Readonly<Record<string, unknown>>;

async function refused(files: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await runKerf(['plan', 'provisioning', '--snapshot', 'a.json'], files);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr;
}

async function refusal(over: Over): Promise<string> {
  return refused({ 'a.json': JSON.stringify(aDocument(over)) });
}

function asking(requests: Over): Over {
  return aGivenPod('web-1', { containers: [{ name: 'main' }, { name: 'side', resources: { requests } }] });
}

function spread(over: Over): Over {
  return aGivenPod('web-1', {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', ...over }],
  });
}

describe('an invalid snapshot is rejected with the path, the value and what is allowed', () => {
  test.each<readonly [string, Over, RegExp]>([
    ['a list that is an object', { pods: {} }, /^a\.json: pods: is a map; write a list/],
    ['a pod that is text', { pods: ['web'] }, /pods\[0\]: "web" is text; write a map/],
    [
      'a pod without containers',
      { pods: [aGivenPod('a', { containers: [] })] },
      /pods\[0\]\.spec\.containers: .*at least 1/,
    ],
    [
      'a time without a date',
      { pods: [{ ...aGivenPod(), status: { startTime: '08:00:00Z' } }] },
      /status\.startTime: "08:00:00Z" is not allowed; write a time such as 2026-01-31T12:00:00Z/,
    ],
    [
      'a time after the year 9999 where an object was made',
      { pods: [{ ...aGivenPod(), metadata: { name: 'a', creationTimestamp: '10000-01-01T13:59:59Z' } }] },
      /creationTimestamp: "10000-01-01T13:59:59Z" is not allowed; write a time such as/,
    ],
    ['a pod without a spec', { pods: [{ metadata: { name: 'a' } }] }, /pods\[0\]\.spec: is missing/],
    ['a pod without a name', { pods: [{ ...aGivenPod(), metadata: {} }] }, /pods\[0\]\.metadata\.name: is missing/],
    [
      'an invalid quantity',
      { pods: [aGivenPod(), asking({ cpu: 'abc' })] },
      /pods\[1\]\.spec\.containers\[1\]\.resources\.requests\.cpu: "abc" is not allowed; write a quantity/,
    ],
    [
      'a negative quantity',
      { pods: [asking({ cpu: '-1' })] },
      /requests\.cpu: "-1" is not allowed; write a quantity of zero/,
    ],
    [
      'an invalid capacity',
      { instanceTypes: [aGivenType('a', 2, { capacity: { cpu: [] } })] },
      /instanceTypes\[0\]\.capacity\.cpu: is a list/,
    ],
    [
      'an invalid overhead',
      { instanceTypes: [aGivenType('a', 2, { overhead: { kubeReserved: { cpu: 'x' } } })] },
      /overhead\.kubeReserved\.cpu: "x"/,
    ],
    [
      'a negative price',
      { instanceTypes: [aGivenType('a', 2, { offerings: [{ capacityType: 'spot', zone: 'z', price: -1 }] })] },
      /offerings\[0\]\.price: -1/,
    ],
    [
      'an invalid capacity type',
      { instanceTypes: [aGivenType('a', 2, { offerings: [{ capacityType: 'Spot', zone: 'z', price: 1 }] })] },
      /capacityType: "Spot".*spot/,
    ],
    [
      'an invalid operator',
      {
        pods: [
          aGivenPod('a', {
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] }],
                },
              },
            },
          }),
        ],
      },
      /nodeSelectorTerms\[0\]\.matchExpressions\[0\]\.operator: "Near" is not allowed; write one of In, NotIn/,
    ],
    [
      "a NodePool's operator that is none",
      {
        nodePools: [
          aGivenPool('a', {
            template: {
              spec: {
                nodeClassRef: { group: 'g', kind: 'k', name: 'n' },
                requirements: [{ key: 'a', operator: 'in' }],
              },
            },
          }),
        ],
      },
      /nodePools\[0\]\.spec\.template\.spec\.requirements\[0\]\.operator: "in" is not allowed.*In/,
    ],
    [
      'a NodePool of an old version',
      { nodePools: [{ ...aGivenPool(), apiVersion: 'karpenter.sh/v1beta1' }] },
      /nodePools\[0\]\.apiVersion: .*write karpenter\.sh\/v1/,
    ],
    ['a skew of zero', { pods: [spread({ maxSkew: 0 })] }, /topologySpreadConstraints\[0\]\.maxSkew: 0/],
    ['an invalid time', { options: { now: 'yesterday' } }, /options\.now: "yesterday" is not allowed; write a time/],
    [
      'an invalid policy',
      { options: { preferencePolicy: 'Maybe' } },
      /options\.preferencePolicy: "Maybe".*Respect, Ignore/,
    ],
    ['an unknown formatVersion', { formatVersion: 2 }, /formatVersion: 2/],
    [
      'two pods with the same name',
      { pods: [aGivenPod('a'), aGivenPod('b'), aGivenPod('a')] },
      /pods\[2\]\.metadata\.name: "default\/a" is a duplicate of pods\[0\]/,
    ],
    [
      'two nodes with the same name',
      { nodes: [aGivenNode(), aGivenNode()] },
      /nodes\[1\]\.metadata\.name: "node-1" is a duplicate of nodes\[0\]/,
    ],
    [
      'two NodePools with the same name',
      { nodePools: [aGivenPool(), aGivenPool()] },
      /nodePools\[1\]\.metadata\.name: "general" is a duplicate of nodePools\[0\]/,
    ],
    [
      'two types with the same name',
      { instanceTypes: [aGivenType(), aGivenType()] },
      /instanceTypes\[1\]\.name: "m5\.large" is a duplicate of instanceTypes\[0\]/,
    ],
    [
      'an instanceTypesFile that does not exist',
      { instanceTypesFile: 'x/y.json' },
      /instanceTypesFile: "x\/y\.json", relative to this file, cannot be read: no such file/,
    ],
    [
      'an instanceTypesFile that refers to itself',
      { instanceTypesFile: 'a.json' },
      /instanceTypesFile: "a\.json" refers back to a\.json/,
    ],
  ])('%s', async (_what, over, message) => {
    expect(await refusal(over)).toMatch(message);
  });

  test('instance type files that refer to each other', async () => {
    const text = await refused({
      'a.json': JSON.stringify(aDocument({ instanceTypesFile: 'b/b.json' })),
      'b/b.json': JSON.stringify({ instanceTypesFile: '../a.json' }),
    });
    expect(text).toMatch(/^b\/b\.json: instanceTypesFile: "\.\.\/a\.json" refers back to a\.json/);
  });

  test.each([
    ['not JSON', '{"pods": [', /^a\.json: is not valid JSON: .*; write a JSON object, see docs\/snapshot\.md/],
    ['YAML of several lines', 'kind: A\nname: b', /^a\.json: is not valid JSON: [^\n]* pass YAML manifests with -f\n$/],
    ['a list', '[]', /^a\.json: is a list, not a snapshot/],
    ['nothing', 'null', /^a\.json: is null, not a snapshot/],
    ['nested too deep', `{"x": ${'['.repeat(5_000)}null${']'.repeat(5_000)}}`, /more than 200 levels deep/],
  ])('text that is %s', async (_what, text, message) => {
    expect(await refused({ 'a.json': text })).toMatch(message);
  });

  test('a file that does not exist', async () => {
    expect(await refused({})).toMatch(/^a\.json cannot be read: no such file/);
  });

  test('many problems are ten lines and a count', async () => {
    const text = await refusal({ pods: Array.from({ length: 500 }, (_, index) => asking({ cpu: `x${index}` })) });
    const lines = text.trim().split('\n');
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('a.json: 490 more problems');
  });
});

describe('a file that is not a snapshot is refused in one sentence', () => {
  test.each<readonly [string, unknown, RegExp]>([
    [
      'the output of kubectl get',
      { apiVersion: 'v1', kind: 'List', items: [aGivenPod()] },
      /^a\.json: is a Kubernetes List of v1, not a snapshot: .*docs\/snapshot\.md; to plan with its objects, pass the file with -f .*\n$/,
    ],
    [
      'one object',
      { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'general' } },
      /is a Kubernetes NodePool of karpenter\.sh\/v1, not a snapshot/,
    ],
    ['an empty object', {}, /is an object without nodePools, nodes and pods, not a snapshot/],
    ['an object with other fields', { name: 'demo', podz: [] }, /not a snapshot: .*docs\/snapshot\.md\n$/],
  ])('%s', async (_, content, message) => {
    expect(await refused({ 'a.json': JSON.stringify(content) })).toMatch(message);
  });

  test('a snapshot without pods is one: its plan is empty', async () => {
    const { code } = await runKerf(['plan', 'provisioning', '--snapshot', 'a.json'], { 'a.json': '{"pods":[]}' });
    expect(code).toBe(0);
  });
});
