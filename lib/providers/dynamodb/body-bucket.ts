import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { DecisionArchive } from '../../ports/decision-log.ts';
import { UnreadableError } from '../../ports/errors.ts';
import { dynamoDbPortError } from './errors.ts';

/** Stores bodies that are too large for an item. */
export interface Bodies {
  /** *Shape:* the key for `get`; equal bodies have equal keys. */
  put(body: Uint8Array): Promise<string>;
  /** *Errors:* UnreadableError where the body no longer exists; `subject` is its name in the message. */
  get(key: string, subject: string): Promise<Uint8Array>;
}

interface BucketOptions {
  readonly client: S3Client;
  readonly bucket: string;
}

/** The client is created here, because an import of the whole package on demand would bundle all commands of S3. */
export function bucketClient(config: object): S3Client {
  return new S3Client(config);
}

/**
 * Bodies in S3, named by the hash of their content, so writing a body twice leaves one object. A body is written before the
 * item that refers to it. A function that stops in between leaves an unused object, which the bucket deletes after 30 days.
 */
export class BodyBucket implements Bodies {
  readonly #options: BucketOptions;

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  async put(body: Uint8Array): Promise<string> {
    const key = `bodies/${createHash('sha256').update(body).digest('hex')}`;
    await putObject(this.#options, key, body);
    return key;
  }

  async get(key: string, subject: string): Promise<Uint8Array> {
    const body = await getObject(this.#options, key);
    if (body !== undefined) return body;
    throw new UnreadableError(
      `${subject} has no body in the bucket ${this.#options.bucket}: ${key} does not exist; restore it if it was deleted manually`,
    );
  }
}

/** Texts in S3, compressed. The lifecycle rules of the bucket delete them. */
export class BucketArchive implements DecisionArchive {
  readonly #options: BucketOptions;

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  async put(key: string, text: string): Promise<void> {
    await putObject(this.#options, key, gzipSync(text));
  }

  async get(key: string): Promise<string> {
    const body = await getObject(this.#options, key);
    if (body === undefined)
      throw new UnreadableError(
        `${key} does not exist in the bucket ${this.#options.bucket}: it may have reached the end of its lifetime`,
      );
    return gunzipSync(body).toString('utf8');
  }
}

async function putObject({ client, bucket: Bucket }: BucketOptions, Key: string, Body: Uint8Array): Promise<void> {
  const command = new PutObjectCommand({ Bucket, Key, Body });
  await translated(`write ${Key}`, () => client.send(command));
}

/** *Shape:* undefined if it does not exist. */
async function getObject({ client, bucket: Bucket }: BucketOptions, Key: string): Promise<Uint8Array | undefined> {
  const command = new GetObjectCommand({ Bucket, Key });
  try {
    const { Body } = await translated(`read ${Key}`, () => client.send(command));
    return Body && (await translated(`read ${Key}`, () => Body.transformToByteArray()));
  } catch (thrown) {
    if (!(thrown instanceof NoSuchKey)) throw thrown;
    return undefined;
  }
}

async function translated<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    throw thrown instanceof NoSuchKey ? thrown : dynamoDbPortError(thrown, `S3: ${doing}`);
  }
}
