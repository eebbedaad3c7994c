import { formatDuration } from '../../apis/formats/duration.ts';
import { NODE_POOL } from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import type { NodeChoice, Scenario, ScenarioEvent } from '../../apis/scenario.ts';
import type { SimulatedEc2 } from '../aws/simulated-ec2.ts';
import { setNodeCondition } from '../kubernetes/node-conditions.ts';
import { changed } from '../kubernetes/objects.ts';
import { deleteNode, endPod } from '../kubernetes/simulated-cluster.ts';
import { type KubernetesState } from '../kubernetes/state.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { Timetable } from '../timetable.ts';

interface Stage {
  readonly state: KubernetesState;
  readonly ec2: SimulatedEc2;
  readonly timetable: Timetable;
  readonly random: Random;
  readonly timeline: Timeline;
}

/** Schedules every event of the scenario. */
export function playScenario(stage: Stage, scenario: Scenario): void {
  for (const event of scenario.events) stage.timetable.after(event.atMs, () => play(stage, event));
}

function play(stage: Stage, event: ScenarioEvent): void {
  stage.timeline.note({ kind: 'scenario', message: perform(stage, event) });
}

/** Performs an event. *Shape:* what was done, or why nothing was done. */
function perform(stage: Stage, event: ScenarioEvent): string {
  switch (event.kind) {
    case 'scale':
      return scale(stage.state, event);
    case 'deleteNode':
      return deleteChosenNode(stage, event);
    case 'interruptSpot':
      return interruptSpot(stage, event);
    case 'withoutCapacity':
      return takeCapacity(stage, event);
    case 'deletePod':
      return deletePod(stage, event);
    case 'nodeCondition':
      return changeCondition(stage, event);
  }
}

type Of<Kind extends ScenarioEvent['kind']> = ScenarioEvent & { readonly kind: Kind };

function scale(state: KubernetesState, { deployment, replicas }: Of<'scale'>): string {
  const found = state.deployments.get(deployment);
  if (found === undefined) return `Deployment ${deployment} does not exist: nothing is scaled`;
  state.deployments.set(deployment, { ...found, spec: { ...found.spec, replicas } });
  changed(state);
  return `Deployment ${deployment} is scaled from ${found.spec.replicas ?? 1} to ${replicas}`;
}

function chosenNode({ state, random }: Stage, node: NodeChoice): string | undefined {
  const names = [...state.nodes.values()]
    .filter((one) => node.kind !== 'name' || one.metadata.name === node.name)
    .filter((one) => node.kind !== 'nodePool' || one.metadata.labels?.[NODE_POOL] === node.nodePool)
    .map((one) => one.metadata.name);
  return random.pick(names.toSorted());
}

function changeCondition(stage: Stage, { node, type, status }: Of<'nodeCondition'>): string {
  const found = stage.state.nodes.get(chosenNode(stage, node) ?? '');
  if (found === undefined) return 'no node matches: no condition changes';
  setNodeCondition(stage.state, found, { type, status, clock: stage.timetable });
  return `condition ${type} of node ${found.metadata.name} becomes ${status}`;
}

function deleteChosenNode(stage: Stage, { node }: Of<'deleteNode'>): string {
  const { state, timetable } = stage;
  const name = chosenNode(stage, node);
  if (name === undefined) return 'no node matches: nothing is deleted';
  deleteNode(state, name, timetable);
  return `node ${name} is deleted`;
}

function interruptSpot({ ec2, state, random }: Stage, { nodePool, count }: Of<'interruptSpot'>): string {
  const left = ec2
    .instances()
    .filter((one) => one.capacityType === 'spot' && one.state === 'running')
    .filter(
      (one) => nodePool === undefined || state.nodeClaims.get(one.nodeClaim)?.metadata.labels?.[NODE_POOL] === nodePool,
    )
    .map((one) => one.id);
  const chosen: string[] = [];
  while (chosen.length < count && left.length > 0) chosen.push(...left.splice(random.between(0, left.length), 1));
  for (const id of chosen) ec2.interruptSpot(id);
  return chosen.length === 0
    ? 'no spot instance is running: nothing is interrupted'
    : `EC2 interrupts ${chosen.join(', ')} in 2 minutes`;
}

function takeCapacity({ ec2, timetable, timeline }: Stage, event: Of<'withoutCapacity'>): string {
  const { instanceTypes, zones, capacityTypes, forMs } = event;
  const restore = ec2.blackOut({
    ...optional({ instanceTypes, zones, capacityTypes }),
  });
  const what =
    [instanceTypes, capacityTypes, zones]
      .flatMap((list) => (list === undefined ? [] : [list.join('/')]))
      .join(' in ') || 'everything';
  if (forMs === undefined) return `EC2 has no capacity for ${what} from now on`;
  timetable.after(forMs, () => {
    restore();
    timeline.note({ kind: 'scenario', message: `EC2 has capacity for ${what} again` });
  });
  return `EC2 has no capacity for ${what} for ${formatDuration(forMs)}`;
}

function deletePod({ state, timetable }: Stage, { pod }: Of<'deletePod'>): string {
  const found = state.pods.get(pod);
  if (found === undefined) return `pod ${pod} does not exist: nothing is deleted`;
  endPod(state, found, timetable.now() + 30_000);
  return `pod ${pod} is deleted`;
}
