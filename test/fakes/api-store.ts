import { randomUUID } from 'node:crypto';
import { formatTime, parseTime } from '../../lib/apis/formats/time.ts';
import { compareText } from '../../lib/core/compare-text.ts';
import { jsonPatch } from './json-patch.ts';

/** Objects of a Kubernetes API server in memory: versions, patches, finalizers, preconditions, budgets. */

export type Json = Readonly<Record<string, unknown>>;

/** The path of an object: `/api/v1`, `pods`, `default`, `web-1`. */
export interface Address {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

export type Answer = { readonly status: number; readonly body: Json };

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly address: Address;
  /** The object after the change. A deleted object has its last state and the version of the deletion. */
  readonly object: Json;
}

export class ApiStore {
  readonly #objects = new Map<string, { readonly address: Address; readonly object: Json }>();
  /** What was applied last. */
  readonly #applied = new Map<string, Json>();
  readonly #listeners = new Set<(change: Change) => void>();
  #changes: Change[] = [];
  #oldest = 100;
  #version = 100;

  get version(): string {
    return String(this.#version);
  }

  /** *Shape:* undefined if the changes after this version are not in the history any more. */
  changesSince(version: number): readonly Change[] | undefined {
    return version < this.#oldest ? undefined : this.#changes.filter((change) => change.version > version);
  }

  /** *Shape:* a function that ends the subscription. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Deletes the history. */
  compact(): void {
    this.#oldest = this.#version;
    this.#changes = [];
  }

  /** Increments the version, as a change of another kind does. */
  pass(): void {
    this.#version += 1;
  }

  remove(address: Address): void {
    const before = this.get(address);
    if (before === undefined) return;
    this.#version += 1;
    this.#objects.delete(keyOf(address));
    this.#note('DELETED', address, { ...before, metadata: { ...metadataOf(before), resourceVersion: this.version } });
  }

  #note(type: Change['type'], address: Address, object: Json): void {
    const change = { type, version: this.#version, address, object };
    this.#changes.push(change);
    for (const listener of this.#listeners) listener(change);
  }

  list(where: { readonly group: string; readonly resource: string; readonly namespace?: string }): readonly Json[] {
    return [...this.#objects.values()]
      .filter(({ address }) => address.group === where.group && address.resource === where.resource)
      .filter(({ address }) => where.namespace === undefined || address.namespace === where.namespace)
      .toSorted((a, b) => compareText(keyOf(a.address), keyOf(b.address)))
      .map(({ object }) => object);
  }

  get(address: Address): Json | undefined {
    return this.#objects.get(keyOf(address))?.object;
  }

  /** Replaces the object, as another client would. Fields that the server sets are kept or created. */
  put(address: Address, object: Json): Json {
    const before = metadataOf(this.get(address));
    this.#version += 1;
    const metadata = {
      ...metadataOf(object),
      name: address.name,
      ...(address.namespace === undefined ? {} : { namespace: address.namespace }),
      uid: before['uid'] ?? metadataOf(object)['uid'] ?? randomUUID(),
      creationTimestamp: before['creationTimestamp'] ?? '2026-01-31T08:00:00Z',
      resourceVersion: this.version,
      ...(address.group.includes('karpenter') && {
        generation: Number(before['generation'] ?? 0) + (isSameSpec(this.get(address), object) ? 0 : 1),
      }),
    };
    const stored = { ...object, metadata };
    const isNew = this.get(address) === undefined;
    this.#objects.set(keyOf(address), { address, object: stored });
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadataOf(stored);
    // The kubelet removes a pod at the end of its grace period.
    if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizersOf(stored).length === 0) {
      this.#objects.delete(keyOf(address));
      this.#note('DELETED', address, stored);
      return stored;
    }
    this.#note(isNew ? 'ADDED' : 'MODIFIED', address, stored);
    return stored;
  }

  patch(address: Address, change: Json, options: { readonly subresource?: string; readonly create: boolean }): Answer {
    const before = this.get(address);
    if (before === undefined && !options.create) return notFound(address);
    const wanted = metadataOf(change)['resourceVersion'];
    if (wanted !== undefined && wanted !== metadataOf(before)['resourceVersion']) {
      return failure(409, 'Conflict', `the object has been modified; please apply your changes to the latest version`);
    }
    const uid = metadataOf(change)['uid'];
    if (uid !== undefined && before === undefined) return failure(409, 'Conflict', `uid mismatch: no existing object`);
    if (uid !== undefined && uid !== metadataOf(before)['uid']) return immutable('metadata.uid');
    const { status, ...main } = change;
    // A write to a subresource changes only this subresource.
    const written =
      options.subresource === 'status' ? { status } : options.create ? this.#apply(address, main) : change;
    return { status: before === undefined ? 201 : 200, body: this.put(address, mergePatch(before ?? {}, written)) };
  }

  /** A JSON patch of the status of a pod. The server allows no nomination of a pod with a node. */
  patchStatus(address: Address, operations: readonly unknown[], manager: string): Answer {
    const before = this.get(address);
    if (before === undefined) return notFound(address);
    const after = jsonPatch(before, operations);
    const isBound = fieldsOf(before['spec'])['nodeName'] !== undefined;
    if (after === 'test failed' || isBound) return failure(422, 'Invalid', 'the request cannot be applied');
    const isNominated = fieldsOf(after['status'])['nominatedNodeName'] !== undefined;
    const written = isNominated ? [{ manager, operation: 'Update', subresource: 'status' }] : [];
    const managedFields = [{ manager: 'kubectl', operation: 'Update' }, ...written];
    return { status: 200, body: this.put(address, { ...after, metadata: { ...metadataOf(after), managedFields } }) };
  }

  /** Server-side apply removes the labels and annotations that the last apply had and this one omits. */
  #apply(address: Address, change: Json): Json {
    const [last, next] = [metadataOf(this.#applied.get(keyOf(address))), metadataOf(change)];
    this.#applied.set(keyOf(address), change);
    const removed = (field: string): Json =>
      Object.fromEntries(Object.keys(fieldsOf(last[field])).map((key) => [key, null]));
    const fields = ['labels', 'annotations'].map((field) => [field, { ...removed(field), ...fieldsOf(next[field]) }]);
    return { ...change, metadata: { ...next, ...Object.fromEntries(fields) } };
  }

  delete(address: Address, options: Json): Answer {
    const object = this.get(address);
    if (object === undefined) return notFound(address);
    const uid = fieldsOf(options['preconditions'])['uid'];
    if (uid !== undefined && uid !== metadataOf(object)['uid']) {
      return failure(409, 'Conflict', `Precondition failed: UID in precondition: ${JSON.stringify(uid)}`);
    }
    const graceSeconds = Number(options['gracePeriodSeconds'] ?? 0);
    if (graceSeconds > 0 && fieldsOf(object['spec'])['nodeName'] !== undefined) {
      const metadata = endingAfter(metadataOf(object), graceSeconds);
      return { status: 200, body: this.put(address, { ...object, metadata }) };
    }
    if (finalizersOf(object).length === 0) {
      this.remove(address);
      return { status: 200, body: object };
    }
    const metadata = { deletionTimestamp: DELETED_AT, ...metadataOf(object) };
    return { status: 200, body: this.put(address, { ...object, metadata }) };
  }

  /** The Eviction API: checks budgets, then deletes with preconditions. */
  evict(address: Address, eviction: Json): Answer {
    const pod = this.get(address);
    if (pod === undefined) return notFound(address);
    const budgets = this.list({ group: '/apis/policy/v1', resource: 'poddisruptionbudgets', ...namespaceOf(address) });
    const covering = budgets.filter((budget) => covers(budget, pod));
    if (covering.length > 1) {
      const message =
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
      return failure(500, 'InternalError', message);
    }
    const [budget] = covering;
    const allowed = Number(fieldsOf(budget?.['status'])['disruptionsAllowed'] ?? 0);
    const deleteOptions = fieldsOf(eviction['deleteOptions']);
    if (budget === undefined) return this.delete(address, deleteOptions);
    if (allowed <= 0) {
      const refused = failure(
        429,
        'TooManyRequests',
        "Cannot evict pod as it would violate the pod's disruption budget.",
      );
      const cause = { reason: 'DisruptionBudget', message: 'The disruption budget needs 1 healthy pods and has 1' };
      return { ...refused, body: { ...fieldsOf(refused.body), details: { causes: [cause] } } };
    }
    const answer = this.delete(address, deleteOptions);
    if (answer.status < 300) {
      const name = String(metadataOf(budget)['name']);
      const at = { group: '/apis/policy/v1', resource: 'poddisruptionbudgets', name, ...namespaceOf(address) };
      this.put(at, { ...budget, status: { ...fieldsOf(budget['status']), disruptionsAllowed: allowed - 1 } });
    }
    return answer;
  }
}

export function failure(status: number, reason: string, message: string): Answer {
  return { status, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code: status } };
}

/** The API server refuses another value of the field. */
const DELETED_AT = '2026-01-31T08:00:01Z';

/** The metadata of a pod that ends. A later deletion can only shorten its grace period, which is counted from the first one. */
function endingAfter(metadata: Json, graceSeconds: number): Json {
  const before = metadata['deletionGracePeriodSeconds'];
  if (typeof before === 'number' && graceSeconds >= before) return metadata;
  const deletionTimestamp = formatTime(parseTime(DELETED_AT) + graceSeconds * 1_000);
  return { ...metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
}

function immutable(field: string): Answer {
  const message = `${field}: Invalid value: field is immutable`;
  const { status, body } = failure(422, 'Invalid', message);
  return { status, body: { ...body, details: { causes: [{ reason: 'FieldValueInvalid', message, field }] } } };
}

export function notFound(address: Omit<Address, 'name'> & { readonly name?: string }): Answer {
  return failure(404, 'NotFound', `${address.resource} "${address.name ?? ''}" not found`);
}

export function fieldsOf(value: unknown): Json {
  return isFields(value) ? value : {};
}

/** RFC 7386: null deletes, objects are merged, other values are replaced. */
function mergePatch(before: Json, change: Json): Json {
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete merged[name];
    else if (value !== undefined) merged[name] = isFields(value) ? mergePatch(fieldsOf(before[name]), value) : value;
  }
  return merged;
}

function covers(budget: Json, pod: Json): boolean {
  const wanted = Object.entries(fieldsOf(fieldsOf(fieldsOf(budget['spec'])['selector'])['matchLabels']));
  const labels = fieldsOf(metadataOf(pod)['labels']);
  return wanted.every(([key, value]) => labels[key] === value);
}

/** Whether a write keeps the object's generation. */
function isSameSpec(before: Json | undefined, after: Json): boolean {
  return before !== undefined && JSON.stringify(before['spec']) === JSON.stringify(after['spec']);
}

function metadataOf(object: Json | undefined): Json {
  return fieldsOf(object?.['metadata']);
}

function finalizersOf(object: Json): readonly unknown[] {
  const { finalizers } = metadataOf(object);
  return Array.isArray(finalizers) ? finalizers : [];
}

function namespaceOf({ namespace }: Address): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

function keyOf({ group, resource, namespace = '', name }: Address): string {
  return [group, resource, namespace, name].join('/');
}

function isFields(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
