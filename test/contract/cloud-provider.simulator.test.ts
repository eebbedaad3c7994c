import { randomUUID } from 'node:crypto';
import { timetableFrom } from '../../lib/simulator/timetable.ts';
import { aNodeClass } from '../builders/node-pools.ts';
import { NOW_MS } from '../builders/times.ts';
import { aSimulatedEc2 } from '../fakes/simulated-ec2.ts';
import { cloudProviderContract } from './cloud-provider.ts';
import { aLaunchOfTwoTypes } from './records.ts';

const lacks = { selectors: 'every selector finds something there, so that manifests from anywhere can be simulated' };

const request: typeof aLaunchOfTwoTypes = (over) =>
  aLaunchOfTwoTypes({ clientToken: randomUUID(), nodeClaim: randomUUID(), ...over });

const make: Parameters<typeof cloudProviderContract>[1] = async () => {
  const timetable = timetableFrom(NOW_MS);
  const cloud = aSimulatedEc2(aLaunchOfTwoTypes().cluster, timetable);
  return {
    cloud,
    cluster: aLaunchOfTwoTypes().cluster,
    nodeClass: aNodeClass(),
    otherRole: 'other-node',
    request,
    launchForeign: async () => {
      const outcome = await cloud.launch(request({ cluster: 'other' }));
      return outcome.kind === 'launched' ? outcome.instances[0].id : '';
    },
    removeTags: async (instanceId) => void cloud.removeTags(instanceId),
    exhaust: async () => void cloud.blackOut({}),
  };
};

cloudProviderContract('the simulator', make, lacks);
