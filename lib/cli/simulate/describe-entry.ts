import { counted } from '../../apis/counted.ts';
import { ANY_OFFERING, type UnavailableMark } from '../../core/model/decision.ts';
import { formatSubject } from '../../core/model/subject.ts';
import type { JobFailure } from '../../simulator/kubernetes/state.ts';
import type { Figures } from '../../simulator/summary/figures.ts';
import type { ActionSummary, TimelineEntry, WorldEvent } from '../../simulator/timeline.ts';
import { formatUsd, formatUsdPerHour } from '../render/format-money.ts';
import { describeDisruption, describeValidation, shortName } from './describe-disruption.ts';

/** The text of a timeline entry. Entries of one second with equal `repeats` become one line with a count. */
export interface Description {
  readonly label: string;
  readonly text: string;
  readonly style: 'plain' | 'bold' | 'good' | 'bad' | 'quiet';
  readonly repeats?: { readonly who: string; readonly what: string };
  /** Entries of one second with equal `what` become one line, with their number and the first example. */
  readonly alike?: { readonly what: string; readonly example: string };
}

/** Describes a timeline entry. *Shape:* empty for an entry that is not shown; two lines for a new NodeClaim. */
export function describeEntry(entry: TimelineEntry): readonly Description[] {
  const described = describe(entry);
  if (described === undefined) return [];
  return entry.kind === 'create-node-claim' ? [described, line('record', describeRecord(entry))] : [described];
}

function describe(entry: TimelineEntry): Description | undefined {
  if (entry.kind === 'blocked') {
    const { subject, nodePool, workload, controller, reason, message } = entry;
    const style = controller === 'provisioning' ? 'bad' : 'quiet';
    if (workload !== undefined)
      return {
        ...repeated(
          'blocked',
          workload,
          `${nodePool === undefined ? 'blocked' : `blocked in NodePool ${nodePool}`}: ${message}`,
        ),
        style,
      };
    const where = nodePool === undefined ? '' : ` in NodePool ${nodePool}`;
    if (subject.kind !== 'Node') return line('blocked', `${formatSubject(subject)}${where}: ${message}`, style);
    const name = shortName(subject.name);
    const alike = { what: `nodes${where} (${reason})`, example: `${name}: ${message}` };
    return { ...line('blocked', `node ${name}${where}: ${message}`, style), alike };
  }
  return 'decision' in entry ? describeAction(entry) : describeWorld(entry);
}

function describeWorld(event: WorldEvent): Description | undefined {
  switch (event.kind) {
    case 'scenario':
      return line('scenario', event.message, 'bold');
    case 'pod-pending':
      return repeated('pending', event.workload, 'pending');
    case 'pod-running':
      return { ...repeated('running', event.workload, `running on ${shortName(event.node)}`), style: 'good' };
    case 'pod-completed':
      return { ...repeated('completed', event.workload, `completed on ${shortName(event.node)}`), style: 'good' };
    case 'pod-preempted':
      return line('preempted', `${event.pod} on ${shortName(event.node)}, for ${event.by} of higher priority`);
    case 'pod-ended':
      return repeated('ended', event.workload, `ended on ${shortName(event.node)}`);
    case 'job-failed':
      return line('failed', describeFailure(event), 'bad');
    case 'instance-launched': {
      const { instanceId, nodeClaim, instanceType, capacityType, zone, priceUsdPerHour } = event;
      const what = `${instanceType} ${capacityType} in ${zone} at ${formatUsdPerHour(priceUsdPerHour)}`;
      return line('instance', `${instanceId} runs for ${nodeClaim}: ${what}`);
    }
    case 'launch-refused':
      return line('refused', `${event.nodeClaim}: ${event.message}`, 'bad');
    case 'instance-terminated':
      return line(
        'gone',
        `instance ${event.instanceId} of ${event.nodeClaim} is terminated; it cost $${event.costUsd.toFixed(4)}`,
      );
    case 'node-joined':
      return line('joined', `node ${shortName(event.node)} of ${event.nodeClaim}`);
    case 'node-ready':
      return line('ready', `node ${shortName(event.node)}`);
    case 'node-unreachable':
      return line('lost', `node ${shortName(event.node)}: its kubelet does not report`, 'bad');
    case 'pod-evicted':
      return repeated('lost', event.workload, `deleted, because ${shortName(event.node)} is unreachable`);
    case 'node-gone':
      return undefined;
    case 'figures':
      return line('hour', describeFigures(event));
    case 'function-failed':
      return line('failed', `${event.function}: ${event.message}`, 'bad');
  }
}

/** `Job default/nightly-29 of CronJob default/nightly: DeadlineExceeded; 0 of its pods succeeded, 1 failed`. */
function describeFailure({ job, workload, reason, podsSucceeded, podsFailed }: JobFailure): string {
  const owner = workload === `Job ${job}` ? '' : ` of ${workload}`;
  return `Job ${job}${owner}: ${reason}; ${podsSucceeded} of its pods succeeded, ${podsFailed} failed`;
}

/** `4 nodes (+3 -1), 30 pods running, 2 pending; $0.4200/h, $1.73 so far`. */
export function describeFigures(now: Figures, before?: Figures): string {
  const { nodes, nodesLaunched, nodesEnded, podsRunning, podsPending, usdPerHour, costUsd } = now;
  const launched = nodesLaunched - (before?.nodesLaunched ?? 0);
  const ended = nodesEnded - (before?.nodesEnded ?? 0);
  const moves = [...(launched > 0 ? [`+${launched}`] : []), ...(ended > 0 ? [`-${ended}`] : [])].join(' ');
  const pods = `${counted(podsRunning, 'pod')} running, ${podsPending} pending`;
  const cost = `${formatUsdPerHour(usdPerHour)}, ${formatUsd(costUsd)} so far`;
  return `${counted(nodes, 'node')}${moves === '' ? '' : ` (${moves})`}, ${pods}; ${cost}`;
}

