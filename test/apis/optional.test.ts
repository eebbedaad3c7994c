import { expect, test } from 'vitest';
import { optional } from '../../lib/apis/optional.ts';

test('fields with a value are kept in their order, and fields that are undefined are left out', () => {
  const zone: string | undefined = undefined;
  expect(Object.entries({ ...optional({ name: 'a', zone, count: 0, note: null, text: '', isSet: false }) })).toEqual([
    ['name', 'a'],
    ['count', 0],
    ['note', null],
    ['text', ''],
    ['isSet', false],
  ]);
});
