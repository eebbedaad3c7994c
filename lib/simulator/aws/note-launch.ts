import type { Instance, LaunchOption, LaunchRequest } from '../../core/model/node-claim-record.ts';
import { instanceForMember } from '../../core/node-claim/launch/launch-groups.ts';
import type { LaunchOutcome } from '../../ports/cloud-provider.ts';
import type { Timeline } from '../timeline.ts';

/** Notes the instance of each claim of the request, or that it has none. */
export function noteLaunch(timeline: Timeline, request: LaunchRequest, answer: LaunchOutcome): void {
  const { nodeClaim: name, members = [name] } = request;
  const { message = 'EC2 launched no more instances' } = answer;
  for (const nodeClaim of members) {
    const instance = answer.kind === 'launched' ? instanceForMember(request, nodeClaim, answer.instances) : undefined;
    if (instance === undefined) timeline.note({ kind: 'launch-refused', nodeClaim, message });
    else timeline.note({ kind: 'instance-launched', nodeClaim, ...launchedAs(instance) });
  }
}

function launchedAs(instance: Instance): LaunchOption & { readonly instanceId: string } {
  const { id: instanceId, instanceType, zone, capacityType, priceUsdPerHour } = instance;
  return { instanceId, instanceType, zone, capacityType, priceUsdPerHour };
}
