import { formatTime } from '../../apis/formats/time.ts';
import { namespaceOf, type ObjectMeta } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import type { ObjectPatch } from '../../core/model/object-patch.ts';
import type { Clock } from '../../ports/clock.ts';
import { ConflictError } from '../../ports/errors.ts';

/** Storage of API objects: names, versions and deletion. */

/** Counts writes and notifies of them. */
export interface Versioned {
  version: number;
  onChange: () => void;
}

export function changed(server: Versioned): void {
  server.version += 1;
  server.onChange();
}

/** An object of a custom resource. */
export interface CustomObject<Status = unknown> {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly status?: Status;
}

type Objects<Kind> = Map<string, Kind>;

export function objectKeyOf(object: { readonly metadata: ObjectMeta }): string {
  return `${namespaceOf(object)}/${object.metadata.name}`;
}

/** Only CapacityBuffers are namespaced; a namespace on an object of another kind is ignored. */
function nameOf({ kind, metadata }: CustomObject): string {
  return kind === 'CapacityBuffer' ? objectKeyOf({ metadata }) : metadata.name;
}

export function uidOf(kind: string, object: { readonly metadata: ObjectMeta }): string {
  return `${kind.toLowerCase()}-${objectKeyOf(object)}`;
}

/** Creates an object. The server sets the UID and the generation. */
export function createCustom<Kind extends CustomObject>(server: Versioned, objects: Objects<Kind>, object: Kind): void {
  const metadata = { ...object.metadata, uid: uidOf(object.kind, object), generation: 1 };
  writeCustom(server, objects, { ...object, metadata });
}

/** Writes an object. Removes it if it is being deleted and has no finalizer. */
export function writeCustom<Kind extends CustomObject>(server: Versioned, objects: Objects<Kind>, object: Kind): void {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  const resourceVersion = String(server.version + 1);
  if (deletionTimestamp !== undefined && finalizers.length === 0) objects.delete(nameOf(object));
  else objects.set(nameOf(object), { ...object, metadata: { ...object.metadata, resourceVersion } });
  changed(server);
}

/** Patches an object. *Shape:* the patched object; undefined if it does not exist. *Errors:* ConflictError. */
export function patchSimulatedCustom<Status, Kind extends CustomObject<Status>>(
  server: Versioned,
  objects: Objects<Kind>,
  { object, patch }: { readonly object: Kind; readonly patch: ObjectPatch<Status> },
): Kind | undefined {
  const found = objects.get(nameOf(object));
  if (found === undefined) return undefined;
  const { kind, metadata } = found;
  const { name, resourceVersion } = object.metadata;
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw new ConflictError(
      `${kind} ${name} has resourceVersion ${metadata.resourceVersion}, not ${resourceVersion}: read it again`,
    );
  }
  const { annotations, finalizers, status } = patch;
  writeCustom(server, objects, {
    ...found,
    metadata: {
      ...metadata,
      ...(annotations !== undefined && { annotations: { ...metadata.annotations, ...annotations } }),
      ...optional({ finalizers }),
    },
    ...optional({ status }),
  });
  return objects.get(nameOf(object));
}

/** Deletes an object. With finalizers, it only gets a deletionTimestamp. *Shape:* whether something changed. */
export function deleteCustom<Kind extends CustomObject>(
  server: Versioned,
  objects: Objects<Kind>,
  { object, clock }: { readonly object: Kind | undefined; readonly clock: Clock },
): boolean {
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return false;
  const deletionTimestamp = formatTime(clock.now());
  writeCustom(server, objects, { ...object, metadata: { ...object.metadata, deletionTimestamp } });
  return true;
}
