import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { invalid } from './errors.ts';
import type { Place } from './storage.ts';

/** The key of the stack's table: two texts. */
export const KEY_NAMES = ['pk', 'sk'] as const;

/** *Source:* Quotas: 2,048 bytes for a partition key, 1,024 for a sort key. */
const MAX_KEY_BYTES = { pk: 2_048, sk: 1_024 } as const;

/** The place of a complete item. */
export function placeOf(item: Readonly<Record<string, AttributeValue>> | undefined): Place {
  return { pk: keyText(item, 'pk'), sk: keyText(item, 'sk') };
}

/** The place of a key, which must have nothing else. */
export function placeOfKey(key: Readonly<Record<string, AttributeValue>> | undefined): Place {
  if (key === undefined || Object.keys(key).length !== KEY_NAMES.length) {
    throw invalid('The provided key element does not match the schema');
  }
  return placeOf(key);
}

function keyText(item: Readonly<Record<string, AttributeValue>> | undefined, name: 'pk' | 'sk'): string {
  const value = item?.[name];
  if (value === undefined)
    throw invalid(`One or more parameter values were invalid: Missing the key ${name} in the item`);
  if (value.S === undefined) {
    throw invalid(`One or more parameter values were invalid: Type mismatch for key ${name} expected: S`);
  }
  if (value.S === '') {
    throw invalid(`One or more parameter values are not valid. A key attribute cannot be an empty string: ${name}`);
  }
  if (Buffer.byteLength(value.S) > MAX_KEY_BYTES[name]) {
    throw invalid(
      `One or more parameter values were invalid: Size of ${name} has exceeded ${MAX_KEY_BYTES[name]} bytes`,
    );
  }
  return value.S;
}
