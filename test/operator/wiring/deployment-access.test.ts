import { expect, test } from 'vitest';
import type { DeploymentRoles } from '../../../lib/operator/options/installer-options.ts';
import { ownAccess, unwantedAccess, wantedAccess } from '../../../lib/operator/wiring/deployment-access.ts';

const PREFIX = 'arn:aws-cn:iam::123456789012:role/';
const ROLES: DeploymentRoles = {
  prefix: PREFIX,
  functions: {
    provisioning: `${PREFIX}provisioning`,
    lifecycle: `${PREFIX}lifecycle`,
    disruption: `${PREFIX}disruption`,
    termination: `${PREFIX}termination`,
  },
  installer: `${PREFIX}installer`,
};

/** As `ROLE TYPE GROUPS`. */
function shown({ entries }: ReturnType<typeof wantedAccess>): readonly string[] {
  return entries.map(({ principal, type, groups }) => [principal.replace(PREFIX, ''), type, ...groups].join(' '));
}

const FUNCTIONS = [
  'provisioning STANDARD kerf:provisioning',
  'lifecycle STANDARD kerf:lifecycle',
  'disruption STANDARD kerf:disruption',
  'termination STANDARD kerf:termination',
];

test('the functions have access, each with its own group, and the node role of Karpenter’s guide', () => {
  expect(shown(wantedAccess({ name: 'blue', install: false }, ROLES))).toEqual([
    ...FUNCTIONS,
    'KarpenterNodeRole-blue EC2_LINUX',
  ]);
});

test('the roles of nodes that the configuration names have access, those of Windows in their own way', () => {
  const options = { name: 'blue', nodeRole: 'nodes', windowsNodeRole: 'windows-nodes' };
  expect(shown(wantedAccess(options, ROLES)).slice(4)).toEqual([
    'nodes EC2_LINUX',
    'windows-nodes EC2_WINDOWS',
    'installer STANDARD',
  ]);
});

test('a role that the stack creates for nodes has access', () => {
  expect(shown(wantedAccess({ name: 'blue', makeNodeRole: true }, ROLES))[4]).toBe('KerfNodeRole-blue EC2_LINUX');
});

test('the installer has an entry without groups, and becomes administrator only where it installs', () => {
  expect(shown(wantedAccess({ name: 'blue' }, ROLES)).at(-1)).toBe('installer STANDARD');
  expect(wantedAccess({ name: 'blue' }, ROLES).administrator).toEqual({
    principal: `${PREFIX}installer`,
    policy: 'arn:aws-cn:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy',
  });
  expect(wantedAccess({ name: 'blue', install: false }, ROLES).administrator).toBeUndefined();
  expect(wantedAccess({ name: 'blue', accessEntries: false }, ROLES).administrator).toBeUndefined();
});

test('no entries are wanted where they are created elsewhere, and those of an earlier configuration are removed', () => {
  expect(shown(wantedAccess({ name: 'blue', accessEntries: false }, ROLES))).toEqual([]);
  expect(shown(unwantedAccess({ name: 'blue', accessEntries: false }, ROLES))).toEqual([
    ...FUNCTIONS,
    'installer STANDARD',
  ]);
  expect(shown(unwantedAccess({ name: 'blue', install: false }, ROLES))).toEqual(['installer STANDARD']);
  expect(shown(unwantedAccess({ name: 'blue' }, ROLES))).toEqual([]);
});

test('from a former cluster the access of the deployment’s own roles is removed, the installer’s last', () => {
  expect(shown(ownAccess('green', ROLES))).toEqual([...FUNCTIONS, 'installer STANDARD']);
});
