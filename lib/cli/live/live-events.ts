import { counted } from '../../apis/counted.ts';
import { MINUTE_MS } from '../../apis/formats/time.ts';
import { MAX_PODS } from '../../apis/schemas/scenario-fields.ts';
import type { OpenSimulation } from '../../simulator/simulation.ts';

/** The events that a user of the page causes. *Shape:* each returns a sentence for the user. */
export interface LiveEvents {
  interrupt(): string;
  outage(): string;
  load(): string;
}

const OUTAGE_MS = 10 * MINUTE_MS;
const FACTOR = 10;

export function liveEvents(simulation: OpenSimulation): LiveEvents {
  const { ec2, state } = simulation;
  const before = new Map<string, number>();
  return {
    interrupt() {
      simulation.play({ kind: 'interruptSpot', atMs: 0, count: 1 });
      const isSpot = ec2.instances().some((one) => one.state === 'running' && one.capacityType === 'spot');
      return isSpot ? 'EC2 interrupts a spot node in 2 minutes.' : 'No spot node is running.';
    },
    outage() {
      const zone = busiestZone(ec2.instances().filter((one) => one.state === 'running'));
      if (zone === undefined) return 'No node is running, so no zone fails.';
      simulation.play({ kind: 'zoneOutage', atMs: 0, zone, nodes: true, forMs: OUTAGE_MS });
      return `Zone ${zone} loses its power and its capacity for 10 minutes.`;
    },
    load() {
      const isBack = before.size > 0;
      const wanted = new Map(
        [...state.deployments].map(([key, { spec }]) => [key, before.get(key) ?? (spec.replicas ?? 1) * FACTOR]),
      );
      const pods = [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0);
      if (wanted.size === 0) return 'There is no Deployment to scale.';
      if (pods > MAX_PODS) return `${pods} pods are too many: the limit is ${MAX_PODS}.`;
      for (const [key, replicas] of wanted) {
        if (!isBack) before.set(key, state.deployments.get(key)?.spec.replicas ?? 1);
        simulation.play({ kind: 'scale', atMs: 0, workload: { kind: 'Deployment', key }, replicas });
      }
      if (isBack) before.clear();
      const what = `${counted(wanted.size, 'Deployment')} ${wanted.size === 1 ? 'has' : 'have'} ${counted(pods, 'replica')}`;
      return isBack ? `The load is as before: ${what}.` : `Ten times the load: ${what}. Press again to go back.`;
    },
  };
}

function busiestZone(instances: readonly { readonly zone: string }[]): string | undefined {
  const zones = [...Map.groupBy(instances, ({ zone }) => zone)];
  return zones.toSorted(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))[0]?.[0];
}
