import { isRecord, ownField } from '../../apis/record.ts';
import type { DecisionRecord } from './decision-record.ts';

const TEXTS = ['id', 'cluster', 'function', 'wokenBy', 'version'];
const LISTS = ['decisions', 'actions', 'refusals'];

/** Whether a stored value is a record of this version. Only Kerf writes records, so this detects mistakes, not attacks. */
export function isDecisionRecord(value: unknown): value is DecisionRecord {
  return (
    isRecord(value) &&
    ownField(value, 'formatVersion') === 1 &&
    typeof ownField(value, 'atMs') === 'number' &&
    isRecord(ownField(value, 'refused')) &&
    TEXTS.every((name) => typeof ownField(value, name) === 'string') &&
    LISTS.every((name) => Array.isArray(ownField(value, name)))
  );
}
