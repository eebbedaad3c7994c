import { expect, test } from 'vitest';
import { shownInstance } from '../../../lib/controllers/instances/shown-instance.ts';
import { mirrorOf } from '../../../lib/core/node-claim/mirror/mirror.ts';
import { read } from '../../../lib/core/observed.ts';
import { UNREAD } from '../../builders/claim-view.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';

const CLAIM = aClaim();

function idOf(providerID: string, claimed: readonly string[] = []): string | undefined {
  const mirror = mirrorOf(launchedClaim());
  const mirrors = read([{ ...mirror, status: { ...mirror.status, providerID } }]);
  const shown = shownInstance(CLAIM, { mirrors, claimed: new Set(claimed) });
  return shown.kind === 'read' ? shown.value?.id : undefined;
}

test('the object of a claim without a launch shows its instance, unless another claim has it or it is not of EC2', () => {
  expect(idOf('aws:///eu-west-3a/i-1')).toBe('i-1');
  expect(idOf('aws:///eu-west-3a/i-1', ['i-1'])).toBeUndefined();
  expect(idOf('kwok://i-1')).toBeUndefined();
  expect(shownInstance(CLAIM, { mirrors: read([]), claimed: new Set() })).toEqual(read(undefined));
  expect(shownInstance(CLAIM, { mirrors: UNREAD, claimed: new Set() })).toBe(UNREAD);
  expect(shownInstance(launchedClaim(), { mirrors: UNREAD, claimed: new Set() })).toEqual(read(undefined));
});
