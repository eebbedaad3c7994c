import type { DecidedOn } from '../../core/decisions/decided-on.ts';
import { fingerprint } from '../../core/identity.ts';
import type { Blocked, Decision } from '../../core/model/decision.ts';
import { essenceOf } from '../../core/model/decision-id.ts';
import type { DecisionSnapshots } from '../../core/model/settings.ts';
import type { RunReport } from '../run/ports.ts';

/** What one record is about. */
export interface Part {
  readonly decisions: readonly Decision[];
  readonly decided?: DecidedOn;
}

/** A turn of a function may have several decisions on the cluster. Decisions on single objects share a record. */
export function partsOf({ decisions, decided = [] }: RunReport): readonly Part[] {
  const parts = decided.map((one) => ({ decisions: one.decisions, decided: one }));
  const ofCluster = new Set(decided.flatMap((one) => one.decisions));
  const others = decisions.filter((decision) => !ofCluster.has(decision));
  return others.length === 0 ? parts : [...parts, { decisions: others }];
}

/** In shadow, the same decision is made every minute, because it is not carried out. It counts as known from now on. */
export function isKnownShadow(known: Map<string, string>, work: string, { decisions }: Part): boolean {
  if (!decisions.some(({ shadow }) => shadow === true)) return false;
  const essence = decisions.map(({ id, actions, blocked }) => `${id} ${essenceOf(actions, blocked)}`).join(' ');
  if (known.get(work) === essence) return true;
  known.set(work, essence);
  return false;
}

/** That a node is too young is true of every node after each change of its pods. */
export function isWorthRecording(decisions: readonly Decision[], fresh: readonly Blocked[]): boolean {
  return (
    decisions.some(({ actions }) => actions.length > 0) || fresh.some(({ reason }) => reason !== 'ConsolidateAfter')
  );
}

/** About one in ten is a sample, by its name. */
export function isArchived(mode: DecisionSnapshots = 'off', id: string, decisions: readonly Decision[]): boolean {
  // A nomination is a hint, which is repeated as long as pods wait for a node.
  const acted = decisions.some(({ actions }) => actions.some(({ kind }) => kind !== 'nominate-node'));
  switch (mode) {
    case 'off':
      return false;
    case 'all':
      return true;
    case 'acted':
      return acted;
    case 'sampled':
      return acted && SAMPLES.has(fingerprint(id, 1));
  }
}

const SAMPLES: ReadonlySet<string> = new Set('abc');
