import type { ObjectMeta } from '../../apis/kubernetes.ts';
import { compareText } from '../../core/compare-text.ts';
import type { Listing } from './lists.ts';
import { type Fields, fieldsOf } from './project.ts';
import { isAtLeast, isVersion, justBefore } from './resource-version.ts';
import type { WatchEvent } from './watch.ts';

export interface Named {
  readonly metadata: ObjectMeta;
}

/** The objects of a kind as of one version, moved on by the events of a watch in their order. */
export class View<T extends Named> {
  readonly #objects: Map<string, T>;
  readonly #project: (raw: Fields) => T | undefined;
  #version: string;
  /** The last change that is known of: it can be asked for again. */
  #newest: string | undefined;
  #inOrder: readonly T[] | undefined;
  #changes = 0;

  constructor({ items, resourceVersion }: Listing<T>, project: (raw: Fields) => T | undefined) {
    this.#objects = new Map(items.map((item) => [keyOf(item.metadata), item]));
    this.#project = project;
    this.#version = resourceVersion;
    this.#inOrder = items;
    const newest = items.map(versionOf).reduce((last, one) => (isAtLeast(one, last) ? one : last), '1');
    this.#newest = newest === '1' ? undefined : newest;
  }

  /** Everything up to it is known. */
  get version(): string {
    return this.#version;
  }

  /** How many there were since it was made. */
  get changes(): number {
    return this.#changes;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(metadata: Named['metadata']): T | undefined {
    return this.#objects.get(keyOf(metadata));
  }

  /** In the order of the API server's lists. */
  list(): readonly T[] {
    this.#inOrder ??= [...this.#objects].toSorted(([one], [other]) => compareText(one, other)).map(([, item]) => item);
    return this.#inOrder;
  }

  /** From where to watch, so that one change that is known comes again: a stream that brings nothing is not believed. */
  get echoFrom(): string | undefined {
    return this.#newest === undefined ? undefined : justBefore(this.#newest);
  }

  /** The server does not remember that far back. */
  forgetEcho(): void {
    this.#newest = undefined;
  }

  apply({ type, object }: WatchEvent): void {
    const metadata = fieldsOf(object['metadata']);
    const version = textOf(metadata['resourceVersion']);
    const key = `${textOf(metadata['namespace'])}/${textOf(metadata['name'])}`;
    if (!isVersion(version) || this.#isKnown(version, type, key)) return;
    this.#version = version;
    if (type === 'BOOKMARK') return;
    this.#newest = version;
    this.#changes += 1;
    this.#inOrder = undefined;
    const item = type === 'DELETED' ? undefined : this.#project(object);
    if (item === undefined) this.#objects.delete(key);
    else this.#objects.set(key, item);
  }

  /** Of one version may be several changes, where somebody writes them to etcd at once. */
  #isKnown(version: string, type: WatchEvent['type'], key: string): boolean {
    if (version !== this.#version) return isAtLeast(this.#version, version);
    const known = this.#objects.get(key);
    return type === 'DELETED' ? known === undefined : known !== undefined && versionOf(known) === version;
  }
}

/** As etcd orders them. */
function keyOf({ namespace = '', name }: ObjectMeta): string {
  return `${namespace}/${name}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function versionOf({ metadata }: Named): string {
  return metadata.resourceVersion ?? '';
}
