import { expect, test } from 'vitest';
import { groupOf, rbacObjects } from '../../../lib/core/install/rbac.ts';

const roles = rbacObjects().filter((object) => object.kind === 'ClusterRole');
const bindings = rbacObjects().filter((object) => object.kind === 'ClusterRoleBinding');

test('each group is bound to the role of its function, and to no other', () => {
  expect(bindings.map(({ roleRef, subjects: [{ name }] }) => [name, roleRef.name])).toEqual([
    [groupOf('disruption'), 'kerf-disruption'],
    [groupOf('lifecycle'), 'kerf-lifecycle'],
    [groupOf('provisioning'), 'kerf-provisioning'],
    [groupOf('termination'), 'kerf-termination'],
  ]);
  expect(roles.map(({ metadata }) => metadata.name)).toEqual(bindings.map(({ roleRef }) => roleRef.name));
});

test('no rule says "all" of anything', () => {
  const words = roles.flatMap(({ rules }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) => [apiGroups, resources, verbs].flat()),
  );
  expect(words).not.toContain('*');
});

test('only those that move pods and nodes may write to them', () => {
  const writers = roles.filter(({ rules }) =>
    rules.some(({ resources, verbs }) => resources.includes('nodes') && verbs.includes('delete')),
  );
  expect(writers.map(({ metadata }) => metadata.name)).toEqual(['kerf-termination']);
});
