import type { EC2Client } from '@aws-sdk/client-ec2';
import type { IAMClient } from '@aws-sdk/client-iam';
import { SSMClient } from '@aws-sdk/client-ssm';
import { Ec2CloudProvider } from '../../lib/providers/aws/ec2-cloud-provider.ts';
import { IamInstanceProfiles } from '../../lib/providers/aws/iam/iam-instance-profiles.ts';
import { ssmParameters } from '../../lib/providers/aws/node-class/ssm-parameters.ts';
import type { Ec2World } from './ec2-world.ts';

export interface AwsClients {
  readonly ec2: EC2Client;
  readonly iam: IAMClient;
}

/** The provider of a world's cluster, as in the lifecycle function. */
export function cloudOf(
  { ec2, iam }: AwsClients,
  { cluster: clusterName }: Pick<Ec2World, 'cluster'>,
): Ec2CloudProvider {
  const network = { endpoint: 'https://demo.example', certificateAuthority: 'Q0E=', serviceCidr: '10.100.0.0/16' };
  const clock = { now: () => Date.now() };
  return new Ec2CloudProvider({
    client: ec2,
    region: 'us-east-1',
    clock,
    onDemandUsdPerHour: new Map([['m5.large', 0.096]]),
    branchInterfaces: new Map(),
    describeCluster: async () => ({ bootstrap: { clusterName, ...network }, kubernetesVersion: '1.33' }),
    readParameters: ssmParameters(new SSMClient({})),
    profiles: new IamInstanceProfiles({ client: iam, clock }),
  });
}