function describeAction(action: ActionSummary): Description | undefined {
  switch (action.kind) {
    case 'create-node-claim':
      return line('decide', describeCreation(action), 'bold');
    case 'launch-instance': {
      const { nodeClaim, attempt, capacityType, instanceTypes, zones, claims = 1 } = action;
      const others = claims === 1 ? '' : ` and ${counted(claims - 1, 'other NodeClaim')}`;
      const what = `${capacityType}, ${counted(instanceTypes, 'type')} × ${zones.join(', ')}`;
      return line('launch', `CreateFleet for ${nodeClaim}${others}, attempt ${attempt}: ${what}`);
    }
    case 'register-node':
      return line(
        'register',
        `node ${shortName(action.node.name)}: labels, taints and finalizer of ${action.nodeClaim}`,
      );
    case 'initialize-node':
      return line('initialize', `node ${shortName(action.node.name)}: ready for pods`, 'good');
    case 'start-disruption':
      return line('decide', `${describeDisruption(action.command)}${describeValidation(action.command)}`, 'bold');
    case 'continue-disruption': {
      const { candidates, replacementClaims } = action.command;
      const nodes = candidates.map(({ node }) => shortName(node)).join(', ');
      return line('replace', `${nodes} with ${replacementClaims.join(', ')}`, 'bold');
    }
    case 'end-disruption':
      return action.outcome === 'rejected'
        ? line('rejected', `disruption ${action.command}: ${action.why}`)
        : undefined;
    case 'delete-node-claim':
      return line('delete', `NodeClaim ${action.nodeClaim}, reason ${action.reason}: ${action.message}`, 'bold');
    case 'cordon-node':
      return line('cordon', `node ${shortName(action.node.name)}: unschedulable for new pods`);
    case 'uncordon-node':
      return line('uncordon', `node ${shortName(action.node.name)}: schedulable again`);
    case 'evict-pod':
      return repeated(
        'evict',
        `NodeClaim ${action.nodeClaim}`,
        action.force === undefined ? 'evicted' : 'deleted to meet the termination deadline',
      );
    case 'terminate-instance':
      return line('terminate', `instance ${action.instanceId} of ${action.nodeClaim}`);
    case 'release-node-claim':
      return line('released', `NodeClaim ${action.nodeClaim}: node and instance are deleted`);
    case 'mark-unavailable': {
      return line('unavailable', describeMark(action.offering), 'quiet');
    }
    case 'nominate-node':
    case 'tag-instance':
    case 'learn-memory':
      return undefined;
  }
}

function describeMark(mark: UnavailableMark): string {
  const {
    instanceType,
    capacityType,
    zone,
    subnetId,
    placementGroupId,
    tenancy,
    nodeClass,
    minVcpus = 0,
    reason,
  } = mark;
  if (subnetId !== undefined) return `${subnetId} in ${zone}: ${reason}`;
  const what =
    instanceType === ANY_OFFERING ? `every type${minVcpus > 0 ? ` of at least ${minVcpus} vCPUs` : ''}` : instanceType;
  const group = placementGroupId === undefined ? '' : ` in ${placementGroupId}`;
  const hardware = tenancy === undefined ? '' : ` on ${tenancy} hardware`;
  const configuration = nodeClass === undefined ? '' : ` with EC2NodeClass ${nodeClass}`;
  return `${what} ${capacityType} in ${zone === ANY_OFFERING ? 'every zone' : zone}${group}${hardware}${configuration}: ${reason}`;
}

type Creation = ActionSummary & { readonly kind: 'create-node-claim' };

/** The pods, the pool, and the cheapest offering of a new NodeClaim. */
function describeCreation({ nodePool, pods, requests, instanceTypes, offerings, cheapest }: Creation): string {
  const others = Object.keys(requests).filter((name) => !['cpu', 'memory', 'pods'].includes(name));
  const needs = ['cpu', 'memory', ...others].flatMap((name) =>
    requests[name] === undefined ? [] : [`${requests[name]} ${name}`],
  );
  const amount = needs.length === 0 ? '' : ` (${needs.join(', ')} with DaemonSets)`;
  // D31: a static NodePool has nodes for no pods.
  const who = pods.length === 0 ? 'spec.replicas' : `${counted(pods.length, 'pod')}${amount}`;
  const what = `${who} → a node of NodePool ${nodePool}`;
  if (cheapest === null) return `${what}: no offering is available`;
  const { instanceType, capacityType, zone, priceUsdPerHour } = cheapest;
  const best = `${instanceType} ${capacityType} in ${zone} at ${formatUsdPerHour(priceUsdPerHour)}`;
  return `${what}: ${best}, the cheapest of ${counted(offerings, 'offering')} of ${counted(instanceTypes, 'type')} that fit`;
}

function describeRecord({ nodeClaim, decision }: Creation): string {
  return `NodeClaim ${nodeClaim}, by decision ${decision}`;
}

function line(label: string, text: string, style: Description['style'] = 'plain'): Description {
  return { label, text, style };
}

function repeated(label: string, who: string, what: string): Description {
  return { label, text: '', style: 'plain', repeats: { who, what } };
}
