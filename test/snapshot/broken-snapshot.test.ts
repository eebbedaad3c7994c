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

describe('a snapshot with nonsense is refused with its place, the value and what is allowed', () => {
  test.each<readonly [string, Over, RegExp]>([
    ['a list that is an object', { pods: {} }, /^a\.json: pods: is a map; write a list/],
    ['a pod that is text', { pods: ['web'] }, /pods\[0\]: "web" is text; write a map/],
    [
      'a pod without containers',
      { pods: [aGivenPod('a', { containers: [] })] },
      /pods\[0\]\.spec\.containers: .*at least 1/,
    ],
    ['a pod without a spec', { pods: [{ metadata: { name: 'a' } }] }, /pods\[0\]\.spec: is missing/],
    ['a pod without a name', { pods: [{ ...aGivenPod(), metadata: {} }] }, /pods\[0\]\.metadata\.name: is missing/],
    [
      'a quantity that is none',
      { pods: [aGivenPod(), asking({ cpu: 'abc' })] },
      /pods\[1\]\.spec\.containers\[1\]\.resources\.requests\.cpu: "abc" is not allowed; write a quantity/,
    ],
    [
      'a negative quantity',
      { pods: [asking({ cpu: '-1' })] },
      /requests\.cpu: "-1" is not allowed; write a quantity of zero/,
    ],
    [
      'a capacity that is none',
      { instanceTypes: [aGivenType('a', 2, { capacity: { cpu: [] } })] },
      /instanceTypes\[0\]\.capacity\.cpu: is a list/,
    ],
    [
      'an overhead that is none',
      { instanceTypes: [aGivenType('a', 2, { overhead: { kubeReserved: { cpu: 'x' } } })] },
      /overhead\.kubeReserved\.cpu: "x"/,
    ],
    [
      'a price below zero',
      { instanceTypes: [aGivenType('a', 2, { offerings: [{ capacityType: 'spot', zone: 'z', price: -1 }] })] },
      /offerings\[0\]\.price: -1/,
    ],
    [
      'a capacity type that is none',
      { instanceTypes: [aGivenType('a', 2, { offerings: [{ capacityType: 'Spot', zone: 'z', price: 1 }] })] },
      /capacityType: "Spot".*spot/,
    ],
    [
      'an operator that is none',
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
    ['a skew of nought', { pods: [spread({ maxSkew: 0 })] }, /topologySpreadConstraints\[0\]\.maxSkew: 0/],
    [
      'a time that is none',
      { options: { now: 'yesterday' } },
      /options\.now: "yesterday" is not allowed; write a time/,
    ],
    [
      'a policy that is none',
      { options: { preferencePolicy: 'Maybe' } },
      /options\.preferencePolicy: "Maybe".*Respect, Ignore/,
    ],
    ['a format of the future', { formatVersion: 2 }, /formatVersion: 2/],
    [
      'two pods of one name',
      { pods: [aGivenPod('a'), aGivenPod('b'), aGivenPod('a')] },
      /pods\[2\]\.metadata\.name: "default\/a" is that of pods\[0\]/,
    ],
    [
      'two nodes of one name',
      { nodes: [aGivenNode(), aGivenNode()] },
      /nodes\[1\]\.metadata\.name: "node-1" is that of nodes\[0\]/,
    ],
    [
      'two NodePools of one name',
      { nodePools: [aGivenPool(), aGivenPool()] },
      /nodePools\[1\]\.metadata\.name: "general" is that of nodePools\[0\]/,
    ],
    [
      'two types of one name',
      { instanceTypes: [aGivenType(), aGivenType()] },
      /instanceTypes\[1\]\.name: "m5\.large" is the name of instanceTypes\[0\]/,
    ],
    [
      'a file of types that is not there',
      { instanceTypesFile: 'x/y.json' },
      /instanceTypesFile: "x\/y\.json", relative to this file, cannot be read: there is no such file/,
    ],
    [
      'a file of types that is itself',
      { instanceTypesFile: 'a.json' },
      /instanceTypesFile: "a\.json" leads back to a\.json/,
    ],
  ])('%s', async (_what, over, message) => {
    expect(await refusal(over)).toMatch(message);
  });

  test('files of types that name each other', async () => {
    const text = await refused({
      'a.json': JSON.stringify(aDocument({ instanceTypesFile: 'b/b.json' })),
      'b/b.json': JSON.stringify({ instanceTypesFile: '../a.json' }),
    });
    expect(text).toMatch(/^b\/b\.json: instanceTypesFile: "\.\.\/a\.json" leads back to a\.json/);
  });

  test.each([
    ['no JSON', '{"pods": [', /^a\.json: is not valid JSON/],
    ['a list', '[]', /^a\.json: is a list, not a snapshot/],
    ['nothing', 'null', /^a\.json: is null, not a snapshot/],
    ['nested without end', `{"x": ${'['.repeat(5_000)}null${']'.repeat(5_000)}}`, /more than 200 levels deep/],
  ])('text that is %s', async (_what, text, message) => {
    expect(await refused({ 'a.json': text })).toMatch(message);
  });

  test('a file that does not exist', async () => {
    expect(await refused({})).toMatch(/^a\.json cannot be read: there is no such file/);
  });

  test('a file that is wrong throughout is ten lines and a count', async () => {
    const text = await refusal({ pods: Array.from({ length: 500 }, (_, index) => asking({ cpu: `x${index}` })) });
    const lines = text.trim().split('\n');
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('a.json: 490 more problems');
  });
});
