/** Observes a simulation from the outside: every effect of a port call, and every state after a step. */

import type { NodeClaim } from '../../lib/apis/node-claim.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { WebhookAnswer } from '../../lib/controllers/webhook.ts';
import type { Decision, PodTarget } from '../../lib/core/model/decision.ts';
import { instanceOf, type LaunchRequest, type NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import type { NodePatch, NodeTarget } from '../../lib/core/model/node-patch.ts';
import type { LaunchOutcome } from '../../lib/ports/cloud-provider.ts';
import type { Lease } from '../../lib/ports/leases.ts';
import { around, type PortCall } from '../../lib/simulator/faults.ts';
import type { ReportedFailure } from '../../lib/simulator/functions.ts';
import type { OpenSimulation } from '../../lib/simulator/simulation.ts';
import type { Story } from './story/story.ts';

export interface Violation {
  readonly rule: string;
  /** From the start of the simulation. */
  readonly atMs: number;
  readonly message: string;
}

/** What a rule is told. Each function is called when a call takes effect, not when a function sends it. */
export interface Rule {
  readonly call?: (call: PortCall) => void;
  /** A call of the second deployment. */
  readonly secondCall?: (call: PortCall) => void;
  readonly launching?: (request: LaunchRequest) => void;
  readonly launched?: (request: LaunchRequest, outcome: LaunchOutcome) => void;
  readonly terminating?: (cluster: string, instanceId: string) => void;
  readonly tagging?: (cluster: string, instanceId: string) => void;
  /** `before` is undefined for a new record. */
  readonly recordWritten?: (after: NodeClaimRecord, before: NodeClaimRecord | undefined) => void;
  /** A record was to be created, and one of this name existed. */
  readonly recordKept?: (asked: NodeClaimRecord, kept: NodeClaimRecord) => void;
  /** A read did not return what was stored before it began. */
  readonly staleRead?: (method: string, name: string) => void;
  readonly leaseAcquired?: (lease: Lease) => void;
  readonly leaseRenewed?: (lease: Lease) => void;
  readonly leaseReleased?: (lease: Lease) => void;
  /** `epoch`: that of the snapshot of the decision. */
  readonly decisionRecorded?: (decision: Decision, epoch: number) => void;
  readonly decisionClosed?: (decision: Decision) => void;
  readonly published?: (decision: Decision) => void;
  readonly patchingNode?: (target: NodeTarget, patch: NodePatch) => void;
  readonly deletingNode?: (name: string) => void;
  readonly evicting?: (pod: PodTarget) => void;
  readonly deletingPod?: (pod: PodTarget, graceSeconds: number) => void;
  readonly mirrorWritten?: (after: NodeClaim, before: NodeClaim | undefined) => void;
  readonly answered?: (answer: WebhookAnswer) => void;
  readonly failed?: (failure: ReportedFailure) => void;
  /** After each step of the timetable that changed something, and at least once in a second with a step. */
  readonly step?: () => void;
  /** The table was replaced by a backup, or its items by those of another version. */
  readonly replaced?: () => void;
  /** What is not at rest yet, long after the last fault. */
  readonly unsettled?: () => readonly string[];
}

/** The observed state that rules share. */
export interface Watched {
  readonly story: Story;
  readonly simulation: () => OpenSimulation;
  readonly ports: () => ControllerPorts;
  /** From the start of the simulation. */
  readonly nowMs: () => number;
  readonly startMs: () => number;
  /** The stored records, released ones included. */
  readonly records: ReadonlyMap<string, NodeClaimRecord>;
  /** Decisions that are recorded and not closed, by id, with the time of the record. */
  readonly open: ReadonlyMap<string, { readonly decision: Decision; readonly sinceMs: number }>;
  readonly violate: (rule: string, message: string) => void;
}

export interface Watch extends Watched {
  readonly violations: readonly Violation[];
  /** The store through which the rules read, without faults. */
  lookInto(store: ControllerPorts['store']): void;
  /** Reads every record again, after the table was replaced. */
  readonly lookAgain: () => Promise<void>;
  wrapPorts(ports: ControllerPorts): ControllerPorts;
  /** The ports of a second deployment. */
  wrapSecond(ports: ControllerPorts): ControllerPorts;
  /** The simulation, once it is assembled. */
  begin(simulation: OpenSimulation): void;
  readonly answered: (answer: WebhookAnswer) => void;
  readonly failed: (failure: ReportedFailure) => void;
  step(): void;
  unsettled(): readonly string[];
}

export type RuleOf = (watched: Watched) => Rule;

function of<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the simulation has not begun');
  return value;
}

