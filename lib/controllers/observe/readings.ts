import type { Blocked } from '../../core/model/decision.ts';
import type { Reason } from '../../core/model/reasons.ts';
import { type Observed, read } from '../../core/observed.ts';
import { PortError } from '../../ports/errors.ts';

/** The reads of one run that may fail without ending the run. */
export interface Readings {
  /** *Shape:* what was read, or why it could not be read. *Errors:* only those that are not of a port. */
  observe<Value>(what: string, reading: () => Promise<Value>): Promise<Observed<Value>>;
  /** The first failure for each thing that could not be read. */
  readonly failures: ReadonlyMap<string, PortError>;
}

export function readings(): Readings {
  const failures = new Map<string, PortError>();
  return {
    failures,
    async observe(what, reading) {
      try {
        return read(await reading());
      } catch (failure) {
        if (!(failure instanceof PortError)) throw failure;
        if (!failures.has(what)) failures.set(what, failure);
        return { kind: 'unread', failure };
      }
    },
  };
}

/** A refusal for each thing that the cluster's decision does without, because it could not be read. */
export function refusalsOfUnread(
  cluster: string,
  observed: readonly Observed<unknown>[],
  reason: Reason,
): readonly Blocked[] {
  return observed.flatMap((one) => {
    if (one.kind === 'read') return [];
    const { message } = one.failure;
    return [{ subject: { kind: 'Cluster', name: cluster } as const, reason, message, numbers: {} }];
  });
}
