import { EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { SSMClient } from '@aws-sdk/client-ssm';
import { Ec2CloudProvider } from '../../lib/providers/aws/ec2-cloud-provider.ts';
import { IamInstanceProfiles } from '../../lib/providers/aws/iam-instance-profiles.ts';
import { ssmParameters } from '../../lib/providers/aws/ssm-parameters.ts';
import { cloudProviderContract } from '../contract/cloud-provider.ts';
import { variable } from './deployment.ts';
import { type Ec2World, ec2World } from './ec2-world.ts';
import { MotoControl } from './moto-control.ts';

cloudProviderContract('EC2', async () => {
  const ec2 = new EC2Client({});
  const iam = new IAMClient({});
  const world = await ec2World(ec2, iam);
  const moto = new MotoControl(variable('KERF_MOTO'));
  const undo: (() => Promise<void>)[] = [];
  return {
    ...world,
    cloud: cloudOf(ec2, world),
    exhaust: async () => {
      undo.push(await moto.rule({ kind: 'missing-capacity', containing: world.cluster }));
    },
    close: async () => {
      for (const each of undo) await each();
      ec2.destroy();
      iam.destroy();
    },
  };
});

function cloudOf(client: EC2Client, { cluster: clusterName }: Ec2World): Ec2CloudProvider {
  const network = { endpoint: 'https://demo.example', certificateAuthority: 'Q0E=', serviceCidr: '10.100.0.0/16' };
  return new Ec2CloudProvider({
    client,
    region: 'us-east-1',
    clock: { now: () => Date.now() },
    onDemandUsdPerHour: new Map([['m5.large', 0.096]]),
    branchInterfaces: new Map(),
    describeCluster: async () => ({ bootstrap: { clusterName, ...network }, kubernetesVersion: '1.33' }),
    readParameters: ssmParameters(new SSMClient({})),
    profiles: new IamInstanceProfiles({ client: new IAMClient({}), clock: { now: () => Date.now() } }),
  });
}
