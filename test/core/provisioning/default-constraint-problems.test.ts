import { describe, expect, test } from 'vitest';
import type { TopologySpreadConstraint } from '../../../lib/apis/kubernetes.ts';
import { defaultConstraints } from '../../../lib/core/provisioning/default-constraint-problems.ts';
import type { FieldProblem } from '../../../lib/core/validation/field-problem.ts';

const BY_ZONE: TopologySpreadConstraint = {
  maxSkew: 1,
  topologyKey: 'topology.kubernetes.io/zone',
  whenUnsatisfiable: 'ScheduleAnyway',
};

const NO_PLACE = 'has no place here: each pod is counted with those of its Services and its controller';

describe('the default constraints of a configuration', () => {
  test('are taken as they are (B22)', () => {
    const written: readonly TopologySpreadConstraint[] = [
      { ...BY_ZONE, nodeTaintsPolicy: 'Honor' },
      { ...BY_ZONE, whenUnsatisfiable: 'DoNotSchedule', minDomains: 3 },
      { ...BY_ZONE, topologyKey: 'kubernetes.io/hostname' },
    ];
    expect(defaultConstraints(written)).toEqual({ kind: 'accepted', constraints: written });
  });

  test('an empty list of matchLabelKeys is none (B22)', () => {
    expect(defaultConstraints([{ ...BY_ZONE, matchLabelKeys: [] }])).toEqual({
      kind: 'accepted',
      constraints: [BY_ZONE],
    });
  });

  test.each<[string, Partial<TopologySpreadConstraint>, FieldProblem]>([
    [
      'a selector',
      { labelSelector: { matchLabels: { app: 'web' } } },
      { path: [0, 'labelSelector'], message: NO_PLACE, allowed: 'the constraint without it' },
    ],
    [
      'an empty selector',
      { labelSelector: {} },
      { path: [0, 'labelSelector'], message: NO_PLACE, allowed: 'the constraint without it' },
    ],
    [
      'keys of labels',
      { matchLabelKeys: ['pod-template-hash'] },
      { path: [0, 'matchLabelKeys'], message: NO_PLACE, allowed: 'the constraint without it' },
    ],
    [
      'no skew at all',
      { maxSkew: 0 },
      { path: [0, 'maxSkew'], message: 'is 0', allowed: 'a whole number of one or more' },
    ],
    [
      'no topology',
      { topologyKey: '' },
      {
        path: [0, 'topologyKey'],
        message: '"" is no label name',
        allowed:
          'a name of at most 63 letters, digits, "-", "_" or ".", with a letter or digit at both ends, such as topology.kubernetes.io/zone',
      },
    ],
  ])('with %s are refused (B22)', (_, over, problem) => {
    expect(defaultConstraints([{ ...BY_ZONE, ...over }])).toEqual({ kind: 'refused', problems: [problem] });
  });

  test('with another word of what to do are refused (B22)', () => {
    const written: readonly TopologySpreadConstraint[] = JSON.parse(
      '[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"Never"}]',
    );
    expect(defaultConstraints(written)).toEqual({
      kind: 'refused',
      problems: [{ path: [0, 'whenUnsatisfiable'], message: 'is "Never"', allowed: 'DoNotSchedule or ScheduleAnyway' }],
    });
  });

  test('that say one thing twice are refused (B22)', () => {
    expect(defaultConstraints([BY_ZONE, { ...BY_ZONE, maxSkew: 2 }])).toEqual({
      kind: 'refused',
      problems: [
        {
          path: [1],
          message: 'repeats the topologyKey and whenUnsatisfiable of constraint 0',
          allowed: 'one constraint of them',
        },
      ],
    });
  });
});
