import type { ServerResponse } from 'node:http';
import { type ApiStore, type Change, failure, type Json } from './api-store.ts';

/** How the next watch fails. */
export type WatchFault =
  | { readonly kind: 'none' }
  /** The response has this status. */
  | { readonly kind: 'status'; readonly status: number }
  /** The watch starts, and then sends an error event. */
  | { readonly kind: 'error'; readonly code: number }
  /** After this number of events, the connection breaks, or it stays open without further events. */
  | { readonly kind: 'break' | 'stall'; readonly after: number }
  | { readonly kind: 'garbage' };

/** The watches of a fake API server: the changes since a version in order, then new changes. */
export class ApiWatches {
  /** Whether a watch gets a bookmark with its version after the initial changes. */
  bookmarks = false;
  /** The open responses. */
  readonly open = new Set<ServerResponse>();
  readonly #store: ApiStore;
  readonly #faults: WatchFault[] = [];

  constructor(store: ApiStore) {
    this.#store = store;
  }

  failNext(...faults: readonly WatchFault[]): void {
    this.#faults.push(...faults);
  }

  clearFaults(): void {
    this.#faults.length = 0;
  }

  serve({ path, query }: { readonly path: string; readonly query: URLSearchParams }, response: ServerResponse): void {
    const fault = this.#faults.shift() ?? { kind: 'none' };
    if (fault.kind === 'status') {
      response.writeHead(fault.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(failure(fault.status, 'Scripted', 'scripted').body));
      return;
    }
    this.open.add(response);
    response.on('close', () => this.open.delete(response));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const from = Number(query.get('resourceVersion'));
    const changes = this.#store.changesSince(from);
    if (fault.kind === 'garbage') response.write('no JSON\n');
    else if (fault.kind === 'error') send(response, 'ERROR', failure(fault.code, 'Expired', 'scripted').body);
    else if (changes === undefined) send(response, 'ERROR', failure(410, 'Expired', 'too old').body);
    else this.#follow(response, { changes, path, from, fault });
  }

  #follow(
    response: ServerResponse,
    course: {
      readonly changes: readonly Change[];
      readonly path: string;
      readonly from: number;
      readonly fault: WatchFault;
    },
  ): void {
    const { changes, path, fault } = course;
    let left = 'after' in fault ? fault.after : Infinity;
    const isTold = ({ address }: Change): boolean => {
      if (`${address.group}/${address.resource}` !== path || left <= 0) return false;
      left -= 1;
      return true;
    };
    const past = changes.filter(isTold).map(({ type, object }) => lineOf(type, object));
    for (const piece of piecesOf(past.join(''))) response.write(piece);
    if (fault.kind === 'break') {
      response.destroy();
      return;
    }
    const { version } = this.#store;
    // The real server sends none if there are no changes.
    if (this.bookmarks && fault.kind === 'none' && Number(version) > course.from) {
      send(response, 'BOOKMARK', { metadata: { resourceVersion: version } });
    }
    const tell = (change: Change): void => {
      if (isTold(change)) send(response, change.type, change.object);
    };
    response.on('close', this.#store.listen(tell));
  }
}

function send(response: ServerResponse, type: string, object: Json): void {
  response.write(lineOf(type, object));
}

function lineOf(type: string, object: Json): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** On a network, chunks do not end at line ends. */
function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,777}/g) ?? [];
}
