import { describe, expect, test } from 'vitest';
import { imageFor } from '../../../../lib/core/model/images.ts';
import { chooseImages, type FoundImage } from '../../../../lib/core/node-class/images/choose-images.ts';
import { NOW_MS } from '../../../builders/times.ts';

function image(id: string, over: Partial<FoundImage> = {}): FoundImage {
  return { id, name: id, architecture: 'x86_64', createdAt: '2026-01-01T00:00:00.000Z', ...over };
}

const LAST_WEEK = '2026-01-24T00:00:00.000Z';
const NEXT_YEAR = '2027-01-01T00:00:00.000Z';

describe('C62: the best image comes first', () => {
  test.each<readonly [string, readonly FoundImage[], string]>([
    ['the newest', [image('ami-a'), image('ami-b', { createdAt: LAST_WEEK })], 'ami-b'],
    [
      'one in force before a newer that is deprecated',
      [image('ami-a'), image('ami-b', { createdAt: LAST_WEEK, deprecatedAt: LAST_WEEK })],
      'ami-a',
    ],
    [
      'one that will be deprecated is in force',
      [image('ami-a', { deprecatedAt: NEXT_YEAR }), image('ami-b', { createdAt: '2020-01-01T00:00:00.000Z' })],
      'ami-a',
    ],
    ['of two as new, by name', [image('ami-a', { name: 'z' }), image('ami-b', { name: 'y' })], 'ami-b'],
    ['a deprecated one before none', [image('ami-a', { deprecatedAt: LAST_WEEK })], 'ami-a'],
  ])('%s', (_rule, found, best) => {
    expect(chooseImages(found, NOW_MS).map(({ id }) => id)).toEqual([best]);
    expect(chooseImages(found.toReversed(), NOW_MS).map(({ id }) => id)).toEqual([best]);
  });

  test('it shows whether it is deprecated', () => {
    expect(chooseImages([image('ami-a', { deprecatedAt: LAST_WEEK })], NOW_MS)[0]?.deprecated).toBe(true);
  });
});

test('each architecture has its image, and what no node runs has none', () => {
  const found = [
    image('ami-amd'),
    image('ami-arm', { architecture: 'arm64' }),
    image('ami-mac', { architecture: 'x86_64_mac', createdAt: LAST_WEEK }),
  ];
  expect(chooseImages(found, NOW_MS).map(({ id }) => id)).toEqual(['ami-amd', 'ami-arm']);
});

describe('C65: variants', () => {
  const images = chooseImages(
    [
      image('ami-standard', { variants: ['standard'] }),
      image('ami-arm', { architecture: 'arm64', variants: ['standard'] }),
      image('ami-nvidia', { variants: ['nvidia'] }),
      image('ami-neuron', { variants: ['neuron'] }),
    ],
    NOW_MS,
  );
  const gpu = { 'karpenter.k8s.aws/instance-gpu-count': '1', 'karpenter.k8s.aws/instance-gpu-manufacturer': 'nvidia' };
  const neuron = { 'karpenter.k8s.aws/instance-accelerator-count': '1' };

  test.each([
    { type: 'm5.large', architecture: 'amd64', imageLabels: {}, expected: 'ami-standard' },
    { type: 'm6g.large', architecture: 'arm64', imageLabels: {}, expected: 'ami-arm' },
    { type: 'g5.xlarge', architecture: 'amd64', imageLabels: gpu, expected: 'ami-nvidia' },
    { type: 'inf2.xlarge', architecture: 'amd64', imageLabels: neuron, expected: 'ami-neuron' },
    { type: 'g5g.xlarge', architecture: 'arm64', imageLabels: gpu, expected: undefined },
  ] as const)('$type is launched from $expected', ({ expected, ...type }) => {
    expect(imageFor(type, images)?.id).toBe(expected);
  });

  test('an image for GPUs and Neuron devices serves both, and nothing else', () => {
    const both = chooseImages([image('ami-gpu', { variants: ['nvidia', 'neuron'] })], NOW_MS);
    expect(imageFor({ architecture: 'amd64', imageLabels: gpu }, both)?.id).toBe('ami-gpu');
    expect(imageFor({ architecture: 'amd64', imageLabels: neuron }, both)?.id).toBe('ami-gpu');
    expect(imageFor({ architecture: 'amd64', imageLabels: {} }, both)).toBeUndefined();
  });

  test('an image of Windows serves types with GPUs too, as in Karpenter', () => {
    const windows = chooseImages([image('ami-windows', { variants: ['any'] })], NOW_MS);
    for (const imageLabels of [{}, gpu])
      expect(imageFor({ architecture: 'amd64', imageLabels }, windows)?.id).toBe('ami-windows');
  });

  test('an image that was not found by an alias serves every type of its architecture', () => {
    const own = chooseImages([image('ami-own')], NOW_MS);
    expect(own[0]?.requirements).toEqual([{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]);
    expect(imageFor({ architecture: 'amd64', imageLabels: gpu }, own)?.id).toBe('ami-own');
  });
});
