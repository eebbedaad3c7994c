import type { TypeView } from './instance-type-view.ts';
import type { LabelView } from './label-selectors.ts';
import type { RawExpression, RawNodePool, RawOffering, RawPlannedClaim } from './raw-documents.ts';
import {
  ABSENT,
  ANYTHING,
  allowedBy,
  both,
  describe,
  exactly,
  isNothing,
  isWithin,
  type ValueSet,
} from './value-set.ts';
import {
  CAPACITY_TYPE,
  HOSTNAME,
  INITIALIZED,
  NODE_POOL,
  REGISTERED,
  RESERVATION_ID,
  ZONE,
  ZONE_ID,
} from './well-known-labels.ts';

/** The options of a claim: one for each type and each available offering that its requirements allow. */

export interface LaunchOption {
  readonly type: TypeView;
  readonly offering: RawOffering;
  readonly labels: LabelView;
}

/** The requirements of a pool or a claim, and the offerings of each type that they allow. */
export interface Allowance {
  readonly pool: RawNodePool;
  /** The labels that are the same for every option; `ANYTHING` if a label depends on the option. */
  readonly labels: LabelView;
  /** The requirements that the pool does not allow. */
  readonly faults: readonly string[];
  readonly optionsOf: (type: TypeView) => readonly LaunchOption[] | string;
}

/** The allowance of a claim's requirements, computed once for all claims with equal requirements. */
export function allowances(hostnames: ReadonlySet<string>): {
  readonly ofClaim: (claim: RawPlannedClaim, pool: RawNodePool) => Allowance;
  readonly ofPool: (pool: RawNodePool) => Allowance;
} {
  const known = new Map<string, Allowance>();
  const remember = (name: string, make: () => Allowance): Allowance => {
    const made = known.get(name) ?? make();
    known.set(name, made);
    return made;
  };
  const here: ValueSet = { ...ANYTHING, absent: false, values: hostnames };
  return {
    ofClaim: (claim, pool) =>
      remember(JSON.stringify([pool.metadata.name, claim.requirements]), () =>
        allowanceOf(pool, requirementsOf(claim), here),
      ),
    ofPool: (pool) => remember(pool.metadata.name, () => allowanceOf(pool, requirementsOfPool(pool), here)),
  };
}

function requirementsOf({ requirements }: RawPlannedClaim): ReadonlyMap<string, ValueSet> {
  return setsOf(Object.entries(requirements).flatMap(([key, list]) => list.map((one) => ({ ...one, key }))));
}

function requirementsOfPool({ spec }: RawNodePool): ReadonlyMap<string, ValueSet> {
  return setsOf(spec.template.spec.requirements ?? []);
}

function setsOf(expressions: readonly RawExpression[]): ReadonlyMap<string, ValueSet> {
  const sets = new Map<string, ValueSet>();
  for (const one of expressions) {
    sets.set(one.key, both(sets.get(one.key) ?? ANYTHING, allowedBy(one)));
  }
  return sets;
}

/** Labels of every node of the pool, for any requirements. */
function labelsOfPool({ metadata, spec }: RawNodePool): ReadonlyMap<string, ValueSet> {
  const { group, kind, name } = spec.template.spec.nodeClassRef ?? {};
  const nodeClass =
    group === undefined || kind === undefined ? [] : [[`${group}/${kind.toLowerCase()}`, name] as const];
  const labels = [
    ...Object.entries(spec.template.metadata?.labels ?? {}),
    ...nodeClass,
    [NODE_POOL, metadata.name] as const,
    [REGISTERED, 'true'] as const,
    [INITIALIZED, 'true'] as const,
  ];
  return new Map(labels.map(([key, value]) => [key, exactly(value)]));
}

function allowanceOf(pool: RawNodePool, asked: ReadonlyMap<string, ValueSet>, hostname: ValueSet): Allowance {
  const fixed = labelsOfPool(pool);
  const wanted = requirementsOfPool(pool);
  const known = new Map<TypeView, readonly LaunchOption[] | string>();
  const ofClaim = (key: string) => both(fixed.get(key) ?? ANYTHING, asked.get(key) ?? ANYTHING);
  const labelsOf =
    (type: TypeView, offering: RawOffering): LabelView =>
    (key) => {
      const given = ofOffering(offering, key) ?? type.labels.get(key);
      if (given !== undefined) {
        return both(given, ofClaim(key));
      }
      if (key === HOSTNAME) {
        return hostname;
      }
      // No node has a label that neither the type nor the pool defines, even if the claim requires it.
      return fixed.has(key) || wanted.has(key) ? both(wanted.get(key) ?? ANYTHING, ofClaim(key)) : ABSENT;
    };
  return {
    pool,
    faults: faultsOf(asked, { fixed, wanted }),
    labels: ofClaim,
    optionsOf: (type) => {
      const made = known.get(type) ?? optionsOf(type, { asked, labelsOf });
      known.set(type, made);
      return made;
    },
  };
}

function faultsOf(
  asked: ReadonlyMap<string, ValueSet>,
  { fixed, wanted }: Record<'fixed' | 'wanted', ReadonlyMap<string, ValueSet>>,
): readonly string[] {
  const strayed = [...wanted].flatMap(([key, set]) => {
    const its = both(asked.get(key) ?? ANYTHING, fixed.get(key) ?? ANYTHING);
    return isWithin(its, set) ? [] : [`its ${key} (${describe(its)}) allows more than the pool's (${describe(set)})`];
  });
  const opposed = [...fixed].flatMap(([key, set]) =>
    isNothing(both(asked.get(key) ?? ANYTHING, set)) ? [`its ${key} is not the pool's (${describe(set)})`] : [],
  );
  const empty = [...asked].flatMap(([key, set]) => (isNothing(set) ? [`its ${key} cannot be met`] : []));
  return [...strayed, ...opposed, ...empty];
}

function optionsOf(
  type: TypeView,
  {
    asked,
    labelsOf,
  }: {
    readonly asked: ReadonlyMap<string, ValueSet>;
    readonly labelsOf: (type: TypeView, offering: RawOffering) => LabelView;
  },
): readonly LaunchOption[] | string {
  const options = type.offerings
    .filter((offering) =>
      BY_OFFERING.every((key) => {
        const value = ofOffering(offering, key);
        const set = asked.get(key);
        return set === undefined || value === undefined || isWithin(value, set);
      }),
    )
    .map((offering) => ({ type, offering, labels: labelsOf(type, offering) }));
  const first = options[0];
  if (first === undefined) {
    return 'has no available offering that the claim allows';
  }
  const wrong = [...asked].find(([key, set]) => key !== HOSTNAME && isNothing(both(first.labels(key), set)));
  return wrong === undefined ? options : `does not meet ${wrong[0]} (${describe(wrong[1])})`;
}

const BY_OFFERING = [ZONE, ZONE_ID, CAPACITY_TYPE, RESERVATION_ID];

function ofOffering(offering: RawOffering, key: string): ValueSet | undefined {
  const { zone, zoneId, capacityType, reservationId } = offering;
  switch (key) {
    case ZONE:
      return exactly(zone);
    case CAPACITY_TYPE:
      return exactly(capacityType);
    case ZONE_ID:
      return zoneId === undefined ? undefined : exactly(zoneId);
    case RESERVATION_ID:
      return reservationId === undefined ? ABSENT : exactly(reservationId);
    default:
      return undefined;
  }
}
