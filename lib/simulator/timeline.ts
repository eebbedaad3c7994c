import { optional } from '../apis/optional.ts';
import type { Action, Blocked, Controller, Decision } from '../core/model/decision.ts';
import type { LaunchOption } from '../core/model/node-claim-record.ts';
import { formatSubject } from '../core/model/subject.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobFailure } from './kubernetes/state.ts';
import { type Remarks, remarks } from './remarks.ts';
import type { Figures } from './summary/figures.ts';

/** An event of the cluster, EC2 or the scenario. An ActionSummary is an action of Kerf. */
export type WorldEvent =
  | { readonly kind: 'scenario'; readonly message: string }
  | { readonly kind: 'pod-pending'; readonly pod: string; readonly workload: string }
  | { readonly kind: 'pod-running'; readonly pod: string; readonly workload: string; readonly node: string }
  /** The containers of a pod with an end have succeeded. */
  | { readonly kind: 'pod-completed'; readonly pod: string; readonly workload: string; readonly node: string }
  /** A pod that the scheduler deletes for a pod of higher priority. */
  | {
      readonly kind: 'pod-preempted';
      readonly pod: string;
      readonly workload: string;
      readonly node: string;
      readonly by: string;
    }
  | ({ readonly kind: 'job-failed' } & JobFailure)
  | { readonly kind: 'pod-ended'; readonly pod: string; readonly workload: string; readonly node: string }
  | ({ readonly kind: 'instance-launched'; readonly instanceId: string; readonly nodeClaim: string } & LaunchOption)
  | { readonly kind: 'launch-refused'; readonly nodeClaim: string; readonly message: string }
  | {
      readonly kind: 'instance-terminated';
      readonly instanceId: string;
      readonly nodeClaim: string;
      readonly costUsd: number;
    }
  | { readonly kind: 'node-joined'; readonly node: string; readonly nodeClaim: string }
  | { readonly kind: 'node-ready'; readonly node: string }
  /** Its kubelet does not report, so the node is not Ready. */
  | { readonly kind: 'node-unreachable'; readonly node: string }
  /** Kubernetes deletes the pod of an unreachable node. */
  | { readonly kind: 'pod-evicted'; readonly pod: string; readonly workload: string; readonly node: string }
  | { readonly kind: 'node-gone'; readonly node: string }
  | ({ readonly kind: 'figures' } & Figures)
  | { readonly kind: 'function-failed'; readonly function: string; readonly message: string };

/** A summary of an action. A claim has hundreds of launch options, of which the summary has the cheapest. */
export type ActionSummary = { readonly controller: Controller; readonly decision: string } & (
  | {
      readonly kind: 'create-node-claim';
      readonly nodeClaim: string;
      readonly nodePool: string;
      readonly pods: readonly string[];
      readonly requests: Readonly<Record<string, string | number>>;
      readonly instanceTypes: number;
      readonly offerings: number;
      readonly cheapest: LaunchOption | null;
    }
  | {
      readonly kind: 'launch-instance';
      readonly nodeClaim: string;
      readonly attempt: number;
      readonly capacityType: string;
      readonly instanceTypes: number;
      readonly zones: readonly string[];
      readonly clientToken: string;
      /** The claims that the same call launches. @default only this one */
      readonly claims?: number;
    }
  | (Exclude<Action, { readonly kind: 'create-node-claim' | 'launch-instance' }> & {
      /** That of an evicted pod. */
      readonly workload?: string;
    })
);

export type Happening =
  | WorldEvent
  | ActionSummary
  /** `workload` is set for a pod. */
  | ({ readonly kind: 'blocked'; readonly controller: Controller; readonly workload?: string } & Blocked);

/** One event of the timeline. *Units:* `at` is in seconds from the start of the simulation. */
export type TimelineEntry = { readonly at: number } & Happening;

/** The events of a simulation. */
export interface Timeline {
  note(happening: Happening): void;
  /** The number of entries so far. */
  count(): number;
  /** The entries that have not been taken. */
  readonly entries: readonly TimelineEntry[];
  /** Returns these entries, and does not keep them. */
  take(): readonly TimelineEntry[];
  /** What is not simulated as a real cluster does it. Everything that is left out or assumed is added here. */
  readonly remarks: Remarks;
}

/** `listen` gets each entry at once. */
export function timelineFrom(clock: Clock, listen?: (entry: TimelineEntry) => void): Timeline {
  const startMs = clock.now();
  const entries: TimelineEntry[] = [];
  let count = 0;
  return {
    entries,
    remarks: remarks(),
    count: () => count,
    take: () => entries.splice(0),
    note(happening) {
      const entry = { at: (clock.now() - startMs) / 1_000, ...happening };
      count += 1;
      entries.push(entry);
      listen?.(entry);
    },
  };
}

/** Which parts of a decision are new. Actions and refusals that repeat every few seconds are noted once. */
export interface News {
  readonly isNewAction: (action: Action) => boolean;
  readonly isNewRefusal: (blocked: Blocked) => boolean;
  /** The workload of a pod. */
  readonly workloadOf: (pod: { readonly namespace: string; readonly name: string }) => string | undefined;
}

/** Notes the new actions and refusals of a decision. */
export function noteDecision(timeline: Timeline, decision: Decision, news: News): void {
  const { controller, id } = decision;
  const refused = new Set(decision.blocked.map(({ subject }) => formatSubject(subject)));
  // An eviction that is refused is tried again, and noted when it succeeds.
  const isDone = (action: Action): boolean =>
    action.kind !== 'evict-pod' || !refused.has(formatSubject({ kind: 'Pod', ...action.pod }));
  for (const action of decision.actions.filter((one) => isDone(one) && news.isNewAction(one)))
    timeline.note({ controller, decision: id, ...summarize(action, news) });
  for (const blocked of decision.blocked.filter(news.isNewRefusal))
    timeline.note({
      kind: 'blocked',
      controller,
      ...optional({ workload: blocked.subject.kind === 'Pod' ? news.workloadOf(blocked.subject) : undefined }),
      ...blocked,
    });
}

type Summary = ActionSummary extends infer One
  ? One extends ActionSummary
    ? Omit<One, 'controller' | 'decision'>
    : never
  : never;

function summarize(action: Action, { workloadOf }: News): Summary {
  if (action.kind === 'create-node-claim') {
    const { name, nodePool, pods, options, types, spec } = action.nodeClaim;
    const counts = { instanceTypes: types.length, offerings: options.length };
    const { requests } = spec.resources;
    return { kind: action.kind, nodeClaim: name, nodePool, pods, requests, ...counts, cheapest: options[0] ?? null };
  }
  if (action.kind === 'launch-instance') {
    const { kind, nodeClaim, attempt, request } = action;
    const { capacityType, clientToken, overrides, members } = request;
    const zones = [...new Set(overrides.map(({ zone }) => zone))].toSorted();
    const instanceTypes = new Set(overrides.map(({ instanceType }) => instanceType)).size;
    const claims = members?.length;
    return { kind, nodeClaim, attempt, capacityType, instanceTypes, zones, clientToken, ...optional({ claims }) };
  }
  return action.kind === 'evict-pod' ? { ...action, ...optional({ workload: workloadOf(action.pod) }) } : action;
}
