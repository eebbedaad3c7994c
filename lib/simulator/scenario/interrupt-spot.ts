import type { ScenarioEvent, SpotChoice } from '../../apis/scenario/scenario.ts';
import type { SimulatedInstance } from '../aws/simulated-ec2.ts';
import { missingFrom, type ScenarioStage } from './scenario-stage.ts';

/** Interrupts spot instances that the seed chooses. */
export function interruptSpot(stage: ScenarioStage, event: ScenarioEvent & { readonly kind: 'interruptSpot' }): string {
  const { ec2, random } = stage;
  const missing = missingFrom(stage, event);
  const left = runningSpot(stage, event).map(({ id }) => id);
  const chosen: string[] = [];
  while (chosen.length < event.count && left.length > 0) chosen.push(...left.splice(random.between(0, left.length), 1));
  for (const id of chosen) ec2.interruptSpot(id);
  if (chosen.length > 0) return `EC2 interrupts ${chosen.join(', ')} in 2 minutes`;
  return `${missing ?? `no spot instance${whichOf(event)} is running`}: nothing is interrupted`;
}

function whichOf({ nodePool, zones, instanceTypes }: SpotChoice): string {
  const types = instanceTypes === undefined ? '' : ` of type ${instanceTypes.join('/')}`;
  const pool = nodePool === undefined ? '' : ` of NodePool ${nodePool}`;
  return `${types}${pool}${zones === undefined ? '' : ` in ${zones.join('/')}`}`;
}

/** The running spot instances that match all fields, in the order of their launches. */
export function runningSpot({ ec2 }: ScenarioStage, choice: SpotChoice): readonly SimulatedInstance[] {
  return ec2.instances().filter((one) => one.state === 'running' && matchesSpot(one, choice));
}

/** Whether it is a spot instance that matches all fields. */
export function matchesSpot(
  { capacityType, nodePool: own, zone, instanceType }: SimulatedInstance,
  { nodePool, zones, instanceTypes }: SpotChoice,
): boolean {
  return (
    capacityType === 'spot' &&
    (nodePool === undefined || own === nodePool) &&
    (zones === undefined || zones.includes(zone)) &&
    (instanceTypes === undefined || instanceTypes.includes(instanceType))
  );
}
