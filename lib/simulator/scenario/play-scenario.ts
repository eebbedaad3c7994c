import { formatDuration } from '../../apis/formats/duration.ts';
import { NODE_POOL } from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import type { NodeChoice, Scenario, ScenarioEvent } from '../../apis/scenario/scenario.ts';
import type { Trace } from '../../apis/scenario/trace.ts';
import { setNodeCondition } from '../kubernetes/node-conditions.ts';
import { deleteNode, endPodGracefully } from '../kubernetes/simulated-cluster.ts';
import { type KubernetesState } from '../kubernetes/state.ts';
import { scaleWorkload } from '../kubernetes/workloads/scale.ts';
import { interruptSpot } from './interrupt-spot.ts';
import { playLoad } from './play-loads.ts';
import { playTrace } from './play-trace.ts';
import { noteFault } from './scenario-faults.ts';
import { lasts, missingFrom, type ScenarioStage } from './scenario-stage.ts';
import { playSpotInterruptions } from './spot-interruptions.ts';
import { failZone } from './zone-outage.ts';

/** Schedules every event, load and risk of the scenario, and the rows of its trace. */
export function playScenario(stage: ScenarioStage, scenario: Scenario, trace?: Trace): void {
  const { loads = [], spotInterruptions = [] } = scenario;
  for (const load of loads) playLoad(stage, load);
  if (trace !== undefined) playTrace(stage, trace, scenario.trace?.template);
  if (spotInterruptions.length > 0) stage.onLaunch(playSpotInterruptions(stage, spotInterruptions));
  for (const event of scenario.events) playEvent(stage, event);
}

/** Schedules an event. `atMs` counts from now. */
export function playEvent(stage: ScenarioStage, event: ScenarioEvent): void {
  stage.timetable.after(event.atMs, () => {
    stage.timeline.note({ kind: 'scenario', message: perform(stage, event) });
  });
}

/** Performs an event. *Shape:* what was done, or why nothing was done. */
function perform(stage: ScenarioStage, event: ScenarioEvent): string {
  switch (event.kind) {
    case 'scale':
      return scale(stage.state, event);
    case 'deleteNode':
      return deleteChosenNode(stage, event);
    case 'interruptSpot':
      return interruptSpot(stage, event);
    case 'withoutCapacity':
      return takeCapacity(stage, event);
    case 'zoneOutage':
      return failZone(stage, event);
    case 'quota':
      return setQuota(stage, event);
    case 'throttle':
    case 'boots':
    case 'fault':
      return noteFault(stage, event);
    case 'deletePod':
      return deletePod(stage, event);
    case 'releaseImages':
      stage.ec2.releaseImages(event.version);
      return `AWS publishes the images ${event.version}, which aliases with @latest select`;
    case 'nodeCondition':
      return changeCondition(stage, event);
  }
}

type Of<Kind extends ScenarioEvent['kind']> = ScenarioEvent & { readonly kind: Kind };

function scale(state: KubernetesState, event: Of<'scale'>): string {
  const workload = 'workload' in event ? event.workload : ({ kind: 'Deployment', key: event.deployment } as const);
  const name = `${workload.kind} ${workload.key}`;
  const before = scaleWorkload(state, workload, event.replicas);
  return before === undefined
    ? `${name} does not exist: nothing is scaled`
    : `${name} is scaled from ${before} to ${event.replicas}`;
}

function chosenNode({ state, random }: ScenarioStage, node: NodeChoice): string | undefined {
  const names = [...state.nodes.values()]
    .filter((one) => node.kind !== 'name' || one.metadata.name === node.name)
    .filter((one) => node.kind !== 'nodePool' || one.metadata.labels?.[NODE_POOL] === node.nodePool)
    .map((one) => one.metadata.name);
  return random.pick(names.toSorted());
}

function changeCondition(stage: ScenarioStage, { node, type, status }: Of<'nodeCondition'>): string {
  const found = stage.state.nodes.get(chosenNode(stage, node) ?? '');
  if (found === undefined) return 'no node matches: no condition changes';
  setNodeCondition(stage.state, found, { type, status, clock: stage.timetable });
  return `condition ${type} of node ${found.metadata.name} becomes ${status}`;
}

function deleteChosenNode(stage: ScenarioStage, { node }: Of<'deleteNode'>): string {
  const { state, timetable } = stage;
  const name = chosenNode(stage, node);
  if (name === undefined) return 'no node matches: nothing is deleted';
  deleteNode(state, name, timetable);
  return `node ${name} is deleted`;
}

function takeCapacity(stage: ScenarioStage, event: Of<'withoutCapacity'>): string {
  const { instanceTypes, zones, capacityTypes, forMs } = event;
  const missing = missingFrom(stage, event);
  const restore = stage.ec2.blackOut({
    ...optional({ instanceTypes, zones, capacityTypes }),
  });
  const what =
    [instanceTypes, capacityTypes, zones]
      .flatMap((list) => (list === undefined ? [] : [list.join('/')]))
      .join(' in ') || 'everything';
  const but = missing === undefined ? '' : ` (${missing})`;
  lasts(stage, { what: `no capacity for ${what}`, forMs }, (isOver) => {
    restore();
    return isOver ? `EC2 has capacity for ${what} again` : undefined;
  });
  if (forMs === undefined) return `EC2 has no capacity for ${what} from now on${but}`;
  return `EC2 has no capacity for ${what} for ${formatDuration(forMs)}${but}`;
}

function setQuota(stage: ScenarioStage, event: Of<'quota'>): string {
  const { capacityType, family, vcpus, forMs } = event;
  const what = `${capacityType} instances of ${family} families`;
  const remove = stage.ec2.addQuota({ capacityType, family, vcpus });
  const message = `the quota for ${what} is ${vcpus} vCPUs`;
  lasts(stage, { what: `a quota for ${what}`, forMs }, (isOver) => {
    remove();
    return isOver ? `the quota for ${what} is as before` : undefined;
  });
  return forMs === undefined ? `${message} from now on` : `${message} for ${formatDuration(forMs)}`;
}

function deletePod({ state, timetable }: ScenarioStage, { pod }: Of<'deletePod'>): string {
  const found = state.pods.get(pod);
  if (found === undefined) return `pod ${pod} does not exist: nothing is deleted`;
  endPodGracefully(state, found, timetable);
  return `pod ${pod} is deleted`;
}
