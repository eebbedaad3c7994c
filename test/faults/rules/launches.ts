import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { isActiveWorkload } from '../../../lib/core/cluster/pods.ts';
import { isNodeReady } from '../../../lib/core/cluster/state-node.ts';
import {
  type Instance,
  instanceOf,
  type LaunchRequest,
  type NodeClaimRecord,
} from '../../../lib/core/model/node-claim-record.ts';
import type { Fault } from '../../../lib/simulator/faults/fault.ts';
import type { RuleOf } from '../rule.ts';
import { nodeOf } from './nodes.ts';

/** EC2 may list a new instance this late (D26). */
export const LISTED_WITHIN_MS = 3 * MINUTE_MS;

/** D36: a request that EC2 does not take any more has failed if EC2 lists no instance for it in this time. */
const SPENT_FAILS_MS = 4 * MINUTE_MS;

/**
 * One instance for a claim; the request is recorded before it is sent (promise 1, D36). If EC2 lists instances later than D36 assumes,
 * or the tags by which they are listed are removed, the first instance of a spent request has no claim, and is terminated when it is listed.
 */
export const oneInstanceForAClaim: RuleOf = ({ violate, records, nowMs, startMs, story }) => {
  const isBeyondD36 =
    story.faults.some((one) => one.kind === 'odd-launches' && one.how === 'spent') && story.faults.some(isUnlisted);
  const launchedFor = new Map<string, string>();
  const tokens = new Map<string, string>();
  let replacedAtMs = -Infinity;
  // A run that began before a restore may still write, and a restored claim may be launched again.
  const isRestored = (): boolean => nowMs() - replacedAtMs < 20 * MINUTE_MS;
  return {
    replaced() {
      launchedFor.clear();
      tokens.clear();
      replacedAtMs = nowMs();
    },
    launching(request) {
      if (isRestored()) return;
      const rule = 'a request is recorded before it is sent';
      const text = JSON.stringify(request);
      const sent = tokens.get(request.clientToken);
      tokens.set(request.clientToken, text);
      if (sent !== undefined && sent !== text)
        violate(rule, `client token ${request.clientToken} was sent with another request`);
      // A repeated request may arrive after another run has recorded its outcome.
      if (sent !== undefined) return;
      for (const name of request.members ?? [request.nodeClaim]) {
        const record = records.get(name);
        if (record === undefined) {
          violate(rule, `NodeClaim ${name} has no record`);
          continue;
        }
        const { launch, deletion } = record;
        if (deletion !== undefined && startMs() + nowMs() - deletion.requestedAtMs > LISTED_WITHIN_MS + 3 * MINUTE_MS)
          violate('a deleted claim is not launched', `NodeClaim ${name} was deleted ${deletion.requestedAtMs}`);
        if (launch.kind !== 'requested' || JSON.stringify(launch.request) !== text)
          violate(rule, `NodeClaim ${name}: the record has ${launch.kind}, not this request`);
      }
    },
    launched(request, outcome) {
      if (outcome.kind !== 'launched' || isRestored()) return;
      for (const [nodeClaim, { id }] of claimsOf(request, outcome.instances)) {
        const before = launchedFor.get(nodeClaim);
        launchedFor.set(nodeClaim, id);
        if (before !== undefined && before !== id && !isBeyondD36)
          violate('one instance for a claim', `NodeClaim ${nodeClaim} has ${before} and ${id}`);
      }
    },
  };
};

/** EC2 may not list an instance of the cluster at the moment at which D36 looks for it. */
function isUnlisted(fault: Fault): boolean {
  if (fault.kind === 'listed-late') return fault.lagMs > SPENT_FAILS_MS;
  return fault.kind === 'by-hand' && fault.what === 'remove-tags';
}

/** A launch is sent, and recorded as requested, only with a call of the account's budget. */
export const launchesAreAdmitted: RuleOf = ({ violate }) => {
  const tokens = new Set<string>();
  let [admitted, sent] = [0, 0];
  const check = (what: string): void => {
    if (Math.max(sent, tokens.size) > admitted)
      violate('a launch waits for the budget', `${what} without a call of the budget`);
  };
  return {
    admitted({ kind }) {
      if (kind === 'admitted') admitted += 1;
    },
    recordWritten({ name, launch }) {
      if (launch.kind !== 'requested') return;
      tokens.add(launch.request.clientToken);
      check(`the request of NodeClaim ${name} was recorded`);
    },
    launching({ nodeClaim }) {
      sent += 1;
      check(`the request of ${nodeClaim} was sent`);
    },
  };
};

/** The claims of a request with their instances: both in order. */
function claimsOf(
  { nodeClaim, members = [nodeClaim] }: LaunchRequest,
  instances: readonly Instance[],
): readonly (readonly [string, Instance])[] {
  return members.flatMap((name, index) => {
    const instance = instances[index];
    return instance === undefined ? [] : [[name, instance] as const];
  });
}

