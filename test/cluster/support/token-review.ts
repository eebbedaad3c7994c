/**
 * Simulates EKS's authentication of IAM identities: answers the API server's TokenReviews by signing the presigned call
 * again, as STS would, and by a list of identities, like access entries.
 * *Source:* AWS Signature Version 4. Nothing of the code that makes the tokens is used.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../../../scripts/server.ts';
import { at, textAt } from '../../stack/json.ts';

export interface Identity {
  readonly secretAccessKey: string;
  /** @default the key is a user's, and belongs to no session */
  readonly sessionToken?: string | undefined;
  readonly arn: string;
  /** @default none: the identity exists in IAM and has no access entry */
  readonly groups?: readonly string[];
}

export interface TokenReviewOptions {
  /** The cluster name that tokens must contain. */
  readonly cluster: string;
  /** By access key; called for each token. */
  readonly identityOf: (accessKeyId: string) => Identity | undefined;
  /** @default the time of day */
  readonly now?: () => number;
}

export interface TokenReview {
  /** For `tokenWebhookUrl` of a control plane. */
  readonly url: string;
  /** The reasons of the refused tokens, in order. */
  readonly refusals: readonly string[];
  readonly close: () => Promise<void>;
}

/** Start it before the API server, which calls it during its own start. */
export async function startTokenReview(options: TokenReviewOptions): Promise<TokenReview> {
  const refusals: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const review: unknown = JSON.parse(await text(request));
    const verdict = judge(textAt(review, 'spec', 'token'), options);
    if (typeof verdict === 'string') refusals.push(verdict);
    const status =
      typeof verdict === 'string'
        ? { authenticated: false, error: verdict }
        : { authenticated: true, user: { username: verdict.arn, groups: verdict.groups } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ apiVersion: at(review, 'apiVersion'), kind: 'TokenReview', status }));
  };
  const server = createServer((request, response) => void answer(request, response));
  const { endpoint, close } = await listening(server);
  return { url: `${endpoint}/`, refusals, close };
}

const PREFIX = 'k8s-aws-v1.';
const LONGEST_AGE_MS = 15 * 60_000;
const MAX_AHEAD_MS = 5 * 60_000;
const KNOWN = [
  'Action',
  'Version',
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-Security-Token',
  'X-Amz-Signature',
  'X-Amz-SignedHeaders',
];

/** *Shape:* the user, or the reason for the refusal. */
function judge(token: string, { cluster, identityOf, now = Date.now }: TokenReviewOptions): Identity | string {
  const url = token.startsWith(PREFIX)
    ? URL.parse(Buffer.from(token.slice(PREFIX.length), 'base64url').toString())
    : null;
  if (url === null) return 'no token of EKS';
  const [accessKeyId = '', ...scope] = (url.searchParams.get('X-Amz-Credential') ?? '').split('/');
  const malformed = whyMalformed(url, scope) ?? whyNotNow(url, now());
  if (malformed !== undefined) return malformed;
  const identity = identityOf(accessKeyId);
  if (identity === undefined) return `the access key ${accessKeyId} belongs to no identity`;
  if ((url.searchParams.get('X-Amz-Security-Token') ?? undefined) !== identity.sessionToken) {
    return `${accessKeyId} belongs to another session`;
  }
  const expected = signatureOf(url, { scope, cluster, secretAccessKey: identity.secretAccessKey });
  const given = Buffer.from(url.searchParams.get('X-Amz-Signature') ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return `the signature is not that of ${accessKeyId} for cluster ${cluster}`;
  }
  return identity.groups === undefined ? `${identity.arn} has no access entry` : identity;
}

function whyMalformed(url: URL, [, region, service, end]: readonly string[]): string | undefined {
  const host = `sts.${region}.amazonaws.com${region?.startsWith('cn-') === true ? '.cn' : ''}`;
  if (url.protocol !== 'https:' || url.host !== host || url.pathname !== '/') return `${url.origin} is not ${host}`;
  const unknown = [...url.searchParams.keys()].find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) return `${unknown} is not part of a token`;
  if (url.searchParams.get('Action') !== 'GetCallerIdentity') return 'it is not a GetCallerIdentity call';
  if (service !== 'sts' || end !== 'aws4_request') return 'it is signed for another service';
  const headers = url.searchParams.get('X-Amz-SignedHeaders')?.split(';') ?? [];
  return headers.includes('x-k8s-aws-id') && headers.includes('host') ? undefined : 'no cluster is signed';
}

function whyNotNow(url: URL, nowMs: number): string | undefined {
  const date = url.searchParams.get('X-Amz-Date') ?? '';
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const ageMs = nowMs - Date.parse(iso);
  const isNow = ageMs <= LONGEST_AGE_MS && ageMs >= -MAX_AHEAD_MS;
  return isNow ? undefined : `it is of ${date}: ${Math.round(ageMs / 60_000)} minutes old`;
}

interface Signer {
  readonly scope: readonly string[];
  readonly cluster: string;
  readonly secretAccessKey: string;
}

/** The signature of a call with these headers by the secret. */
function signatureOf(url: URL, { scope, cluster, secretAccessKey }: Signer): Buffer {
  const sent: Readonly<Record<string, string>> = { host: url.host, 'x-k8s-aws-id': cluster };
  const names = (url.searchParams.get('X-Amz-SignedHeaders') ?? '').split(';');
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${strictly(name)}=${strictly(value)}`)
    .toSorted()
    .join('&');
  const headers = names.map((name) => `${name}:${sent[name] ?? ''}\n`).join('');
  const request = ['GET', '/', query, headers, names.join(';'), digest('')].join('\n');
  const date = url.searchParams.get('X-Amz-Date') ?? '';
  const toSign = ['AWS4-HMAC-SHA256', date, scope.join('/'), digest(request)].join('\n');
  let key = Buffer.from(`AWS4${secretAccessKey}`);
  for (const part of [...scope, toSign]) key = createHmac('sha256', key).update(part).digest();
  return Buffer.from(key.toString('hex'));
}

function strictly(value: string): string {
  return encodeURIComponent(value).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function digest(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
