import { describe, expect, test } from 'vitest';
import { trialRequest } from '../../../../lib/core/node-claim/launch/trial-request.ts';
import { anImage, launchContext } from '../../../builders/launch-context.ts';

const { nodeClass, resolved } = launchContext();

describe('the request of a dry run (A3.29)', () => {
  test('is for one instance with the tags and parameters of a real launch', () => {
    expect(trialRequest('demo', nodeClass, resolved)).toMatchObject({
      overrides: [{ instanceType: 'm5.large', subnetId: 'subnet-a', imageId: 'ami-amd64' }],
      templates: [{ instanceProfile: 'node', securityGroupIds: ['sg-1'] }],
      tags: {
        team: 'a',
        'eks:eks-cluster-name': 'demo',
        'karpenter.k8s.aws/ec2nodeclass': 'default',
        'karpenter.sh/nodepool': 'kerf-authorization-check',
      },
    });
  });

  test('has a type that meets the requirements of the first image (C65)', () => {
    const requirements = [
      { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] },
      { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'Exists' },
      { key: 'karpenter.k8s.aws/instance-accelerator-count', operator: 'DoesNotExist' },
    ] as const;
    const images = [anImage({ id: 'ami-gpu', requirements })];
    expect(trialRequest('demo', nodeClass, { ...resolved, images })).toMatchObject({
      overrides: [{ instanceType: 'm6g.large', imageId: 'ami-gpu' }],
    });
  });

  test('is undefined without a subnet or an image', () => {
    expect(trialRequest('demo', nodeClass, { ...resolved, subnets: [] })).toBeUndefined();
  });
});
