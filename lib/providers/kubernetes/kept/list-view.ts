import type { ObjectMeta } from '../../../apis/kubernetes.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { Listing } from '../client/lists.ts';
import { isAtLeast, isVersion, justBefore } from '../client/resource-version.ts';
import type { WatchEvent } from '../client/watch.ts';
import { fieldsOf, type RawObject } from '../project/project.ts';

export interface Named {
  readonly metadata: ObjectMeta;
}

/** The objects of a kind at one version, updated by the events of a watch in order. */
export class ListView<T extends Named> {
  readonly #objects: Map<string, T>;
  readonly #project: (raw: RawObject) => T | undefined;
  #version: string;
  /** The last known change, which a watch can request again. */
  #newest: string | undefined;
  #inOrder: readonly T[] | undefined;
  #changes = 0;

  constructor({ items, resourceVersion }: Listing<T>, project: (raw: RawObject) => T | undefined) {
    this.#objects = new Map(items.map((item) => [keyOf(item.metadata), item]));
    this.#project = project;
    this.#version = resourceVersion;
    this.#inOrder = items;
    const newest = items.map(versionOf).reduce((last, one) => (isAtLeast(one, last) ? one : last), '1');
    this.#newest = newest === '1' ? undefined : newest;
  }

  /** The version up to which all changes are known. */
  get version(): string {
    return this.#version;
  }

  /** The number of changes since the view was created. */
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

  /** The start of a watch, just before a known change, which must be sent again. This proves that the stream works. */
  get echoFrom(): string | undefined {
    return this.#newest === undefined ? undefined : justBefore(this.#newest);
  }

  /** Clears the last known change, because the server no longer has that version. */
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

  /** Several changes may have the same version, if one etcd transaction wrote them. */
  #isKnown(version: string, type: WatchEvent['type'], key: string): boolean {
    if (version !== this.#version) return isAtLeast(this.#version, version);
    const known = this.#objects.get(key);
    return type === 'DELETED' ? known === undefined : known !== undefined && versionOf(known) === version;
  }
}

/** The order of etcd. */
function keyOf({ namespace = '', name }: ObjectMeta): string {
  return `${namespace}/${name}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function versionOf({ metadata }: Named): string {
  return metadata.resourceVersion ?? '';
}
