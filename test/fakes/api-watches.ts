import type { ServerResponse } from 'node:http';
import { type ApiStore, type Change, failure, type Json } from './api-store.ts';

/** What becomes of the next watch instead of its course. */
export type WatchFault =
  | { readonly kind: 'none' }
  /** It is answered with this status. */
  | { readonly kind: 'status'; readonly status: number }
  /** It begins, and says in an event that this is all. */
  | { readonly kind: 'error'; readonly code: number }
  /** So many events come, and then the connection breaks; or nothing more comes, and it stays. */
  | { readonly kind: 'break' | 'stall'; readonly after: number }
  | { readonly kind: 'garbage' };

/** The watches of a fake API server: what happened since a version, in order, then what happens. */
export class ApiWatches {
  /** Whether a watch is told the version that it is at, when all before is sent. */
  bookmarks = false;
  /** Responses that are open. */
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
    // The real server sends none where there is nothing to say.
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

/** Lines and pieces have nothing to do with each other on a network. */
function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,777}/g) ?? [];
}
