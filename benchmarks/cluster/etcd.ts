/**
 * Objects written into etcd over its JSON gateway, a hundred a transaction: 20,000 pods in seconds where the API server takes
 * minutes. It reads what is stored as JSON as it reads its own protobuf, fills in defaults, and tells its watchers.
 */

export interface StoredObject {
  /** Below `/registry/`. */
  readonly key: string;
  /** Undefined: it is deleted. */
  readonly object: unknown;
}

export interface PutOptions {
  readonly etcd: string;
  /** The objects of one transaction are all of one version, which the API server's own writes never are. @default 100 */
  readonly together?: number;
  readonly onProgress?: (done: number) => void;
}

/** etcd takes 128 operations and 1.5 MiB a transaction. */
const TOGETHER = 100;
const AT_ONCE = 4;

/** *Errors:* an Error with etcd's own words. */
export async function putObjects(objects: readonly StoredObject[], options: PutOptions): Promise<void> {
  const { etcd, together = TOGETHER, onProgress } = options;
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let from = next; from < objects.length; from = next) {
      next = from + together;
      const part = objects.slice(from, next);
      await transaction(part, etcd);
      done += part.length;
      onProgress?.(done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function transaction(objects: readonly StoredObject[], etcd: string): Promise<void> {
  const success = objects.map(({ key, object }) => {
    const at = base64(`/registry/${key}`);
    return object === undefined
      ? { request_delete_range: { key: at } }
      : { request_put: { key: at, value: base64(JSON.stringify(object)) } };
  });
  const response = await fetch(`${etcd}/v3/kv/txn`, { method: 'POST', body: JSON.stringify({ success }) });
  if (!response.ok) throw new Error(`etcd: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
