import { SECOND_MS } from '../../apis/formats/time.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { type LaunchGroup, launchGroups } from '../../core/node-claim/launch/launch-groups.ts';
import type { ObservedClaims } from '../observe/observe-claims.ts';
import type { EachClaim } from '../run/each-claim.ts';
import { onFreshState } from '../run/fresh-state.ts';
import { type AdvanceRun, advanceClaim, finishStep, isRefused, MAX_STEPS } from './advance-claim.ts';
import { launchGroup } from './launch-group.ts';
import { nameMembers } from './name-members.ts';
import { planTogether } from './plan-together.ts';
import { advanceUnits, joined, type Unit } from './units.ts';
import { type ReadRecords, youngRecords } from './young-records.ts';

/** How old the plan of a group is at most when it is launched: other launches of the run find missing capacity meanwhile. */
const PLANNED_WITHIN_MS = 5 * SECOND_MS;

/** Claims whose next steps are planned together. */
interface Planning extends ReadRecords {
  readonly world: ObservedClaims;
  /** How many launches of these claims the invocation has tried. */
  readonly step: number;
}

/**
 * Advances every claim step by step. Claims of a class that are not launched are planned together, so that claims with equal requests
 * share one call; meanwhile the others are advanced.
 */
export async function advanceClaims(
  run: AdvanceRun,
  { records, readAtMs, world }: Omit<Planning, 'step'>,
): Promise<EachClaim> {
  const { launched = [], launching = [] } = Object.groupBy(records, ({ launch }) =>
    launch.kind === 'launched' ? 'launched' : 'launching',
  );
  const parts = await Promise.all([
    advanceUnits(
      run.ports,
      launched.map((record) => alone(run, { record, world, step: 0 })),
    ),
    // Promise 7: a class whose resolution hangs does not delay the launches of others.
    ...[...Map.groupBy(launching, ({ spec }) => spec.nodeClassRef.name).values()].map(async (ofClass) =>
      advanceUnits(run.ports, await unitsOf(run, { records: ofClass, readAtMs, world, step: 0 })),
    ),
  ]);
  return joined(parts);
}

type Single = Omit<Planning, keyof ReadRecords> & { readonly record: NodeClaimRecord };

/** One unit for the claims of each group, and one for each other claim. */
async function unitsOf(run: AdvanceRun, planning: Planning): Promise<readonly Unit[]> {
  const { records, readAtMs } = await youngRecords(run.ports, planning);
  const { world, step } = planning;
  for (const { name } of planning.records) world.inFlight.delete(name);
  const groups = launchGroups(await planTogether(run, records, world));
  const grouped = new Set(groups.flatMap(({ members }) => members.map(({ record }) => record)));
  return [
    ...groups.map((group) => together(run, group, { readAtMs, world, step })),
    ...records.filter((record) => !grouped.has(record)).map((record) => alone(run, { record, world, step })),
  ];
}

/** Claims that EC2 refused are launched again in the same invocation, with the next-best offering. */
function together(run: AdvanceRun, group: LaunchGroup, { readAtMs, world, step }: Omit<Planning, 'records'>): Unit {
  const records = group.members.map(({ record }) => record);
  const { name = '', launch = { kind: 'planned' } } = records[0] ?? {};
  const plannedAtMs = run.ports.clock.now();
  return {
    name,
    launch,
    async advance() {
      if (run.ports.clock.now() - plannedAtMs > PLANNED_WITHIN_MS)
        return { due: [], next: await unitsOf(run, { records, readAtMs, world, step }) };
      const answer = await launchGroup(run, group, world);
      // The table refuses one of the records, so each is written for itself.
      if (answer.kind === 'refused')
        return { due: [], next: records.map((record) => alone(run, { record, world, step })) };
      const refused = answer.records.filter((record) => isRefused(record) && step + 1 < MAX_STEPS);
      const settled = answer.records.filter((record) => !refused.includes(record));
      const again = await unitsOf(run, { records: refused, readAtMs: run.ports.clock.now(), world, step: step + 1 });
      const shown = settled.map((record) => showing(run, record, world));
      return { due: answer.due, next: [...again, ...shown, naming(run, answer.records)] };
    },
  };
}

/** The object of a claim in the cluster. Without a launch, `inTurn` takes it after the next attempts of others. */
function showing(run: AdvanceRun, record: NodeClaimRecord, world: ObservedClaims): Unit {
  return {
    name: record.name,
    async advance() {
      return { due: await finishStep(run, record, { world, due: [], isFresh: true }) };
    },
  };
}

/** Nothing waits for the tags. */
function naming({ ports, cluster }: AdvanceRun, records: readonly NodeClaimRecord[]): Unit {
  return {
    name: cluster,
    async advance() {
      await nameMembers(ports, cluster, records);
      return { due: [] };
    },
  };
}

function alone(run: AdvanceRun, { record: known, world, step }: Single): Unit {
  return {
    ...known,
    async advance() {
      const { ports, conflicts } = run;
      const due = await onFreshState(ports, { record: known, seen: world, conflicts }, async (record) =>
        advanceClaim(run, record, { world, step }),
      );
      return { due: due ?? [] };
    },
  };
}
