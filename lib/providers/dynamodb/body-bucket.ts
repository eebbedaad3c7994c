import { createHash } from 'node:crypto';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { UnreadableError } from '../../ports/errors.ts';
import { dynamoDbPortError } from './errors.ts';

/** Stores bodies that are too large for an item. */
export interface Bodies {
  /** *Shape:* the key for `get`; equal bodies have equal keys. */
  put(body: Uint8Array): Promise<string>;
  /** *Errors:* UnreadableError where the body no longer exists; `subject` is its name in the message. */
  get(key: string, subject: string): Promise<Uint8Array>;
}

/**
 * Bodies in S3, named by the hash of their content, so writing a body twice leaves one object. A body is written before the
 * item that refers to it. A function that stops in between leaves an unused object, which the bucket deletes after 30 days.
 */
export class BodyBucket implements Bodies {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor({ client, bucket }: { readonly client: S3Client; readonly bucket: string }) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async put(body: Uint8Array): Promise<string> {
    const Key = `bodies/${createHash('sha256').update(body).digest('hex')}`;
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key, Body: body });
    await translated(`write ${Key}`, () => this.#client.send(command));
    return Key;
  }

  async get(key: string, subject: string): Promise<Uint8Array> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key });
    try {
      const { Body } = await translated(`read ${key}`, () => this.#client.send(command));
      if (Body !== undefined) return await translated(`read ${key}`, () => Body.transformToByteArray());
    } catch (thrown) {
      if (!(thrown instanceof NoSuchKey)) throw thrown;
    }
    throw new UnreadableError(
      `${subject} has no body in the bucket ${this.#bucket}: ${key} does not exist; restore it if it was deleted manually`,
    );
  }
}

async function translated<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    throw thrown instanceof NoSuchKey ? thrown : dynamoDbPortError(thrown, `S3: ${doing}`);
  }
}
