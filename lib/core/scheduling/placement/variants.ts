import type { Demand } from '../pods/demand.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { matchingTerms } from '../pods/pod-requirements.ts';
import type { Run } from '../run.ts';

/**
 * The demand, followed by its relaxed forms: each has one preference fewer than the one before; at last, one for each required term (B31).
 */
export function variants(run: Run, demand: Demand): readonly Demand[] {
  const all = [demand];
  for (let next = relaxed(run, demand.podClass); next !== undefined; next = relaxed(run, next.podClass)) all.push(next);
  return all;
}

/** The variants without preferences: one for each required term of node affinity. */
export function leastVariants(run: Run, demand: Demand): readonly Demand[] {
  return variants(run, demand).slice(-Math.max(1, matchingTerms(demand.podClass.original.spec).length));
}

/** The demand without any preference, and with all its required terms; undefined if it has no preferences. */
export function strictDemand(run: Pick<Run, 'classes' | 'demandFor'>, { podClass }: Demand): Demand | undefined {
  const strict = run.classes.strict(podClass);
  const answer = strict === undefined ? undefined : run.demandFor(strict);
  return answer?.kind === 'demand' ? answer.demand : undefined;
}

/** The demand with one preference fewer, or at last with another required term; undefined if none remains. */
export function relaxed(run: Run, podClass: PodClass): Demand | undefined {
  const next = run.classes.relaxed(podClass);
  const answer = next === undefined ? undefined : run.demandFor(next);
  return answer?.kind === 'demand' ? answer.demand : undefined;
}
