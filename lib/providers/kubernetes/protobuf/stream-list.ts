import { errorMessage } from '../../../core/error-message.ts';
import { UnreachableError } from '../../../ports/errors.ts';
import type { ApiClient, ApiStream } from '../client/api-client.ts';
import { listDecoder, type ProtobufList } from './list-decoder.ts';

export interface StreamedListOptions<T> {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly protobuf: ProtobufList<T>;
  /** Ends the list. @default its time limits */
  readonly signal?: AbortSignal;
}

export interface StreamedListing<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** The timeout of a list. */
const WITHIN_MS = 60_000;

/**
 * Lists all objects of a kind in one response, and reduces each one while reading.
 *
 * *Shape:* undefined where the response is not a protobuf list: the server supports only JSON, rejects the request, or is not
 * reachable. The caller then reads pages of JSON, which report the error. *Errors:* UnreachableError for an incomplete or
 * invalid response, and after the signal.
 */
export async function streamList<T>(
  client: ApiClient,
  options: StreamedListOptions<T>,
): Promise<StreamedListing<T> | undefined> {
  const stream = await answerOf(client, options);
  if (stream === undefined) return undefined;
  try {
    return await readList(client.bytes(stream), options);
  } catch (cause) {
    const why = errorMessage(cause);
    throw new UnreachableError(`Kubernetes API: list ${options.path}: the response is incomplete: ${why}`, { cause });
  } finally {
    stream.body.destroy();
  }
}

async function answerOf<T>(
  client: ApiClient,
  { path, query = {}, signal }: StreamedListOptions<T>,
): Promise<ApiStream | undefined> {
  const request = { method: 'GET', path, query, accept: PROTOBUF } as const;
  const limit = AbortSignal.timeout(WITHIN_MS);
  try {
    const stream = await client.stream(request, signal === undefined ? limit : AbortSignal.any([limit, signal]));
    if (stream.status === 200 && stream.contentType.startsWith(PROTOBUF)) return stream;
    stream.body.destroy();
    return undefined;
  } catch (error) {
    if (error instanceof UnreachableError && signal?.aborted !== true) return undefined;
    throw error;
  }
}

async function readList<T>(
  bytes: AsyncIterable<Buffer>,
  { protobuf }: StreamedListOptions<T>,
): Promise<StreamedListing<T>> {
  const decoder = listDecoder(protobuf);
  const items: T[] = [];
  for await (const chunk of bytes) for (const item of decoder.push(chunk)) items.push(item);
  const end = decoder.end();
  if (end.continue !== '') throw new Error('the server sent only a part of the list');
  return { items, resourceVersion: end.resourceVersion };
}
