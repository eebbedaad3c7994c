import { EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { cloudProviderContract } from '../contract/cloud-provider.ts';
import { cloudOf } from './cloud.ts';
import { variable } from './deployment.ts';
import { ec2World } from './ec2-world.ts';
import { MotoControl } from './moto-control.ts';

cloudProviderContract('EC2', async () => {
  const ec2 = new EC2Client({});
  const iam = new IAMClient({});
  const world = await ec2World(ec2, iam);
  const moto = new MotoControl(variable('KERF_MOTO'));
  const undo: (() => Promise<void>)[] = [];
  return {
    ...world,
    cloud: cloudOf({ ec2, iam }, world),
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
