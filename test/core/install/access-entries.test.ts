import { describe, expect, test } from 'vitest';
import { type AccessEntry, accessStep, whyEntriesUnsupported } from '../../../lib/core/install/access-entries.ts';

const FUNCTION: AccessEntry = { principal: 'arn:role/lifecycle', type: 'STANDARD', groups: ['kerf:lifecycle'] };
const NODE: AccessEntry = { principal: 'arn:role/node', type: 'EC2_LINUX', groups: [] };

describe('the entry of a role', () => {
  test('is made where there is none', () => {
    expect(accessStep('demo', FUNCTION, undefined)).toEqual({ kind: 'create' });
  });

  test('that already gives access is kept, regardless of its owner', () => {
    expect(accessStep('demo', NODE, { ...NODE, groups: [] })).toEqual({ kind: 'keep' });
    expect(accessStep('demo', FUNCTION, { ...FUNCTION, groups: ['kerf:lifecycle', 'auditors'] })).toEqual({
      kind: 'keep',
    });
  });

  test('gets the group that it lacks, and keeps the others', () => {
    expect(accessStep('demo', FUNCTION, { ...FUNCTION, groups: ['auditors'] })).toEqual({
      kind: 'set-groups',
      groups: ['auditors', 'kerf:lifecycle'],
    });
  });

  test('of another type is refused, with the command that makes room', () => {
    const step = accessStep('demo', NODE, { ...NODE, type: 'STANDARD' });
    expect(step).toMatchObject({ kind: 'refused', message: expect.stringContaining('type STANDARD in cluster demo') });
    expect(step).toMatchObject({
      message: expect.stringContaining('delete-access-entry --cluster-name demo --principal-arn arn:role/node'),
    });
  });
});

test('a cluster that authenticates only by its ConfigMap gets an explanation; the others accept entries', () => {
  expect(whyEntriesUnsupported('demo', 'CONFIG_MAP')).toMatch(/update-cluster-config --name demo .*API_AND_CONFIG_MAP/);
  expect(whyEntriesUnsupported('demo', 'API_AND_CONFIG_MAP')).toBeUndefined();
  expect(whyEntriesUnsupported('demo', 'API')).toBeUndefined();
});
