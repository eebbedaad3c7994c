/** Kerf's tokens, on a real API server whose token webhook is a stand-in for EKS. */
import { readFileSync } from 'node:fs';
import { EKSClient } from '@aws-sdk/client-eks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import { RefusedError } from '../../lib/ports/errors.ts';
import type { AwsCredentials } from '../../lib/providers/aws/client/request-signer.ts';
import { EksAccess } from '../../lib/providers/aws/eks/eks-access.ts';
import { eksToken } from '../../lib/providers/aws/eks/eks-token.ts';
import { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import type { ControlPlane } from '../../scripts/control-plane.ts';
import { startOwnControlPlane } from '../rig/own-control-plane.ts';
import { at } from '../stack/json.ts';
import { installRoles } from './support/identities.ts';
import { startTokenReview, type TokenReview } from './support/token-review.ts';

const CLUSTER = 'demo';
const REGION = 'eu-west-3';
const LIFECYCLE: AwsCredentials = {
  accessKeyId: 'ASIALIFECYCLE',
  secretAccessKey: 'secret/of+lifecycle',
  sessionToken: "tok'en(/+=)*!",
};
const STRANGER: AwsCredentials = { accessKeyId: 'ASIASTRANGER', secretAccessKey: 'secret' };
const ARN = 'arn:aws:sts::123456789012:assumed-role/lifecycle/run';

let review: TokenReview;
let controlPlane: ControlPlane;

beforeAll(async () => {
  review = await startTokenReview({
    cluster: CLUSTER,
    identityOf: (accessKeyId) => {
      if (accessKeyId === LIFECYCLE.accessKeyId) return { ...LIFECYCLE, arn: ARN, groups: ['kerf:lifecycle'] };
      if (accessKeyId === STRANGER.accessKeyId) return { ...STRANGER, arn: 'arn:aws:iam::123456789012:user/stranger' };
      return undefined;
    },
  });
  controlPlane = await startOwnControlPlane({ tokenWebhookUrl: review.url });
  await installRoles();
});
afterAll(async () => {
  await controlPlane.stop();
  await review.close();
});

const clients: ApiClient[] = [];
afterAll(() => clients.forEach((client) => client.close()));

function clientWith(token: (refused?: string) => Promise<string>): ApiClient {
  const { endpoint, certificateAuthority } = controlPlane;
  const client = new ApiClient({ endpoint, certificateAuthority: readFileSync(certificateAuthority, 'utf8'), token });
  clients.push(client);
  return client;
}

const WHO = {
  method: 'POST',
  path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
} as const;
const GOOD = { cluster: CLUSTER, region: REGION, credentials: LIFECYCLE };

async function whoIs(token: string): Promise<unknown> {
  const { status, body } = await clientWith(async () => token).send(WHO);
  return status === 201 ? at(body, 'status', 'userInfo') : status;
}

describe('a token', () => {
  test('of a role with an access entry makes its bearer a member of the groups of the entry', async () => {
    expect(await whoIs(await eksToken({ ...GOOD, nowMs: Date.now() }))).toMatchObject({
      username: ARN,
      groups: ['kerf:lifecycle', 'system:authenticated'],
    });
  });

  test('is good for 15 minutes from its date', async () => {
    expect(await whoIs(await eksToken({ ...GOOD, nowMs: Date.now() - 14 * MINUTE_MS }))).toMatchObject({
      username: ARN,
    });
    expect(await whoIs(await eksToken({ ...GOOD, nowMs: Date.now() - 16 * MINUTE_MS }))).toBe(401);
  });

  test.each([
    ['for another cluster', { ...GOOD, cluster: 'another' }],
    ['signed with a wrong key', { ...GOOD, credentials: { ...LIFECYCLE, secretAccessKey: 'guessed' } }],
    ['of a key that IAM does not know', { ...GOOD, credentials: { ...LIFECYCLE, accessKeyId: 'ASIAUNKNOWN' } }],
    ['without the session that its key belongs to', { ...GOOD, credentials: { ...LIFECYCLE, sessionToken: 'other' } }],
    ['of a role without an access entry', { ...GOOD, credentials: STRANGER }],
  ])('%s is not accepted', async (_name, request) => {
    expect(await whoIs(await eksToken({ ...request, nowMs: Date.now() }))).toBe(401);
  });

  test.each([
    ['whose date was moved', (url: string) => url.replace(/X-Amz-Expires=60/, 'X-Amz-Expires=900')],
    ['that calls another host', (url: string) => url.replace('sts.eu-west-3.', 'sts.eu-west-1.')],
    [
      'that calls anything',
      (url: string) => url.replace('https://sts.eu-west-3.amazonaws.com', 'https://evil.example'),
    ],
    ['that asks for something else', (url: string) => url.replace('GetCallerIdentity', 'GetSessionToken')],
    ['with more in it', (url: string) => `${url}&Extra=1`],
    ['that is not an address', () => 'nothing of the kind'],
  ])('%s is not accepted', async (_name, tamper) => {
    const token = await eksToken({ ...GOOD, nowMs: Date.now() });
    const url = Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString();
    expect(await whoIs(`k8s-aws-v1.${Buffer.from(tamper(url)).toString('base64url')}`)).toBe(401);
  });
});

describe('the access of a function that is warm', () => {
  let credentials: AwsCredentials;
  let now: number;
  let asked: boolean[];

  function access(): EksAccess {
    return new EksAccess({
      client: new EKSClient({ region: REGION }),
      cluster: CLUSTER,
      region: REGION,
      credentials: async (fresh) => {
        asked.push(fresh);
        return credentials;
      },
      clock: { now: () => now },
    });
  }

  beforeEach(() => {
    credentials = LIFECYCLE;
    now = Date.now();
    asked = [];
  });

  test('credentials that were replaced meanwhile are found by the call that is refused, which is made again', async () => {
    credentials = { ...LIFECYCLE, secretAccessKey: 'of before' };
    const eks = access();
    await eks.token();
    credentials = LIFECYCLE;
    const client = clientWith(async (refused) => await eks.token(refused));
    expect(await client.expect({ method: 'GET', path: '/api/v1/nodes' })).toMatchObject({ items: [] });
    expect(asked).toEqual([false, true]);
  });

  test('a token that lapsed while the function slept is replaced before it is shown', async () => {
    now -= 20 * MINUTE_MS;
    const eks = access();
    await eks.token();
    now = Date.now();
    const refusals = review.refusals.length;
    const client = clientWith(async (refused) => await eks.token(refused));
    expect(await client.expect({ method: 'GET', path: '/api/v1/nodes' })).toMatchObject({ items: [] });
    expect(review.refusals).toHaveLength(refusals);
  });

  test('many calls at once that are refused share one new token', async () => {
    credentials = { ...LIFECYCLE, secretAccessKey: 'of before' };
    const eks = access();
    await eks.token();
    credentials = LIFECYCLE;
    const client = clientWith(async (refused) => await eks.token(refused));
    const calls = Array.from({ length: 10 }, async () => await client.expect({ method: 'GET', path: '/api/v1/nodes' }));
    expect(await Promise.all(calls)).toHaveLength(10);
  });

  test('an identity without an access entry is refused with that reason, after one retry', async () => {
    credentials = STRANGER;
    const eks = access();
    const client = clientWith(async (refused) => await eks.token(refused));
    await expect(client.expect({ method: 'GET', path: '/api/v1/nodes' })).rejects.toThrow(/401.*access entry/);
    await expect(client.expect({ method: 'GET', path: '/api/v1/nodes' })).rejects.toBeInstanceOf(RefusedError);
  });

  test('a call that the group does not allow is refused with that reason, and not retried', async () => {
    const eks = access();
    const client = clientWith(async (refused) => await eks.token(refused));
    await expect(client.expect({ method: 'GET', path: '/api/v1/secrets' })).rejects.toThrow(/403.*ClusterRole/);
    expect(asked).toEqual([false]);
  });
});
