import { UnreachableError } from '../../../ports/errors.ts';
import type { ApiClient } from '../client/api-client.ts';
import { type ListOptions, listWithVersion } from '../client/lists.ts';
import { isAtLeast } from '../client/resource-version.ts';
import type { RunEnd } from '../client/run-end.ts';
import { type Patience, type WatchEnd, watchKind } from '../client/watch.ts';
import type { KeptBytes } from './kept-bytes.ts';
import { type ListHead, readHead } from './list-head.ts';
import { ListView, type Named } from './list-view.ts';
import { SharedParts } from './shared-parts.ts';

export interface KeptListOptions<T> {
  readonly client: ApiClient;
  readonly kind: ListOptions<T>;
  readonly kept: KeptBytes;
  /** Smaller lists are read completely each time, which costs no more than a watch. */
  readonly keptFrom: number;
  readonly patience: Patience;
  readonly runEnd: RunEnd;
}

interface CatchUp<T extends Named> {
  readonly view: ListView<T>;
  readonly head: ListHead<T>;
  readonly signal: AbortSignal;
}

const TRIES = 2;
/** The size of a list is estimated again when a quarter of it has changed. */
const WEIGHED_AFTER = 4;

/**
 * All objects of a kind, cached between reads and updated by a watch, which ends with the read.
 *
 * A read is up to date when the watch has sent an event or a bookmark at the version of the head or later. In a quiet cluster
 * there may be none. Then a read is up to date when the stream has sent the last known change again and nothing after it for
 * a while, and the view matches the head. A lost event is only delayed: the next watch starts at the last received event.
 */
export class KeptList<T extends Named> {
  readonly #options: KeptListOptions<T>;
  #view: ListView<T> | undefined;
  #changesWeighed = 0;
  /** One read at a time, because reads share the view. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: KeptListOptions<T>) {
    this.#options = options;
  }

  /** *Shape:* in the order of the API server's lists. *Errors:* UnreachableError, also where the run ends meanwhile. */
  async read(head?: ListHead<T>): Promise<readonly T[]> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    try {
      return (await this.#catchUp(head)) ?? (await this.#load());
    } finally {
      resolve();
    }
  }

  /** After a write by this function, the next read lists all objects again, so it includes the write. */
  async changing<Result>(write: Promise<Result>): Promise<Result> {
    try {
      return await write;
    } finally {
      this.#forget();
    }
  }

  async #load(): Promise<readonly T[]> {
    const { client, kind, kept, keptFrom, runEnd } = this.#options;
    this.#forget();
    const listing = await listWithVersion(client, { ...kind, signal: runEnd.signal });
    if (listing.items.length < keptFrom || !kept.take(kind.path, listing.items)) return listing.items;
    const parts = new SharedParts();
    this.#changesWeighed = 0;
    this.#view = new ListView(listing, (raw) => kind.project(parts.share(raw)));
    return listing.items;
  }

  async #catchUp(given: ListHead<T> | undefined): Promise<readonly T[] | undefined> {
    const { client, kind, kept, runEnd } = this.#options;
    const { signal } = runEnd;
    const view = this.#view;
    if (view === undefined) return undefined;
    const head = given ?? (await readHead<T>(client, kind.path));
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      if (isAtLeast(view.version, head.resourceVersion)) return this.#kept(view);
      const end = await this.#watch({ view, head, signal });
      if (end === 'enough') return this.#kept(view);
      if (signal.aborted) throw new UnreachableError(`Kubernetes API: watch ${kind.path}: its run has ended`);
      kept.tell('watch did not catch up', { path: kind.path, end, from: view.version, head: head.resourceVersion });
      if (end !== 'gone') continue;
      if (view.echoFrom === undefined) return undefined;
      view.forgetEcho();
    }
    return undefined;
  }

  /** A view that has become too large is returned once more and then dropped. */
  #kept(view: ListView<T>): readonly T[] {
    const { kind, kept } = this.#options;
    const items = view.list();
    if (view.changes - this.#changesWeighed < view.size / WEIGHED_AFTER) return items;
    this.#changesWeighed = view.changes;
    if (!kept.take(kind.path, items)) this.#forget();
    return items;
  }

  #forget(): void {
    this.#view = undefined;
    this.#options.kept.giveBack(this.#options.kind.path);
  }

  async #watch({ view, head, signal }: CatchUp<T>): Promise<WatchEnd> {
    const { client, kind, patience } = this.#options;
    const isThere = (): boolean => isAtLeast(view.version, head.resourceVersion);
    let heard = false;
    return await watchKind(client, {
      path: kind.path,
      patience,
      signal,
      from: view.echoFrom ?? view.version,
      onEvent: (event) => {
        heard = true;
        view.apply(event);
        return isThere();
      },
      onQuiet: (quietMs) => {
        if (heard && head.agrees(view)) return 'enough';
        return quietMs >= (heard ? patience.silentMs : patience.bookmarkMs) ? 'silent' : undefined;
      },
    });
  }
}
