import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { AutoscalerTraces } from '../../core/cluster/other-autoscalers.ts';

/** The last answers to the check for other autoscalers, by cluster. */
export interface LastAutoscalers {
  keep(cluster: string, answer: AutoscalersAnswer): void;
  /** *Shape:* undefined if the last answer is too old, or if there was none. */
  recall(cluster: string, nowMs: number): AutoscalersAnswer | undefined;
}

export interface RemembersAutoscalers {
  /** The last answers to the check for other autoscalers. @default a run without an answer waits */
  readonly autoscalers?: LastAutoscalers;
}

export interface AutoscalersAnswer {
  readonly traces: AutoscalerTraces;
  /** Leases expire, so the answer is judged at this time. */
  readonly atMs: number;
}

/** As long as most outages, and short, because an autoscaler that is installed meanwhile is not found. */
const KEPT_MS = 5 * MINUTE_MS;

/** Keeps the answers in memory: another instance of the function has its own. */
export function lastAutoscalers(): LastAutoscalers {
  const answers = new Map<string, AutoscalersAnswer>();
  return {
    keep: (cluster, answer) => void answers.set(cluster, answer),
    recall(cluster, nowMs) {
      const answer = answers.get(cluster);
      return answer !== undefined && nowMs - answer.atMs <= KEPT_MS ? answer : undefined;
    },
  };
}
