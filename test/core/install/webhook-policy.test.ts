/** `test/cluster/policies/webhook-policy.test.ts` runs the policy on a real API server. */
import { expect, test } from 'vitest';
import { rbacObjects } from '../../../lib/core/install/rbac.ts';
import { webhookConfiguration } from '../../../lib/core/install/webhook-configuration.ts';
import { webhookPolicy } from '../../../lib/core/install/webhook-policy.ts';

const ENDPOINT = { url: 'https://hooks.example.com/', cluster: 'demo', secret: 'of-the-path' };
const [policy, binding] = webhookPolicy(ENDPOINT);
const text = JSON.stringify(policy);

test('the policy allows exactly the resources of the configuration, and nothing with a wildcard', () => {
  const resources = webhookConfiguration(ENDPOINT).webhooks.flatMap(({ rules }) =>
    rules.flatMap((rule) => rule.resources.map((resource) => `${rule.apiGroups[0]}/${resource}`)),
  );
  const allowed = /in \[(.*?)\]/.exec(text.replaceAll('\\"', '"'))?.[1]?.split(', ');
  expect(allowed).toEqual([...new Set(resources)].toSorted().map((one) => `"${one}"`));
  expect(allowed?.join()).not.toMatch(/\*|secrets/);
});

test('a rotated secret needs no other policy, and the policy does not contain the secret', () => {
  expect(webhookPolicy({ ...ENDPOINT, secret: 'another' })).toEqual([policy, binding]);
  expect(text).not.toContain(ENDPOINT.secret);
});

test('it denies writes where it cannot be evaluated, and concerns the groups of Kerf alone', () => {
  expect(policy.spec).toMatchObject({ failurePolicy: 'Fail', matchConditions: [{ name: 'by-kerf' }] });
  expect(binding.spec).toMatchObject({ policyName: policy.metadata.name, validationActions: ['Deny'] });
  const groups = rbacObjects().flatMap((object) => (object.kind === 'ClusterRoleBinding' ? object.subjects : []));
  for (const { name } of groups) expect(name.startsWith('kerf:'), name).toBe(true);
});

test('every way to write a webhook configuration is checked, for each group of Kerf, and its address from the first character', () => {
  const [condition] = 'matchConditions' in policy.spec ? policy.spec.matchConditions : [];
  expect(condition?.expression).toContain("group.startsWith('kerf:')");
  expect(policy.spec).toMatchObject({
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['admissionregistration.k8s.io'],
          apiVersions: ['*'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
        },
      ],
    },
  });
  expect(text.replaceAll('\\"', '"')).toContain('url.startsWith("https://hooks.example.com/demo/")');
});
