import { compareText } from '../../compare-text.ts';
import type { StoppedMethod } from '../../model/disruption/pass-memory.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import type { Candidate } from '../candidates.ts';
import type { Proposal, World } from '../method.ts';

/** The candidates of a round that are left, by name. */
export interface Round {
  /** The name after which they begin. */
  readonly from: string;
  /** The number of candidates before them. */
  readonly done: number;
  readonly left: readonly Candidate[];
}

/**
 * The part of a round that earlier passes have left. *Shape:* in the order of names, which does not change as prices and lifetimes do,
 * so each candidate has its turn before the round ends, whatever changes meanwhile.
 */
export function roundOf(candidates: readonly Candidate[], { stoppedAt }: Pick<World, 'stoppedAt'>): Round {
  const byName = candidates.toSorted((a, b) => compareText(a.stateNode.name, b.stateNode.name));
  const from = stoppedAt?.after ?? '';
  const left = byName.filter(({ stateNode }) => compareText(stateNode.name, from) > 0);
  return { from, done: byName.length - left.length, left };
}

/** Where the method stops if it has evaluated so many of the candidates that were left. *Shape:* nothing at the end of a round. */
export function stopAfter({ from, done, left }: Round, evaluated: number): Pick<Proposal, 'stopped'> {
  if (evaluated >= left.length) return {};
  const after = left[evaluated - 1]?.stateNode.name ?? from;
  return { stopped: { after, evaluated: done + evaluated, candidates: done + left.length } };
}

/** Why the candidates after so many of them wait for another pass. */
export function whyNotEvaluated(evaluated: number, nodes: number): Refusal {
  return refusal('NotEvaluated', `the pass ended after ${evaluated} of ${nodes} nodes`, { evaluated, nodes });
}

/** *Shape:* `fleet: 1200 of 5000 candidates evaluated`. */
export function describeProgress(stopped: readonly StoppedMethod[]): string {
  return stopped
    .map(({ method, evaluated, candidates }) => `${method}: ${evaluated} of ${candidates} candidates evaluated`)
    .join(', ');
}