/** No instance is in the records of two claims, released ones included. */
export const oneClaimForAnInstance: RuleOf = ({ violate, records }) => {
  const owners = new Map<string, string>();
  return {
    replaced: () => owners.clear(),
    recordWritten({ name, launch }) {
      if (launch.kind !== 'launched') return;
      const owner = owners.get(launch.instance.id);
      owners.set(launch.instance.id, name);
      if (owner !== undefined && owner !== name && records.has(owner))
        violate('one claim for an instance', `instance ${launch.instance.id} has NodeClaims ${owner} and ${name}`);
    },
  };
};

/** From the list of instances until the release. */
const RELEASING_MS = 20 * SECOND_MS;

/** A claim is released after EC2 has terminated its instance. */
export const releasedAfterItsInstance: RuleOf = (watched) => {
  const { violate, simulation, story, nowMs, startMs } = watched;
  const clocksMs = story.faults.some(({ kind }) => kind === 'clocks') ? 2 * MINUTE_MS : 0;
  return {
    recordWritten(after, before) {
      const { name, releasedAtMs } = after;
      const id = instanceOf(after)?.id;
      if (releasedAtMs === undefined || before?.releasedAtMs !== undefined || id === undefined) return;
      const { ec2, timeline } = simulation();
      const instance = ec2.instances().find((one) => one.id === id);
      if (instance === undefined) return;
      // D26: an instance that EC2 does not list is gone, unless its node is Ready.
      const ageMs = nowMs() + startMs() - instance.launchedAtMs;
      const isListedLate = story.faults.some(
        (one) =>
          one.kind === 'listed-late' &&
          nowMs() < one.fromMs + one.forMs + RELEASING_MS &&
          ageMs < one.lagMs + RELEASING_MS,
      );
      const node = nodeOf(watched, after);
      if (isListedLate && ageMs > LISTED_WITHIN_MS - clocksMs && (node === undefined || !isNodeReady(node))) return;
      if (!timeline.entries.some((entry) => entry.kind === 'instance-terminated' && entry.instanceId === id))
        violate(
          'a claim is released after its instance has ended',
          `NodeClaim ${name}: instance ${id} is not terminated`,
        );
    },
  };
};

/** EC2 may list an instance this late, a function may run for a minute, and adoption is decided in the next tick. */
const RECORDED_AFTER_MS = 5 * MINUTE_MS;

/** Whether the claim waits for an instance of the group. */
export function isAwaited({ launch }: NodeClaimRecord, group: string): boolean {
  return launch.kind === 'requested' && launch.request.nodeClaim === group;
}

/**
 * Every running instance of the cluster has a record that names it, at the latest some minutes after its launch. While the tags of an
 * instance are removed, the claims of its group may be refused and released. No record names the group after that.
 */
export const everyInstanceHasARecord: RuleOf = ({ violate, records, simulation, nowMs, story }) => {
  const unknownSince = new Map<string, number>();
  const groups = new Set<string>();
  const untagged = new Set<string>();
  let isReplaced = false;
  return {
    replaced() {
      isReplaced = true;
    },
    recordWritten({ launch }) {
      if (launch.kind === 'requested' && launch.request.members !== undefined) groups.add(launch.request.nodeClaim);
    },
    step() {
      const known = new Set([...records.values()].flatMap((record) => instanceOf(record)?.id ?? []));
      for (const { id, cluster, nodeClaim, endedAtMs } of simulation().ec2.instances()) {
        if (cluster === '') untagged.add(id);
        const isOver = endedAtMs !== undefined || cluster !== 'simulated' || known.has(id);
        if (isOver) {
          unknownSince.delete(id);
          continue;
        }
        const isOfPast = records.has(nodeClaim) || (untagged.has(id) && groups.has(nodeClaim));
        const isKnown = isOfPast || [...records.values()].some((one) => isAwaited(one, nodeClaim));
        if (!isKnown && !unknownSince.has(id) && !isReplaced)
          violate('every instance has a record', `instance ${id}: its NodeClaim ${nodeClaim} has no record`);
        const sinceMs = Math.max(unknownSince.get(id) ?? nowMs(), story.calmFromMs);
        unknownSince.set(id, unknownSince.get(id) ?? nowMs());
        if (nowMs() - sinceMs > RECORDED_AFTER_MS)
          violate('every instance has a record', `instance ${id} of NodeClaim ${nodeClaim} runs and is in no record`);
      }
    },
  };
};

/** Nodes that stand for one pod: another pod may take the first, and a run may begin before the second is recorded. */
const NODES_FOR_A_POD = 4;

/** No node after another is bought for the same pod. Nodes that other pods use do not count. */
export const noPodBuysNodes: RuleOf = ({ violate, records, simulation }) => ({
  recordWritten(after, before) {
    if (before !== undefined) return;
    const standing = [...records.values()].filter(
      (one) => (one.releasedAtMs ?? one.deletion ?? one.nodeLostAtMs) === undefined,
    );
    const used = new Set(
      [...simulation().state.pods.values()].filter(isActiveWorkload).map(({ spec }) => spec.nodeName),
    );
    for (const pod of after.pods) {
      const bought = standing.filter(({ pods, nodeName = '' }) => pods.includes(pod) && !used.has(nodeName)).length;
      if (bought > NODES_FOR_A_POD)
        violate('no pod buys node after node', `NodeClaim ${after.name} is the ${bought}th that stands for pod ${pod}`);
    }
  },
});
