import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import type { CapacityType } from '../../../../lib/apis/labels.ts';
import { marked } from '../../../../lib/core/instance-type/offerings/marked.ts';
import { unavailability, unavailableKey } from '../../../../lib/core/instance-type/offerings/unavailable.ts';
import { doubt, withZoneRefusals } from '../../../../lib/core/instance-type/offerings/zone-refusals.ts';
import { ANY_OFFERING, type UnavailableMark } from '../../../../lib/core/model/decision.ts';
import type { LaunchOption, LaunchType } from '../../../../lib/core/model/node-claim-record.ts';

const [A, B] = ['eu-west-3a', 'eu-west-3b'] as const;
const FOUR = ['m5.large', 'c5.large', 'r5.large', 'm6i.large'];
const ICE = 'InsufficientInstanceCapacity';

type Missing = Omit<UnavailableMark, 'atMs'>;

function lines(names: readonly string[], zone: string, capacityType: CapacityType = 'spot'): readonly LaunchOption[] {
  return names.map((instanceType) => ({ instanceType, zone, capacityType, priceUsdPerHour: 0.1 }));
}

function refused(requested: readonly LaunchOption[], over: Partial<Missing> = {}): readonly Missing[] {
  return requested.map(({ instanceType, zone, capacityType }) => ({
    instanceType,
    zone,
    capacityType,
    reason: ICE,
    ...over,
  }));
}

const VCPUS: Readonly<Record<string, number>> = { large: 2, xlarge: 4, '16xlarge': 64, '24xlarge': 96 };

function typesNamed(names: readonly string[], over: Partial<LaunchType> = {}): readonly LaunchType[] {
  return names.map((name) => {
    const capacity = { cpu: (VCPUS[name.split('.')[1] ?? ''] ?? 0) * 1_000 };
    return { name, architecture: 'amd64', capacity, allocatable: capacity, ...over };
  });
}

/** The zones and capacity types that are marked as a whole after this launch. */
function wholes(
  requested: readonly LaunchOption[],
  missing: readonly Missing[],
  types: readonly LaunchType[] = typesNamed(FOUR),
): readonly string[] {
  return withZoneRefusals({ requested, types, missing })
    .filter(({ instanceType }) => instanceType === ANY_OFFERING)
    .map(({ zone, capacityType }) => `${zone} ${capacityType}`);
}

describe('a zone and capacity type that refuse across families are marked as a whole (C35)', () => {
  const asked = lines(FOUR, A);

  test('if EC2 refused every offering of them, of four families', () => {
    expect(wholes(asked, refused(asked))).toEqual([`${A} spot`]);
  });

  test('of three families, if the request has no other', () => {
    const three = lines(['m7i.large', 'c7i.large', 'r7i.large', 'r7i.xlarge'], A);
    expect(wholes(three, refused(three))).toEqual([`${A} spot`]);
    const other = lines(['m6i.large'], A);
    const notTried = refused(other, { reason: 'UnfulfillableCapacity' });
    expect(wholes([...three, ...other], [...refused(three), ...notTried])).toEqual([]);
    // The families of another zone do not count.
    expect(wholes([...three, ...lines(FOUR, B)], refused(three))).toEqual([`${A} spot`]);
  });

  test('in each zone, if the capacity type is refused in all', () => {
    const both = [...asked, ...lines(FOUR, B)];
    expect(wholes(both, refused(both))).toEqual([`${A} spot`, `${B} spot`]);
  });

  test('and not the zone in which the instance was launched', () => {
    expect(wholes([...asked, ...lines(FOUR, B)], refused(asked))).toEqual([`${A} spot`]);
  });

  test.each([
    ['two families', ['m5.large', 'c5.large', 'c5.xlarge', 'm5.xlarge'], {}],
    ['a quota', FOUR, { reason: 'VcpuLimitExceeded' }],
    ['offerings that EC2 did not try', FOUR, { reason: 'UnfulfillableCapacity' }],
    ['a placement group', FOUR, { placementGroupId: 'pg-1' }],
    ['dedicated hardware', FOUR, { tenancy: 'dedicated' as const }],
    ['reservations', FOUR, { reservationId: 'cr-1' }],
  ])('but not because of %s', (_, names, over) => {
    const requested = lines(names, A);
    const missing = refused(requested, over);
    expect(withZoneRefusals({ requested, types: typesNamed(names), missing })).toEqual(missing);
  });

  test('but not because of types with accelerators', () => {
    const accelerated = typesNamed(FOUR, { imageLabels: { 'karpenter.k8s.aws/instance-gpu-count': '1' } });
    expect(wholes(asked, refused(asked), accelerated)).toEqual([]);
  });

  test('and what EC2 does not support of one NodeClass stays of it', () => {
    const other = lines(['m7i.large'], A);
    const unsupported = refused(other, { reason: 'Unsupported', nodeClass: 'dev/default' });
    const missing = withZoneRefusals({
      requested: [...asked, ...other],
      types: typesNamed(FOUR),
      missing: [...refused(asked), ...unsupported],
    });
    expect(missing).toEqual(expect.arrayContaining([...unsupported]));
    expect(missing.map(({ reason }) => reason)).toContain('RefusedAcrossFamilies');
  });

  test('if EC2 tried four families, and reports the others as not tried', () => {
    const others = lines(['m7i.large', 'c7i.large'], A);
    const missing = [...refused(asked), ...refused(others, { reason: 'UnfulfillableCapacity' })];
    expect(wholes([...asked, ...others], missing)).toEqual([`${A} spot`]);
  });
});