export function watch(story: Story, rulesOf: readonly RuleOf[]): Watch {
  const violations: Violation[] = [];
  const records = new Map<string, NodeClaimRecord>();
  const open = new Map<string, { readonly decision: Decision; readonly sinceMs: number }>();
  let simulation: OpenSimulation | undefined;
  let raw: ControllerPorts | undefined;
  let plain: ControllerPorts['store'] | undefined;
  let startMs = 0;
  const nowMs = (): number => of(raw).clock.now() - startMs;
  const watched: Watched = {
    story,
    simulation: () => of(simulation),
    ports: () => of(raw),
    nowMs,
    startMs: () => startMs,
    records,
    open,
    violate: (rule, message) => void violations.push({ rule, atMs: nowMs(), message }),
  };
  const rules = rulesOf.map((rule) => rule(watched));
  const each = (tell: (rule: Rule) => void): void => rules.forEach(tell);
  let [versionSeen, secondSeen] = [-1, -1];
  return {
    ...watched,
    violations,
    lookInto(store) {
      plain = store;
    },
    async lookAgain() {
      const store = of(plain);
      const known = [...records.values()];
      for (const { cluster, name } of known) {
        const found = await store.readNodeClaim(cluster, name);
        if (found === undefined) records.delete(name);
        else records.set(name, found);
      }
      open.clear();
      for (const decision of await store.openDecisions('simulated'))
        open.set(decision.id, { decision, sinceMs: nowMs() });
      each((rule) => rule.replaced?.());
    },
    wrapPorts(ports) {
      raw = ports;
      startMs = ports.clock.now();
      return watchedPorts(ports, { each, records, open, nowMs, plain: of(plain) });
    },
    wrapSecond: (ports) =>
      around(ports, async (call, go) => {
        each((rule) => rule.secondCall?.(call));
        return go();
      }),
    begin(begun) {
      simulation = begun;
    },
    answered: (answer) => each((rule) => rule.answered?.(answer)),
    failed: (failure) => each((rule) => rule.failed?.(failure)),
    step() {
      const { version } = of(simulation).state;
      const second = Math.floor(nowMs() / 1_000);
      if (version === versionSeen && second === secondSeen) return;
      [versionSeen, secondSeen] = [version, second];
      each((rule) => rule.step?.());
    },
    unsettled: () => rules.flatMap((rule) => rule.unsettled?.() ?? []),
  };
}

interface Observing {
  readonly each: (tell: (rule: Rule) => void) => void;
  readonly records: Map<string, NodeClaimRecord>;
  readonly open: Map<string, { readonly decision: Decision; readonly sinceMs: number }>;
  readonly nowMs: () => number;
  readonly plain: Store;
}

function watchedPorts(ports: ControllerPorts, observing: Observing): ControllerPorts {
  const { each, plain } = observing;
  const counted = around(ports, async (call, go) => {
    each((rule) => rule.call?.(call));
    return go();
  });
  return {
    ...counted,
    store: watchedStore(counted.store, plain, observing),
    leases: watchedLeases(counted.leases, observing),
    cloud: watchedCloud(counted.cloud, observing),
    cluster: watchedCluster(counted.cluster, ports.cluster, observing),
    messages: {
      wake: async (target, wake, delayMs) => counted.messages.wake(target, wake, delayMs),
      publish: async (decision) => {
        each((rule) => rule.published?.(decision));
        await counted.messages.publish(decision);
      },
    },
  };
}

type Store = ControllerPorts['store'];

