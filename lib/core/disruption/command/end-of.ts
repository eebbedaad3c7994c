import type { Action } from '../../model/decision.ts';
import type { DisruptionCommand } from '../../model/disruption-command.ts';

export function endOf(
  { id }: DisruptionCommand,
  outcome: 'executed' | 'rejected',
  why: string,
): Action & { readonly kind: 'end-disruption' } {
  return { kind: 'end-disruption', command: id, outcome, why };
}
