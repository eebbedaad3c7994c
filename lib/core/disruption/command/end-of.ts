import type { Action } from '../../model/decision.ts';
import type { DisruptionCommand } from '../../model/disruption-command.ts';

export function endOf(
  { id, reason, candidates }: DisruptionCommand,
  outcome: 'executed' | 'rejected',
  why: string,
): Action & { readonly kind: 'end-disruption' } {
  const nodes = reason === 'Underutilized' ? { nodes: candidates.map(({ node }) => node) } : {};
  return { kind: 'end-disruption', command: id, outcome, why, ...nodes };
}
