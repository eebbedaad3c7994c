import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { LaunchOption } from '../../../lib/core/model/node-claim-record.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { packBody, packRecord, unpackBody } from '../../../lib/providers/dynamodb/body.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aRecord } from '../../contract/records.ts';

/** As many as 60 types have in six zones, spot and on demand: 60 KB of JSON. */
const OPTIONS: readonly LaunchOption[] = Array.from({ length: 720 }, (_, at) => ({
  instanceType: `m${at % 8}i.${at % 60}xlarge`,
  zone: `us-east-1${'abcdef'[at % 6]}`,
  capacityType: at % 2 === 0 ? 'spot' : 'on-demand',
  priceUsdPerHour: ((at * 7_919) % 10_007) / 10_000,
}));

const NAMES = [
  'c6g.large',
  'c6g.xlarge',
  'c7g.large',
  'c7g.xlarge',
  'm6g.large',
  'm6g.xlarge',
  'm7g.large',
  'r7g.large',
];
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';

function isAnything(value: unknown): value is unknown {
  return value !== undefined;
}

describe('the body of an item', () => {
  test('fifty claims with a hundred pods each are far from its limit: what they have in common is stored once', () => {
    const claims = Array.from({ length: 50 }, (_, at) =>
      aRecord({
        name: `general-${at}`,
        options: OPTIONS,
        pods: Array.from({ length: 100 }, () => `default/web-${randomBytes(5).toString('hex')}`),
      }),
    );
    const one = packBody(claims[0], 'a claim').byteLength;
    expect(packBody(claims, 'a decision').byteLength).toBeLessThan(100 * 1_024);
    expect(one).toBeGreaterThan(2_500);
  });

  test('comes back as it was', () => {
    const record = aRecord();
    expect(unpackBody(packBody(record, 'a claim'), isAnything, 'a claim')).toEqual(record);
  });

  test('of a launched claim is half as large with the dictionary, and comes back as it was', () => {
    const record = launchedClaim({
      spec: { ...aRecord().spec, requirements: [{ key: INSTANCE_TYPE, operator: 'In', values: NAMES }] },
    });
    const packed = packRecord(record, 'a claim');
    expect(packed.byteLength).toBeLessThan(packBody(record, 'a claim').byteLength / 2);
    expect(unpackBody(packed, isAnything, 'a claim')).toEqual(record);
  });

  test('of a claim with its launch options is compressed without the dictionary', () => {
    const record = aRecord({ options: OPTIONS });
    expect(packRecord(record, 'a claim')).toEqual(packBody(record, 'a claim'));
  });

  test('without the dictionary never begins with the mark of the dictionary', () => {
    for (const value of ['', 0, [], aRecord(), 'x'.repeat(100_000), randomBytes(200_000).toString('hex')])
      expect(packBody(value, 'x')[0]).not.toBe(0);
  });

  test.each([
    ['no bytes', 'text'],
    ['half of a record', packRecord(aRecord(), 'a claim').subarray(0, 40)],
    ['other bytes', new Uint8Array([1, 2, 3])],
    ['half of it', packBody(aRecord(), 'a claim').subarray(0, 40)],
    ['nothing', new Uint8Array()],
  ])('that is %s is refused, with its name', (_, body) => {
    const unpack = () => unpackBody(body, isAnything, 'NodeClaim item x');
    expect(unpack).toThrow(RefusedError);
    expect(unpack).toThrow(/NodeClaim item x/);
  });
});
