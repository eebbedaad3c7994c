import type { Action, Blocked, Controller, Decision } from '../core/model/decision.ts';
import type { LaunchOption } from '../core/model/node-claim-record.ts';
import type { Clock } from '../ports/clock.ts';
import { type Remarks, remarks } from './remarks.ts';

/** An event of the cluster, EC2 or the scenario. An ActionSummary is an action of Kerf. */
export type WorldEvent =
  | { readonly kind: 'scenario'; readonly message: string }
  | { readonly kind: 'pod-pending'; readonly pod: string; readonly workload: string }
  | { readonly kind: 'pod-running'; readonly pod: string; readonly workload: string; readonly node: string }
  /** The containers of a pod with an end have succeeded. */
  | { readonly kind: 'pod-completed'; readonly pod: string; readonly workload: string; readonly node: string }
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
    }
  | Exclude<Action, { readonly kind: 'create-node-claim' | 'launch-instance' }>
);

export type Happening =
  | WorldEvent
  | ActionSummary
  | ({ readonly kind: 'blocked'; readonly controller: Controller } & Blocked);

/** One event of the timeline. *Units:* `at` is in seconds from the start of the simulation. */
export type TimelineEntry = { readonly at: number } & Happening;

/** Collects the events of a simulation. The reader continues where it stopped. */
export interface Timeline {
  note(happening: Happening): void;
  readonly entries: readonly TimelineEntry[];
  /** What is not simulated as a real cluster does it. Everything that is left out or assumed is added here. */
  readonly remarks: Remarks;
}

export function timelineFrom(clock: Clock): Timeline {
  const startMs = clock.now();
  const entries: TimelineEntry[] = [];
  return {
    entries,
    remarks: remarks(),
    note: (happening) => void entries.push({ at: (clock.now() - startMs) / 1_000, ...happening }),
  };
}

/** Which parts of a decision are new. Actions and refusals that repeat every few seconds are noted once. */
export interface News {
  readonly isNewAction: (action: Action) => boolean;
  readonly isNewRefusal: (blocked: Blocked) => boolean;
}

/** Notes the new actions and refusals of a decision. */
export function noteDecision(timeline: Timeline, decision: Decision, news: News): void {
  const { controller, id } = decision;
  for (const action of decision.actions.filter(news.isNewAction))
    timeline.note({ controller, decision: id, ...summarize(action) });
  for (const blocked of decision.blocked.filter(news.isNewRefusal))
    timeline.note({ kind: 'blocked', controller, ...blocked });
}

type Summary = ActionSummary extends infer One
  ? One extends ActionSummary
    ? Omit<One, 'controller' | 'decision'>
    : never
  : never;

function summarize(action: Action): Summary {
  if (action.kind === 'create-node-claim') {
    const { name, nodePool, pods, options, types, spec } = action.nodeClaim;
    const counts = { instanceTypes: types.length, offerings: options.length };
    const { requests } = spec.resources;
    return { kind: action.kind, nodeClaim: name, nodePool, pods, requests, ...counts, cheapest: options[0] ?? null };
  }
  if (action.kind === 'launch-instance') {
    const { kind, nodeClaim, attempt, request } = action;
    const { capacityType, clientToken, overrides } = request;
    const zones = [...new Set(overrides.map(({ zone }) => zone))].toSorted();
    const instanceTypes = new Set(overrides.map(({ instanceType }) => instanceType)).size;
    return { kind, nodeClaim, attempt, capacityType, instanceTypes, zones, clientToken };
  }
  return action;
}