/** The smallest number of vCPUs that is doubted after EC2 refused these types; undefined if none is. */
function doubtedFrom(...names: readonly string[]): number | undefined {
  const requested = lines(names, A);
  const learned = withZoneRefusals({ requested, types: typesNamed(names), missing: refused(requested) });
  const isDoubted = doubt(learned.map((one) => ({ ...one, untilMs: 1 })));
  return [2, 4, 64, 96].find((vcpus) => isDoubted({ zone: A, capacityType: 'spot' }, vcpus));
}

describe('a refusal says nothing about smaller types (C35)', () => {
  const LARGE = ['m5.16xlarge', 'c5.16xlarge', 'r5.24xlarge', 'm6i.24xlarge'];

  test('only types are doubted that are as large as a refused type of each of enough families', () => {
    expect(doubtedFrom(...LARGE)).toBe(96);
    expect(doubtedFrom(...LARGE, 'r5.16xlarge', 'm6i.16xlarge')).toBe(64);
    expect(doubtedFrom(...FOUR, ...LARGE)).toBe(2);
    expect(doubtedFrom('m5.large', 'c5.large', ...LARGE)).toBe(96);
    expect(doubtedFrom('m5.xlarge', 'c5.large', 'r5.xlarge')).toBe(4);
  });

  test('marks of two sizes are two: one for large types does not last because small ones were refused, or the reverse', () => {
    const marks = [FOUR, LARGE].flatMap((names) => {
      const requested = lines(names, A);
      return withZoneRefusals({ requested, types: typesNamed(names), missing: refused(requested) });
    });
    const keys = marks.filter(({ instanceType }) => instanceType === ANY_OFFERING).map(unavailableKey);
    expect(new Set(keys).size).toBe(2);
  });
});

function minutesAfter(reason: string, times: number): number {
  let mark = marked(undefined, 0, reason);
  for (let time = 1; time < times; time += 1) mark = marked(mark, mark.untilMs, reason);
  return (mark.untilMs - mark.markedAtMs) / MINUTE_MS;
}

describe('how long the marks of a refused zone last', () => {
  const requested = lines(FOUR, A);
  const learned = withZoneRefusals({ requested, types: typesNamed(FOUR), missing: refused(requested) });

  test.each([
    [1, 3],
    [2, 6],
    [3, 12],
    [9, 12],
  ])('refusal %i of the zone holds for %i minutes', (times, minutes) => {
    const whole = learned.find(({ instanceType }) => instanceType === ANY_OFFERING);
    expect(minutesAfter(whole?.reason ?? '', times)).toBe(minutes);
  });

  test('its offerings are tried again with the zone, however often it refused', () => {
    const [offering] = learned;
    expect(offering).toMatchObject({ instanceType: 'm5.large', zone: A });
    expect(minutesAfter(offering?.reason ?? '', 9)).toBe(3);
  });
});

test('the mark of a zone is a hint: no offering is unavailable because of it', () => {
  const requested = lines(FOUR, A);
  const marks = withZoneRefusals({ requested, types: typesNamed(FOUR), missing: refused(requested) }).map((one) => ({
    ...one,
    untilMs: 1,
  }));
  const isDoubted = doubt(marks);
  const isUnavailable = unavailability(marks);
  const [asked, other] = [
    { type: 'm5.large', zone: A, capacityType: 'spot' },
    { type: 'c7i.large', zone: A, capacityType: 'spot' },
  ] as const;
  expect([isUnavailable(asked), isUnavailable(other)]).toEqual([true, false]);
  expect([isDoubted(asked, 2), isDoubted(other, 2)]).toEqual([true, true]);
  expect(isDoubted({ zone: A, capacityType: 'on-demand' }, 2)).toBe(false);
  expect(isDoubted({ zone: B, capacityType: 'spot' }, 2)).toBe(false);
});
