import { describe, expect, test } from 'vitest';
import { type AliasReading, readAlias } from '../../../../lib/core/node-class/images/ami-alias.ts';

function parametersOf(alias: string, kubernetes = '1.32'): Readonly<Record<string, readonly string[]>> {
  const reading = readAlias(alias, kubernetes);
  if (reading.kind === 'unsupported') throw new Error(reading.why);
  return Object.fromEntries(reading.parameters.map(({ name, variants }) => [name, variants]));
}

function refusal(alias: string, kubernetes: string): AliasReading & { readonly kind: 'unsupported' } {
  const reading = readAlias(alias, kubernetes);
  if (reading.kind !== 'unsupported') throw new Error(`${alias} is read for ${kubernetes}`);
  return reading;
}

describe('C64: the parameters of an alias', () => {
  test('al2: one for amd64, one for arm64, and one for GPUs and Neuron devices alike', () => {
    expect(parametersOf('al2@latest', '1.30')).toEqual({
      '/aws/service/eks/optimized-ami/1.30/amazon-linux-2/recommended/image_id': ['standard'],
      '/aws/service/eks/optimized-ami/1.30/amazon-linux-2-arm64/recommended/image_id': ['standard'],
      '/aws/service/eks/optimized-ami/1.30/amazon-linux-2-gpu/recommended/image_id': ['nvidia', 'neuron'],
    });
  });

  test('al2: a release is named as the image is', () => {
    expect(Object.keys(parametersOf('al2@v20240807', '1.30'))).toEqual([
      '/aws/service/eks/optimized-ami/1.30/amazon-linux-2/amazon-eks-node-1.30-v20240807/image_id',
      '/aws/service/eks/optimized-ami/1.30/amazon-linux-2-arm64/amazon-eks-arm64-node-1.30-v20240807/image_id',
      '/aws/service/eks/optimized-ami/1.30/amazon-linux-2-gpu/amazon-eks-gpu-node-1.30-v20240807/image_id',
    ]);
  });

  test('al2023: a variant for each architecture, but none for Neuron on arm64', () => {
    const at = '/aws/service/eks/optimized-ami/1.35/amazon-linux-2023';
    expect(parametersOf('al2023@latest', '1.35')).toEqual({
      [`${at}/x86_64/standard/recommended/image_id`]: ['standard'],
      [`${at}/x86_64/nvidia/recommended/image_id`]: ['nvidia'],
      [`${at}/x86_64/neuron/recommended/image_id`]: ['neuron'],
      [`${at}/arm64/standard/recommended/image_id`]: ['standard'],
      [`${at}/arm64/nvidia/recommended/image_id`]: ['nvidia'],
    });
  });

  test('al2023: a release is named as the image is', () => {
    expect(Object.keys(parametersOf('al2023@v20250403'))).toContain(
      '/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/arm64/nvidia/amazon-eks-node-al2023-arm64-nvidia-1.32-v20250403/image_id',
    );
  });

  test.each(['bottlerocket@1.20.3', 'bottlerocket@v1.20.3'])('%s: the v may be written', (alias) => {
    expect(parametersOf(alias)).toEqual({
      '/aws/service/bottlerocket/aws-k8s-1.32/x86_64/1.20.3/image_id': ['standard', 'neuron'],
      '/aws/service/bottlerocket/aws-k8s-1.32-nvidia/x86_64/1.20.3/image_id': ['nvidia'],
      '/aws/service/bottlerocket/aws-k8s-1.32/arm64/1.20.3/image_id': ['standard'],
      '/aws/service/bottlerocket/aws-k8s-1.32-nvidia/arm64/1.20.3/image_id': ['nvidia'],
    });
  });

  test('bottlerocket: the latest is called so', () => {
    expect(Object.keys(parametersOf('bottlerocket@latest'))).toContain(
      '/aws/service/bottlerocket/aws-k8s-1.32/arm64/latest/image_id',
    );
  });

  test.each(['2019', '2022', '2025'])(
    'windows%s: the core edition of the year, for types with accelerators too',
    (year) => {
      expect(parametersOf(`windows${year}@latest`, '1.35')).toEqual({
        [`/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-1.35/image_id`]: ['any'],
      });
    },
  );

  test.each([
    ['al2023@latest', false],
    ['bottlerocket@latest', false],
    ['al2023@v20250403', true],
  ])('%s: whether it stays the same is said: %s', (alias, pinned) => {
    expect(readAlias(alias, '1.33')).toMatchObject({ pinned });
  });
});

describe('C65: versions of Kubernetes without images', () => {
  test.each([
    ['al2@latest', '1.32', true],
    ['al2@latest', '1.33', false],
    ['al2@latest', '1.40', false],
    ['windows2025@latest', '1.34', false],
    ['windows2025@latest', '1.35', true],
    ['windows2022@latest', '1.30', true],
    ['al2023@latest', '1.40', true],
  ])('%s in a cluster of %s: %s', (alias, kubernetes, supported) => {
    expect(readAlias(alias, kubernetes).kind).toBe(supported ? 'parameters' : 'unsupported');
  });

  test('the message has the version, the supported version, and an alternative', () => {
    expect(refusal('al2@latest', '1.33')).toMatchObject({ reason: 'UnsupportedKubernetesVersion' });
    expect(refusal('al2@latest', '1.33').why).toMatch(/1\.32, not for 1\.33.*al2023/);
    expect(refusal('windows2025@latest', '1.34').why).toMatch(/1\.35 on, not for 1\.34.*windows2022/);
  });
});

test.each([
  ['ubuntu@latest', 'al2023'],
  ['al2023', 'al2023@latest'],
  ['al2023@', 'al2023@latest'],
  ['al2023@../../secret', '../../secret'],
  ['windows2022@v1', 'windows2022@latest'],
])('A3.5: %s is refused with a word on what is allowed', (alias, named) => {
  expect(refusal(alias, '1.35')).toMatchObject({ reason: 'AMINotFound' });
  expect(refusal(alias, '1.35').why).toContain(named);
});
