import type { EndDisruption } from '../../model/decision.ts';
import type { DisruptionCommand } from '../../model/disruption-command.ts';

export function endOf(
  { id, reason, candidates }: DisruptionCommand,
  outcome: EndDisruption['outcome'],
  why: string,
): EndDisruption {
  const nodes = reason === 'Underutilized' ? { nodes: candidates.map(({ node }) => node) } : {};
  return { kind: 'end-disruption', command: id, outcome, why, ...nodes };
}
