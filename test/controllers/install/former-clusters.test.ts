import { expect, test } from 'vitest';
import { formerClusters } from '../../../lib/controllers/install/former-clusters.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';

const ROLES = {
  functions: {
    provisioning: 'provisioning',
    lifecycle: 'lifecycle',
    disruption: 'disruption',
    termination: 'termination',
  },
  installer: 'installer',
};

/** EKS with these entries, as `CLUSTER ROLE`. */
function eksWith(clusters: readonly string[], entries: readonly string[]) {
  const asked: string[] = [];
  return {
    asked,
    clusters: async () => clusters,
    find: async (cluster: string, principal: string) => {
      asked.push(cluster);
      if (cluster === 'broken') throw new RefusedError('no');
      return entries.includes(`${cluster} ${principal}`) ? { principal, type: 'STANDARD', groups: [] } : undefined;
    },
  };
}

test('a cluster that is no longer configured is found by the entries of the deployment’s own roles', async () => {
  const eks = eksWith(
    ['blue', 'full', 'only-access', 'other'],
    ['blue lifecycle', 'full installer', 'full lifecycle', 'only-access lifecycle', 'other another-role'],
  );
  expect(await formerClusters(eks, new Set(['blue']), ROLES)).toEqual({
    former: [
      { cluster: 'full', installed: true },
      { cluster: 'only-access', installed: false },
    ],
    failures: [],
  });
  expect(eks.asked).not.toContain('blue');
});

test('a cluster that cannot be read is reported, and does not hide the others', async () => {
  const eks = eksWith(['broken', 'full'], ['full installer']);
  expect(await formerClusters(eks, new Set(), ROLES)).toEqual({
    former: [{ cluster: 'full', installed: true }],
    failures: [{ cluster: 'broken', message: 'no' }],
  });
});
