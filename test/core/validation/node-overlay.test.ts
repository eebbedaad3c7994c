import { describe, expect, test } from 'vitest';
import type { NodeOverlay } from '../../../lib/apis/node-overlay.ts';
import type { FieldProblem } from '../../../lib/core/validation/field-problem.ts';
import { nodeOverlayProblems } from '../../../lib/core/validation/node-overlay.ts';
import { anOverlay } from '../../builders/node-overlays.ts';

const OF_EC2 = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'pods',
  'vpc.amazonaws.com/pod-eni',
  'vpc.amazonaws.com/efa',
  'aws.amazon.com/neuron',
  'aws.amazon.com/neuroncore',
  'habana.ai/gaudi',
];

describe('A4.1, A4.4: why Karpenter refuses a NodeOverlay', () => {
  test.each(OF_EC2)('capacity %s is defined by EC2', (name) => {
    expect(nodeOverlayProblems(anOverlay({ capacity: { [name]: '1', 'example.com/licence': 4 } }))).toEqual([
      {
        path: ['spec', 'capacity', name],
        message: 'is defined by EC2 and cannot be changed',
        allowed: 'extended resources that the instance type does not have, such as example.com/licence',
      },
    ]);
  });

  test.each<[string, Partial<NodeOverlay['spec']>, FieldProblem['path'], string]>([
    [
      'an amount that is not a quantity',
      { capacity: { 'example.com/licence': '1e1.5' } },
      ['spec', 'capacity', 'example.com/licence'],
      '"1e1.5" is not a quantity',
    ],
    [
      'a requirement with a value that is none',
      { requirements: [{ key: 'team', operator: 'In', values: ['a b'] }] },
      ['spec', 'requirements', 0, 'values', 0],
      '"a b" is not a label value',
    ],
  ])('%s', (...[, spec, path, message]) => {
    expect(nodeOverlayProblems(anOverlay(spec))).toMatchObject([{ path, message }]);
  });

  test('extended resources, a price and the label of the pool are fine', () => {
    const requirements: NodeOverlay['spec']['requirements'] = [
      { key: 'karpenter.sh/nodepool', operator: 'In', values: ['a'] },
    ];
    const capacity = { 'nvidia.com/gpu': 8, 'smarter-devices/fuse': '20' };
    expect(nodeOverlayProblems(anOverlay({ requirements, capacity, price: '0.1' }))).toEqual([]);
  });
});
