import { formatTime, MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { isStatic, type NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import { deleteCustom, writeCustom } from '../kubernetes/objects.ts';
import { deleteNodeClaim } from '../kubernetes/simulated-cluster.ts';
import type { Random } from '../random.ts';
import { type Fault, type FaultOf, isHit } from './fault.ts';
import { byTurn, changeByHand, running } from './hand-work.ts';
import type { WorldFaultStage } from './stage.ts';

/** The label that an edit of a template of a NodePool changes. @internal */
export const EDITED_LABEL = 'example.com/edited';

/** Schedules the faults that change the cluster or EC2. */
export function scheduleWorldFaults(stage: WorldFaultStage, faults: readonly Fault[]): void {
  for (const fault of faults) {
    if (fault.kind === 'restore-table') scheduleRestore(stage, fault);
    stage.timetable.after(fault.fromMs, () => {
      const done = begin(stage, fault);
      if (done !== undefined) stage.timeline.note({ kind: 'scenario', message: `fault ${fault.id}: ${done}` });
    });
  }
}

/** Begins the fault. *Shape:* what was done; undefined for a fault of calls and messages. */
function begin(stage: WorldFaultStage, fault: Fault): string | undefined {
  switch (fault.kind) {
    case 'no-capacity':
      return takeCapacity(stage, fault);
    case 'spot-volley':
      return interruptSpot(stage, fault);
    case 'odd-launches':
      return limitFleets(stage, fault);
    case 'impaired':
      return impair(stage, fault);
    case 'by-hand':
      return changeByHand(stage, fault);
    case 'node-pool':
      return changeNodePool(stage, fault);
    case 'node-class':
      return changeNodeClass(stage, fault);
    case 'scheduler-down':
      stage.timetable.after(fault.forMs, () => stage.state.onChange());
      return 'the kube-scheduler stops';
    case 'other-version':
      stage.backups?.rewrite(fault.as);
      return `the items of the table are those of an ${fault.as} version`;
    case 'calls-fail':
    case 'calls-hang':
    case 'calls-slow':
    case 'clocks':
    case 'cut-off':
    case 'listed-late':
    case 'machines':
    case 'messages':
    case 'object-refused':
    case 'other-autoscaler':
    case 'restore-table':
    case 'second-deployment':
    case 'slow-pods':
    case 'stale-reads':
    case 'table-steps':
    case 'unreadable-record':
    case 'volumes-stay':
    case 'webhook-down':
      return undefined;
  }
}

/** Takes a backup, and restores it later. */
function scheduleRestore({ timetable, timeline, backups }: WorldFaultStage, fault: FaultOf<'restore-table'>): void {
  let backup: unknown;
  timetable.after(Math.max(0, fault.fromMs - fault.agoMs), () => {
    backup = backups?.take();
  });
  timetable.after(fault.fromMs, () => {
    if (backup === undefined) return;
    backups?.restore(backup);
    timeline.note({ kind: 'scenario', message: `fault ${fault.id}: the table is as it was ${fault.agoMs} ms ago` });
  });
}

function takeCapacity({ ec2, timetable }: WorldFaultStage, fault: FaultOf<'no-capacity'>): string {
  const { instanceTypes, zones, capacityTypes, forMs } = fault;
  const what = optional({ instanceTypes, zones, capacityTypes });
  timetable.after(forMs, ec2.blackOut(what));
  return `EC2 has no capacity for ${JSON.stringify(what)}`;
}

function limitFleets(
  { ec2, timetable }: WorldFaultStage,
  { how, percent, forMs }: FaultOf<'odd-launches'>,
): string | undefined {
  if (how !== 'partial') return undefined;
  ec2.limitFleets(1 - percent / 100);
  timetable.after(forMs, () => ec2.limitFleets(1));
  return `fleets of several instances launch ${percent} % less`;
}

function interruptSpot(stage: WorldFaultStage, fault: FaultOf<'spot-volley'>): string {
  const spot = running(stage).filter(({ capacityType }) => capacityType === 'spot');
  const hit = spot.filter(() => isHit(fault, stage.choice));
  for (const { id } of hit) stage.ec2.interruptSpot(id);
  return `EC2 interrupts ${hit.length} spot instances`;
}

function impair(stage: WorldFaultStage, fault: FaultOf<'impaired'>): string {
  const ids = running(stage).map(({ id }) => id);
  const chosen: string[] = [];
  while (chosen.length < fault.count && ids.length > 0)
    chosen.push(...ids.splice(stage.choice(fault).between(0, ids.length), 1));
  for (const id of chosen) stage.ec2.impair(id);
  return `the status checks of ${chosen.join(', ')} fail`;
}

function changeNodePool(stage: WorldFaultStage, fault: FaultOf<'node-pool'>): string {
  const { state, timetable } = stage;
  const { change } = fault;
  const pools = [...state.nodePools.values()].filter((one) => change !== 'replicas' || isStatic(one));
  const pool = byTurn(pools, fault);
  if (pool === undefined) return 'there is no such NodePool';
  const { name } = pool.metadata;
  if (change === 'delete' || change === 'replace') {
    deleteCustom(state, state.nodePools, { object: pool, clock: timetable });
    deleteDependents(stage, pool);
    if (change === 'replace')
      timetable.after(stage.choice(fault).between(1, MINUTE_MS), () => createAgain(stage, pool));
  } else {
    const spec = changedSpec(pool.spec, change, stage.choice(fault));
    const metadata = { ...pool.metadata, generation: (pool.metadata.generation ?? 1) + 1 };
    writeCustom(state, state.nodePools, { ...pool, metadata, spec });
  }
  state.onReview({ resource: 'nodepools', name });
  return `NodePool ${name}: ${change}${change === 'replicas' ? ` ${state.nodePools.get(name)?.spec.replicas}` : ''}`;
}

function changeNodeClass({ state }: WorldFaultStage, fault: FaultOf<'node-class'>): string {
  const nodeClass = byTurn([...state.nodeClasses.values()], fault);
  if (nodeClass === undefined) return 'there is no EC2NodeClass';
  const { name, generation = 1 } = nodeClass.metadata;
  const metadata = { ...nodeClass.metadata, generation: generation + 1 };
  const tags = { ...nodeClass.spec.tags, edited: String(generation) };
  writeCustom(state, state.nodeClasses, { ...nodeClass, metadata, spec: { ...nodeClass.spec, tags } });
  return `EC2NodeClass ${name} has other tags`;
}

/** The NodePool with the same name and another UID, as soon as the deleted one is gone. */
function createAgain(stage: WorldFaultStage, pool: NodePool): void {
  const { state, timetable } = stage;
  const { name, uid } = pool.metadata;
  if (state.nodePools.has(name)) return void timetable.after(10 * SECOND_MS, () => createAgain(stage, pool));
  const creationTimestamp = formatTime(timetable.now());
  writeCustom(state, state.nodePools, {
    ...pool,
    metadata: { ...pool.metadata, creationTimestamp, generation: 1, uid: `${uid}-again` },
    status: { nodes: 0 },
  });
  state.onReview({ resource: 'nodepools', name });
}

/** A1.29: Kubernetes deletes the NodeClaims of a deleted NodePool. */
function deleteDependents({ state, timetable }: WorldFaultStage, { metadata: { uid } }: NodePool): void {
  const claims = [...state.nodeClaims.values()];
  for (const { metadata } of claims)
    if (metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
      deleteNodeClaim(state, metadata.name, timetable);
}

function changedSpec(
  spec: NodePool['spec'],
  change: Exclude<FaultOf<'node-pool'>['change'], 'delete' | 'replace'>,
  random: Random,
): NodePool['spec'] {
  switch (change) {
    case 'fewer':
      return { ...spec, limits: { ...spec.limits, nodes: '2' } };
    case 'more':
      return { ...spec, limits: { ...spec.limits, nodes: '40' } };
    case 'weight':
      return { ...spec, weight: (spec.weight ?? 1) + 10 };
    case 'replicas':
      return { ...spec, replicas: ((spec.replicas ?? 0) + random.between(1, 5)) % 5 };
    case 'budget':
      return { ...spec, disruption: { ...spec.disruption, budgets: [{ nodes: '1' }] } };
    case 'template':
      return { ...spec, template: editedTemplate(spec.template) };
  }
}

/** The label counts the edits. Nodes of the template before do not have it, or another number. */
function editedTemplate({ metadata, ...template }: NodePool['spec']['template']): NodePool['spec']['template'] {
  const edited = String(Number(metadata?.labels?.[EDITED_LABEL] ?? 0) + 1);
  return { ...template, metadata: { ...metadata, labels: { ...metadata?.labels, [EDITED_LABEL]: edited } } };
}
