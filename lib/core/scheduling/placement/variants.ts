import type { Demand } from '../pods/demand.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Run } from '../run.ts';

/** The demand, followed by its relaxed forms: each has one preference fewer than the one before (B31). */
export function variants(run: Run, demand: Demand): readonly Demand[] {
  const all = [demand];
  for (let next = relaxed(run, demand.podClass); next !== undefined; next = relaxed(run, next.podClass)) all.push(next);
  return all;
}

/** The demand without any preference, and with all its required terms; undefined if it has no preferences. */
export function strictDemand(run: Pick<Run, 'classes' | 'demandFor'>, { podClass }: Demand): Demand | undefined {
  const strict = run.classes.strict(podClass);
  const answer = strict === undefined ? undefined : run.demandFor(strict);
  return answer?.kind === 'demand' ? answer.demand : undefined;
}

/** The demand with one preference fewer; undefined if no preference remains. */
export function relaxed(run: Run, podClass: PodClass): Demand | undefined {
  const next = run.classes.relaxed(podClass);
  const answer = next === undefined ? undefined : run.demandFor(next);
  return answer?.kind === 'demand' ? answer.demand : undefined;
}
