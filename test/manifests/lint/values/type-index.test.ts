import { expect, test } from 'vitest';
import { ARCH } from '../../../../lib/apis/labels.ts';
import { shippedFacts } from '../../../../lib/catalogue/figures.ts';
import { instanceLabels } from '../../../../lib/core/instance-type/instance-labels.ts';
import { requirement } from '../../../../lib/core/requirements/requirement.ts';
import { intersects, requirementsFromValues } from '../../../../lib/core/requirements/requirements.ts';
import { countOf, indexTypes } from '../../../../lib/manifests/lint/values/type-index.ts';
import { asking } from '../../../builders/node-pools.ts';

const INSTANCE = 'karpenter.k8s.aws/instance-';
const facts = shippedFacts();
const types = indexTypes(facts);

test.each([
  asking(ARCH, 'In', 'arm64'),
  asking(ARCH, 'NotIn', 'arm64'),
  asking(`${INSTANCE}gpu-count`, 'Exists'),
  asking(`${INSTANCE}gpu-count`, 'DoesNotExist'),
  asking(`${INSTANCE}gpu-name`, 'NotIn', 't4'),
  asking(`${INSTANCE}gpu-count`, 'Gt', '1'),
  asking(`${INSTANCE}local-nvme`, 'Lt', '500'),
  asking(`${INSTANCE}generation`, 'Gte', '7'),
  asking(`${INSTANCE}cpu`, 'Lte', '2'),
  asking(`${INSTANCE}hypervisor`, 'In', ''),
  asking(`${INSTANCE}tenancy`, 'In', 'dedicated'),
  asking(`${INSTANCE}family`, 'Gt', '3'),
])('$key $operator $values is met by the types that the engine finds', (one) => {
  const asked = new Map([[one.key, requirement(one)]]);
  const found = facts.filter((each) => intersects(requirementsFromValues(instanceLabels(each, 'AL2023')), asked));
  expect(countOf(types.meeting(requirement(one)))).toBe(found.length);
});

test('an empty index has no labels and no types', () => {
  const none = indexTypes([]);
  expect([none.size, none.all, none.has(ARCH), none.capacitiesOf(none.all)]).toEqual([0, 0n, false, []]);
});
