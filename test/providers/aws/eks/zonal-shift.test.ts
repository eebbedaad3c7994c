import { describe, expect, test } from 'vitest';
import { RefusedError, UnreachableError } from '../../../../lib/ports/errors.ts';
import { zonalShifts } from '../../../../lib/providers/aws/eks/zonal-shift.ts';
import { NOW_MS } from '../../../builders/times.ts';

const ARN = 'arn:aws:eks:us-east-1:123456789012:cluster/demo';
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' };
const SOON = NOW_MS / 1_000 + 3_600;

/** The shapes of GetManagedResource. */
const shift = (over: object = {}) => ({
  appliedStatus: 'APPLIED',
  awayFrom: 'use1-az1',
  expiryTime: SOON,
  startTime: NOW_MS / 1_000,
  comment: 'test',
  resourceIdentifier: ARN,
  zonalShiftId: 'z-1',
  ...over,
});
const resource = (over: object = {}) => ({
  arn: ARN,
  name: 'demo',
  appliedWeights: { 'use1-az1': 0, 'use1-az2': 1 },
  zonalShifts: [],
  autoshifts: [],
  zonalAutoshiftStatus: 'DISABLED',
  ...over,
});

function reader(answer: () => Response) {
  let nowMs = NOW_MS;
  const asked: { readonly url: string; readonly headers: Headers }[] = [];
  const shiftedZones = zonalShifts({
    region: 'us-east-1',
    clusterArn: async () => ARN,
    credentials: async () => CREDENTIALS,
    zoneNames: async () =>
      new Map([
        ['use1-az1', 'us-east-1c'],
        ['use1-az2', 'us-east-1a'],
      ]),
    clock: { now: () => nowMs },
    fetch: async (url: string | URL | Request, init?: RequestInit) => {
      asked.push({ url: new Request(url).url, headers: new Headers(init?.headers) });
      return answer();
    },
  });
  return {
    shiftedZones,
    asked,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const of = async (over: object) => reader(() => Response.json(resource(over))).shiftedZones();

describe('the zones that a cluster is shifted away from (C36)', () => {
  test.each([
    ['an operator’s shift counts', { zonalShifts: [shift()] }, ['us-east-1c']],
    [
      'so does one that AWS began itself',
      { autoshifts: [{ appliedStatus: 'APPLIED', awayFrom: 'use1-az2', startTime: 1 }] },
      ['us-east-1a'],
    ],
    ['one that is not in effect does not', { zonalShifts: [shift({ appliedStatus: 'NOT_APPLIED' })] }, []],
    ['nor one that is over', { zonalShifts: [shift({ expiryTime: NOW_MS / 1_000 })] }, []],
    ['nor one of a zone that the account does not have', { zonalShifts: [shift({ awayFrom: 'use1-az9' })] }, []],
    ['a zone is named once', { zonalShifts: [shift(), shift()], autoshifts: [shift()] }, ['us-east-1c']],
    ['without shifts there is none', {}, []],
    ['an answer of another shape shifts nothing', { zonalShifts: 'soon', autoshifts: [7, {}] }, []],
  ])('%s', async (_, over, expected) => {
    expect(await of(over)).toEqual(expected);
  });

  test('a cluster that is not registered in ARC is not shifted', async () => {
    const { shiftedZones } = reader(() => new Response('{}', { status: 404 }));
    expect(await shiftedZones()).toEqual([]);
  });

  test('the response of ARC is cached for 30 seconds', async () => {
    const { shiftedZones, asked, pass } = reader(() => Response.json(resource({ zonalShifts: [shift()] })));
    await Promise.all([shiftedZones(), shiftedZones()]);
    pass(29_999);
    await shiftedZones();
    expect(asked).toHaveLength(1);
    pass(1);
    await shiftedZones();
    expect(asked).toHaveLength(2);
  });

  test.each([
    [403, RefusedError],
    [429, UnreachableError],
    [500, UnreachableError],
  ])('a status of %i is an error, and is not cached', async (status, kind) => {
    const { shiftedZones, asked } = reader(() => new Response('no', { status }));
    await expect(shiftedZones()).rejects.toBeInstanceOf(kind);
    await expect(shiftedZones()).rejects.toThrow(String(status));
    expect(asked).toHaveLength(2);
  });

  test('a missing response and a response that is not JSON are retryable', async () => {
    const broken = reader(() => {
      throw new TypeError('fetch failed');
    });
    await expect(broken.shiftedZones()).rejects.toBeInstanceOf(UnreachableError);
    await expect(reader(() => new Response('<html>')).shiftedZones()).rejects.toBeInstanceOf(UnreachableError);
  });
});

describe('the call', () => {
  test('it names the cluster by its ARN, escaped, and is signed for the service', async () => {
    const { shiftedZones, asked } = reader(() => Response.json(resource()));
    await shiftedZones();
    expect(asked[0]?.url).toBe(
      'https://arc-zonal-shift.us-east-1.amazonaws.com/managedresources/arn%3Aaws%3Aeks%3Aus-east-1%3A123456789012%3Acluster%2Fdemo',
    );
    const { headers } = asked[0] ?? {};
    expect(headers?.get('x-amz-date')).toBe('20260131T080000Z');
    expect(headers?.get('x-amz-security-token')).toBe('token');
    expect(headers?.get('authorization')).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20260131\/us-east-1\/arc-zonal-shift\/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    );
    // By a second signer, which passed AWS's own vectors: only the path escaped twice gives it.
    expect(headers?.get('authorization')).toContain(
      'Signature=56a6508abc3475d06e44a20fe93acf452ce2565d07f7742c1c786f705aea6c50',
    );
  });
});
