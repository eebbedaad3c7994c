import { counted } from '../../apis/counted.ts';
import { formatDuration } from '../../apis/formats/duration.ts';
import type { ScenarioEvent } from '../../apis/scenario/scenario.ts';
import { nodeNameOf } from '../aws/node-name.ts';
import type { SimulatedInstance } from '../aws/simulated-ec2.ts';
import { lasts, missingFrom, type ScenarioStage } from './scenario-stage.ts';

/** EC2 checks the status of instances every minute. */
const STATUS_CHECK_MS = 60_000;

/**
 * A zone without capacity, and with `nodes` also without power: instances stop without a warning, EC2 does not terminate them, and
 * those that still exist start again when the power is back, as in a power event of AWS.
 */
export function failZone(stage: ScenarioStage, event: ScenarioEvent & { readonly kind: 'zoneOutage' }): string {
  const { ec2, power } = stage;
  const { zone, nodes, forMs } = event;
  const missing = missingFrom(stage, { zones: [zone] });
  if (missing !== undefined) return `${missing}: no zone fails`;
  const restoreCapacity = ec2.blackOut({ zones: [zone] });
  const hit = nodes ? instancesIn(stage, zone) : [];
  const restorePower = nodes ? cutPower(stage, zone, hit) : () => {};
  lasts(stage, { what: `an outage of ${zone}`, forMs }, (isOver) => {
    restoreCapacity();
    restorePower();
    const left = hit.filter(({ id }) => instancesIn(stage, zone).some((one) => one.id === id));
    const isPowerBack = nodes && !power.isOff(zone);
    const starting = isPowerBack ? `; ${counted(left.length, 'instance')} of ${hit.length} start again` : '';
    if (isOver) return `the outage of zone ${zone} is over${starting}`;
    return isPowerBack ? `zone ${zone} has power again, and no capacity${starting}` : undefined;
  });
  const lost = nodes ? `, and ${counted(hit.length, 'instance')} there lose power` : '';
  return `zone ${zone} fails${forMs === undefined ? '' : ` for ${formatDuration(forMs)}`}: EC2 has no capacity there${lost}`;
}

function instancesIn({ ec2 }: ScenarioStage, zone: string): readonly SimulatedInstance[] {
  return ec2.instances().filter((one) => one.zone === zone && one.state === 'running');
}

/** *Shape:* a function that turns the power on again. */
function cutPower(stage: ScenarioStage, zone: string, hit: readonly SimulatedInstance[]): () => void {
  const { ec2, power, nodeLifecycle, timetable } = stage;
  const restore = power.cut(zone);
  for (const instance of hit) {
    nodeLifecycle.silence(nodeNameOf(instance));
    timetable.after(STATUS_CHECK_MS, () => {
      if (power.isOff(zone)) ec2.impair(instance.id);
    });
    power.onceRestarted(zone, () => {
      ec2.recover(instance.id);
      nodeLifecycle.report(nodeNameOf(instance));
    });
  }
  return restore;
}