function watchedStore(store: Store, raw: Store, { each, records, open, nowMs }: Observing): Store {
  /** The stored record is read back, so that the rules judge the effect and not the intention. */
  const look = async (cluster: string, name: string): Promise<NodeClaimRecord | undefined> => {
    const after = await raw.readNodeClaim(cluster, name);
    const before = records.get(name);
    if (after === undefined || (before !== undefined && before.version > after.version)) return after;
    if (before !== undefined && before.version === after.version && sameJson(before, after)) return after;
    records.set(name, after);
    each((rule) => rule.recordWritten?.(after, before));
    return after;
  };
  return replacing(store, {
    async readNodeClaim(cluster, name) {
      const before = records.get(name);
      const found = await store.readNodeClaim(cluster, name);
      const isLost = before !== undefined && records.has(name) && (found?.version ?? -1) < before.version;
      if (isLost) each((rule) => rule.staleRead?.('readNodeClaim', name));
      return found;
    },
    async findNodeClaim(instanceId) {
      const [before] = [...records.values()].filter((record) => instanceOf(record)?.id === instanceId);
      const found = await store.findNodeClaim(instanceId);
      const isLost = before !== undefined && records.has(before.name) && (found?.version ?? -1) < before.version;
      if (isLost) each((rule) => rule.staleRead?.('findNodeClaim', before.name));
      return found;
    },
    async listNodeClaims(cluster) {
      const before = [...records.values()].filter(({ releasedAtMs }) => releasedAtMs === undefined);
      const all = await store.listNodeClaims(cluster);
      const found = new Map(all.map((record) => [record.name, record.version]));
      for (const { name, version } of before) {
        const now = records.get(name);
        const isOver = now === undefined || now.releasedAtMs !== undefined;
        if (!isOver && (found.get(name) ?? -1) < version) each((rule) => rule.staleRead?.('listNodeClaims', name));
      }
      return all;
    },
    async openDecisions(cluster) {
      const before = [...open.keys()];
      const all = await store.openDecisions(cluster);
      const found = new Set(all.map(({ id }) => id));
      for (const id of before)
        if (open.has(id) && !found.has(id)) each((rule) => rule.staleRead?.('openDecisions', id));
      return all;
    },
    async createNodeClaim(record) {
      const kept = records.get(record.name);
      await store.createNodeClaim(record);
      await look(record.cluster, record.name);
      if (kept !== undefined) each((rule) => rule.recordKept?.(record, kept));
    },
    async updateNodeClaim(record) {
      const written = await store.updateNodeClaim(record);
      await look(record.cluster, record.name);
      return written;
    },
    async recordDecision(decision, epoch, lease) {
      const isKnown = open.has(decision.id);
      await store.recordDecision(decision, epoch, lease);
      if (isKnown) return;
      each((rule) => rule.decisionRecorded?.(decision, epoch));
      open.set(decision.id, { decision, sinceMs: nowMs() });
    },
    async closeDecision(decision) {
      each((rule) => rule.decisionClosed?.(decision));
      await store.closeDecision(decision);
      open.delete(decision.id);
    },
  });
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

type Leases = ControllerPorts['leases'];

function watchedLeases(leases: Leases, { each }: Observing): Leases {
  return replacing(leases, {
    async acquire(seen) {
      const acquired = await leases.acquire(seen);
      if (acquired.kind === 'held') each((rule) => rule.leaseAcquired?.(acquired.lease));
      return acquired;
    },
    async renew(lease) {
      await leases.renew(lease);
      each((rule) => rule.leaseRenewed?.(lease));
    },
    async release(lease, outcome) {
      const released = await leases.release(lease, outcome);
      each((rule) => rule.leaseReleased?.(lease));
      return released;
    },
  });
}

type Cloud = ControllerPorts['cloud'];

function watchedCloud(cloud: Cloud, { each }: Observing): Cloud {
  return replacing(cloud, {
    async launch(request) {
      each((rule) => rule.launching?.(request));
      const outcome = await cloud.launch(request);
      each((rule) => rule.launched?.(request, outcome));
      return outcome;
    },
    async terminate(cluster, id) {
      each((rule) => rule.terminating?.(cluster, id));
      await cloud.terminate(cluster, id);
    },
    async tagInstance(cluster, id, tags) {
      each((rule) => rule.tagging?.(cluster, id));
      await cloud.tagInstance(cluster, id, tags);
    },
  });
}

type Cluster = ControllerPorts['cluster'];

function watchedCluster(cluster: Cluster, raw: Cluster, { each }: Observing): Cluster {
  const mirrorOf = async (name: string): Promise<NodeClaim | undefined> =>
    (await raw.listNodeClaims()).find(({ metadata }) => metadata.name === name);
  return replacing(cluster, {
    async patchNode(target, patch) {
      each((rule) => rule.patchingNode?.(target, patch));
      await cluster.patchNode(target, patch);
    },
    async deleteNode(name) {
      each((rule) => rule.deletingNode?.(name));
      await cluster.deleteNode(name);
    },
    async evictPod(pod) {
      each((rule) => rule.evicting?.(pod));
      return cluster.evictPod(pod);
    },
    async deletePod(pod, graceSeconds) {
      each((rule) => rule.deletingPod?.(pod, graceSeconds));
      await cluster.deletePod(pod, graceSeconds);
    },
    async applyNodeClaim(nodeClaim) {
      const before = await mirrorOf(nodeClaim.metadata.name);
      await cluster.applyNodeClaim(nodeClaim);
      const after = await mirrorOf(nodeClaim.metadata.name);
      if (after !== undefined) each((rule) => rule.mirrorWritten?.(after, before));
    },
  });
}

/** The port with other members in place of its own. The port may be an instance of a class. */
function replacing<Port extends object>(port: Port, own: Partial<Port>): Port {
  return new Proxy(port, { get: (target, member): unknown => Reflect.get(member in own ? own : target, member) });
}
