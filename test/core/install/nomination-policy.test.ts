/** `test/cluster/policies/nomination-policy.test.ts` runs the policy on a real API server. */
import { expect, test } from 'vitest';
import { nominationPolicy } from '../../../lib/core/install/nomination-policy.ts';
import { rbacObjects } from '../../../lib/core/install/rbac.ts';

const [policy, binding] = nominationPolicy();

test('every write to the status of a pod is checked, and denied where the policy cannot be evaluated (B66)', () => {
  expect(policy.spec).toMatchObject({
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [{ operations: ['CREATE', 'UPDATE'], resources: ['pods/status'] }] },
    matchConditions: [{ name: 'by-kerf' }],
  });
  expect(binding.spec).toMatchObject({ policyName: policy.metadata.name, validationActions: ['Deny'] });
});

test('only provisioning has the right that the policy limits, and no role may write pods themselves (B66)', () => {
  const rules = rbacObjects().flatMap((object) =>
    object.kind === 'ClusterRole' ? object.rules.map((rule) => ({ role: object.metadata.name, ...rule })) : [],
  );
  const writing = rules.filter(({ resources }) => resources.includes('pods/status'));
  expect(writing.map(({ role, verbs }) => [role, verbs])).toEqual([['kerf-provisioning', ['patch']]]);
  for (const { resources, verbs } of rules) if (resources.includes('pods')) expect(verbs).not.toContain('patch');
});
