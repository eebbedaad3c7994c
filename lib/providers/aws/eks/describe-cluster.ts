import { DescribeClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import type { DescribedCluster } from '../../../ports/doctor.ts';
import { translated } from '../client/errors.ts';
import { modeOf } from './eks-access-entries.ts';

/** The settings of a cluster that decide whether Kerf can work in it. *Errors:* RefusedError if it does not exist. */
export async function describeCluster(client: EKSClient, name: string): Promise<DescribedCluster> {
  const { cluster } = await translated(`describe EKS cluster ${name}`, () =>
    client.send(new DescribeClusterCommand({ name })),
  );
  const network = cluster?.resourcesVpcConfig;
  return {
    name,
    status: cluster?.status ?? 'without a status',
    kubernetesVersion: cluster?.version ?? 'unknown',
    authenticationMode: modeOf(cluster?.accessConfig?.authenticationMode),
    endpoint: {
      isPublic: network?.endpointPublicAccess === true,
      isPrivate: network?.endpointPrivateAccess === true,
      publicCidrs: network?.publicAccessCidrs ?? [],
    },
    autoMode: cluster?.computeConfig?.enabled === true,
  };
}
