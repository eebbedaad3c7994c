import { expect, test } from 'vitest';
import { clusterAccess } from '../../../lib/operator/wiring/cluster-access.ts';
import type { EksCluster } from '../../../lib/providers/aws/eks/eks-access.ts';

const SAID_BY_EKS: EksCluster = {
  bootstrap: {
    clusterName: 'demo',
    endpoint: 'https://eks.test',
    certificateAuthority: 'RUtT',
    serviceCidr: '172.20.0.0/16',
  },
  kubernetesVersion: '1.35',
};

function eks() {
  let asked = 0;
  const describe = async (): Promise<EksCluster> => {
    asked += 1;
    return SAID_BY_EKS;
  };
  const autoMode = async () => (await describe()).autoMode ?? false;
  return { describe, autoMode, asked: () => asked };
}

test('a cluster without configuration uses the values of EKS', async () => {
  const access = clusterAccess({ name: 'demo' }, eks());
  expect(await access.server()).toEqual({ endpoint: 'https://eks.test', certificateAuthority: 'EKS' });
  expect(await access.describe()).toEqual(SAID_BY_EKS);
});

test('F20: with an endpoint, Kerf does not use the endpoint of EKS', async () => {
  const source = eks();
  const access = clusterAccess({ name: 'demo', endpoint: 'http://127.0.0.1:6443' }, source);
  expect(await access.server()).toEqual({ endpoint: 'http://127.0.0.1:6443' });
  expect(source.asked()).toBe(0);
  expect((await access.describe()).bootstrap).toEqual({ ...SAID_BY_EKS.bootstrap, endpoint: 'http://127.0.0.1:6443' });
});

test('with all settings that nodes need, Kerf does not call EKS', async () => {
  const source = eks();
  const options = {
    name: 'demo',
    endpoint: 'https://x.test',
    certificateAuthority: 'WA==',
    serviceCidr: '10.0.0.0/16',
    kubernetesVersion: '1.34',
  };
  const access = clusterAccess(options, source);
  expect(await access.server()).toEqual({ endpoint: 'https://x.test', certificateAuthority: 'X' });
  expect(await access.describe()).toEqual({
    bootstrap: {
      clusterName: 'demo',
      endpoint: 'https://x.test',
      certificateAuthority: 'WA==',
      serviceCidr: '10.0.0.0/16',
    },
    kubernetesVersion: '1.34',
  });
  expect(source.asked()).toBe(0);
});
