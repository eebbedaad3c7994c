import { MINUTE_MS } from '../../apis/formats/time.ts';

/** A Kubernetes Event, which `kubectl describe` shows on its object. */
export interface ClusterEvent {
  readonly regarding: {
    readonly kind: 'Pod' | 'Node' | 'NodeClaim' | 'NodePool' | 'EC2NodeClass';
    readonly name: string;
    readonly namespace?: string;
    /** Without it `kubectl describe` does not list the event. */
    readonly uid?: string;
  };
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** F16: the time after which an event with the same object, reason and message is published again. */
export function dedupeMs({ reason }: Pick<ClusterEvent, 'reason'>): number {
  return QUIET_MINUTES[reason] === undefined ? 2 * MINUTE_MS : QUIET_MINUTES[reason] * MINUTE_MS;
}

const QUIET_MINUTES: Readonly<Record<string, number>> = {
  FailedScheduling: 5,
  InvalidAnnotation: 60,
  Unconsolidatable: 15,
};
