import type { Readable } from 'node:stream';
import type { ApiClient } from './api-client.ts';
import { type Fields, fieldsOf, isFields } from './project.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: Fields;
}

/** `gone`: the version to watch from is too old. `broken`: no connection, no sense, or its end. */
export type WatchEnd = 'enough' | 'gone' | 'broken' | 'silent';

export interface Watch {
  readonly path: string;
  /** Changes after this version. */
  readonly from: string;
  /** *Shape:* true where no more needs to be read. */
  readonly onEvent: (event: WatchEvent) => boolean;
  readonly patience: Patience;
  /** The watch ends with it, broken. */
  readonly signal: AbortSignal;
  /** Nothing came for so long, again and again. *Shape:* how to end, or undefined to read on. */
  readonly onQuiet: (quietMs: number) => 'enough' | 'silent' | undefined;
}

/** How long a watch is waited for. */
export interface Patience {
  /** Where nothing came for so long, there may be nothing. @default 250 ms */
  readonly quietMs: number;
  /** A server that answered and is known to have more gets so long to send it. @default 1 s */
  readonly silentMs: number;
  /** As long as its bookmark may take, where nothing else proves that the stream is alive. @default 3.5 s */
  readonly bookmarkMs: number;
  /** A long backlog on a slow line; a server that sends on and on is not caught up with. @default 8 s */
  readonly longestMs: number;
}

export const PATIENCE: Patience = { quietMs: 250, silentMs: 1_000, bookmarkMs: 3_500, longestMs: 8_000 };

/** The server sends its bookmark two seconds before the end that it is told. */
const SERVER_SECONDS = '4';

/** Reads changes until the reader has enough. Nothing of it is left open. *Errors:* none: they are its ends. */
export async function watchKind(client: ApiClient, watch: Watch): Promise<WatchEnd> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, watch.signal]);
  const deadline = setTimeout(() => stop.abort(), watch.patience.longestMs);
  const query = {
    watch: '1',
    resourceVersion: watch.from,
    allowWatchBookmarks: 'true',
    timeoutSeconds: SERVER_SECONDS,
  };
  try {
    const { status, body } = await client.stream({ method: 'GET', path: watch.path, query }, signal);
    if (status === 200) return await follow(body, watch);
    body.destroy();
    return status === 410 ? 'gone' : 'broken';
  } catch {
    return 'broken';
  } finally {
    clearTimeout(deadline);
    stop.abort();
  }
}

async function follow(body: Readable, { onEvent, onQuiet, patience }: Watch): Promise<WatchEnd> {
  const { promise, resolve } = Promise.withResolvers<WatchEnd>();
  const lines = lineReader();
  let quietMs = 0;
  let chunks = 0;
  const quiet = setInterval(() => {
    const before = chunks;
    // Where our own work kept us from reading, what came meanwhile is read first.
    setImmediate(() => {
      if (chunks > before) return;
      quietMs += patience.quietMs;
      const end = onQuiet(quietMs);
      if (end !== undefined) resolve(end);
    });
  }, patience.quietMs);
  body.on('data', (chunk: Buffer) => {
    chunks += 1;
    quietMs = 0;
    quiet.refresh();
    for (const line of lines(chunk)) {
      const end = endOf(line, onEvent);
      if (end !== undefined) return resolve(end);
    }
  });
  for (const over of ['end', 'error', 'close']) body.on(over, () => resolve('broken'));
  try {
    return await promise;
  } finally {
    clearInterval(quiet);
    body.destroy();
  }
}

function endOf(line: string, onEvent: Watch['onEvent']): WatchEnd | undefined {
  const event = eventOf(line);
  if (event === undefined) return 'broken';
  const { type, object } = event;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return onEvent({ type, object }) ? 'enough' : undefined;
    case 'ERROR':
      return object['code'] === 410 ? 'gone' : 'broken';
    default:
      return 'broken';
  }
}

function eventOf(line: string): { readonly type: unknown; readonly object: Fields } | undefined {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { type, object } = fieldsOf(event);
  return isFields(object) ? { type, object } : undefined;
}

/** *Shape:* the lines that a chunk completes. */
function lineReader(): (chunk: Buffer) => readonly string[] {
  let open: Buffer[] = [];
  return (chunk) => {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      lines.push(Buffer.concat([...open, chunk.subarray(start, end)]).toString('utf8'));
      open = [];
      start = end + 1;
    }
    if (start < chunk.length) open.push(chunk.subarray(start));
    return lines.filter((line) => line !== '');
  };
}
