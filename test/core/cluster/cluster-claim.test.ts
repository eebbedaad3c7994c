import { describe, expect, test } from 'vitest';
import { deploymentName, isSameDeployment, otherDeployment } from '../../../lib/core/cluster/cluster-claim.ts';
import { NOW_MS } from '../../builders/times.ts';

const ONE = deploymentName({ account: '111122223333', region: 'eu-west-3', table: 'Kerf-A' });

describe('two names of deployments', () => {
  test.each([
    ['the same name', ONE, true],
    ['the same table of an unknown account', '/eu-west-3/Kerf-A', true],
    ['another table', '111122223333/eu-west-3/Kerf-B', false],
    ['another region', '111122223333/eu-west-1/Kerf-A', false],
    ['another account', '444455556666/eu-west-3/Kerf-A', false],
    ['a name without account and region', 'Kerf-A', false],
  ])('are the same only with the same region and table: %s', (_, other, same) => {
    expect([isSameDeployment(ONE, other), isSameDeployment(other, ONE)]).toEqual([same, same]);
  });
});

test('a cluster without a claim, or with an own one, has no other deployment', () => {
  expect(otherDeployment('demo', undefined, NOW_MS)).toBeUndefined();
  expect(otherDeployment('demo', { deployment: ONE, isOwn: true }, NOW_MS)).toBeUndefined();
});

test('the claim of another deployment is a refusal with its name, its age and what to do', () => {
  const refusal = otherDeployment('demo', { deployment: ONE, isOwn: false, sinceMs: NOW_MS - 90_000 }, NOW_MS);
  expect(refusal).toMatchObject({ reason: 'OtherDeploymentActive', numbers: { heldSeconds: 90 } });
  expect(refusal?.message).toContain(ONE);
  expect(refusal?.message).toContain('kubectl -n kube-system delete lease kerf');
});
