import { isRecord, ownField } from '../../apis/record.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import type { StoredPassMemory } from '../../core/model/disruption/pass-memory.ts';
import type { PastMove } from '../../core/model/disruption/past-move.ts';
import type { StoredCommand } from '../../core/model/disruption-command.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { UnusedLaunches } from '../../core/model/provisioning/unused-launches.ts';

/**
 * Distinguishes stored documents by fields that every version has. Only Kerf writes to the table, so this detects mistakes,
 * not attacks.
 */
export function isNodeClaimRecord(value: unknown): value is NodeClaimRecord {
  return isClaim(value) && hasLists(value, ['options', 'types']) && isLaunch(ownField(value, 'launch'));
}

/**
 * The fields of every record: decisions about a cluster read those of all its claims, so a record without one of them would stop the
 * work on the others.
 */
export function isClaim(value: unknown): boolean {
  const spec = ownField(value, 'spec');
  const deletion = ownField(value, 'deletion');
  return (
    hasTexts(value, ['cluster', 'name', 'nodePool', 'decisionId']) &&
    hasObjects(value, ['labels', 'annotations', 'spec', 'holds', 'allocatable']) &&
    hasLists(value, ['pods']) &&
    hasObjects(spec, ['nodeClassRef', 'resources']) &&
    hasLists(spec, ['requirements']) &&
    typeof ownField(value, 'createdAtMs') === 'number' &&
    (deletion === undefined || hasTexts(deletion, ['reason']))
  );
}

const UNLAUNCHED: readonly unknown[] = ['planned', 'requested', 'refused'];

export function isLaunch(value: unknown): boolean {
  const kind = ownField(value, 'kind');
  if (kind !== 'launched') return UNLAUNCHED.includes(kind);
  return hasTexts(ownField(value, 'instance'), ['id', 'instanceType', 'zone']);
}

/** Every pass reads all commands. A state that this version does not have must not be taken for another one. */
export function isDisruptionCommand(value: unknown): value is StoredCommand {
  const state = ownField(value, 'state') ?? 'proposed';
  const isWhole = hasTexts(value, ['id', 'method', 'reason']) && isListOf(ownField(value, 'candidates'), isCandidate);
  if (state === 'replacing') return isWhole && hasLists(value, ['replacements', 'replacementClaims']);
  return isWhole && state === 'proposed' && isAbsentOrList(ownField(value, 'replacements'));
}

function isCandidate(value: unknown): boolean {
  return hasTexts(value, ['nodeClaim', 'nodePool', 'node']);
}

/** Every list may be absent. */
export function isPassMemory(value: unknown): value is StoredPassMemory {
  return isRecord(value) && PASS_MEMORY_LISTS.every((list) => isAbsentOrList(ownField(value, list)));
}

const PASS_MEMORY_LISTS: readonly (keyof StoredPassMemory)[] = ['rejected', 'stopped', 'failing'];

export function isUnusedLaunches(value: unknown): value is readonly UnusedLaunches[] {
  const numbers = ['launches', 'firstMs', 'lastMs'];
  return isListOf(
    value,
    (one) => hasTexts(one, ['pod']) && numbers.every((name) => typeof ownField(one, name) === 'number'),
  );
}

export function isPastMove(value: unknown): value is PastMove {
  return hasTexts(value, ['command']) && hasLists(value, ['launched']) && hasObjects(value, ['evicted']);
}

export function isCatalogue(value: unknown): value is Catalogue {
  return hasTexts(value, ['region', 'asOf']) && hasObjects(value, ['facts', 'offerings']);
}

export function hasTexts(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof ownField(value, name) === 'string');
}

function hasLists(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => Array.isArray(ownField(value, name)));
}

/** A list of objects, or no field. */
function isAbsentOrList(value: unknown): boolean {
  return value === undefined || isListOf(value, isRecord);
}

export function isListOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

export function hasObjects(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof ownField(value, name) === 'object' && ownField(value, name) !== null);
}
