import type { Readable } from 'node:stream';
import { isRecord } from '../../../apis/record.ts';
import { fieldsOf, type RawObject } from '../project/project.ts';
import type { ApiClient } from './api-client.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: RawObject;
}

/** `gone`: the start version is too old. `broken`: no connection, an invalid event, or the end of the stream. */
export type WatchEnd = 'enough' | 'gone' | 'broken' | 'silent';

export interface Watch {
  readonly path: string;
  /** Changes after this version. */
  readonly from: string;
  /** *Shape:* true to stop reading. */
  readonly onEvent: (event: WatchEvent) => boolean;
  readonly patience: Patience;
  /** Ends the watch as broken. */
  readonly signal: AbortSignal;
  /** Called repeatedly with the time since the last data. *Shape:* how to end, or undefined to continue. */
  readonly onQuiet: (quietMs: number) => 'enough' | 'silent' | undefined;
}

/** The timeouts of a watch. */
export interface Patience {
  /** After this time without data there may be no more changes. @default 250 ms */
  readonly quietMs: number;
  /** The wait for known missing changes after the server has responded. @default 1 s */
  readonly silentMs: number;
  /** The wait for a bookmark where no change proves that the stream works. @default 3.5 s */
  readonly bookmarkMs: number;
  /** The total limit, for a long backlog on a slow connection. @default 8 s */
  readonly longestMs: number;
}

export const WATCH_TIMEOUTS: Patience = { quietMs: 250, silentMs: 1_000, bookmarkMs: 3_500, longestMs: 8_000 };

/** The server sends a bookmark two seconds before the requested end. */
const SERVER_SECONDS = '4';

/** Reads changes until the reader stops, and closes the stream. *Errors:* none; failures are returned as ends. */
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
    // Data that arrived while this process was busy is read first.
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

function eventOf(line: string): { readonly type: unknown; readonly object: RawObject } | undefined {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { type, object } = fieldsOf(event);
  return isRecord(object) ? { type, object } : undefined;
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
