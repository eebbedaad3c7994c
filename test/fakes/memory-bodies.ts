import { createHash } from 'node:crypto';
import { UnreadableError } from '../../lib/ports/errors.ts';
import type { Bodies } from '../../lib/providers/dynamodb/body-bucket.ts';

/** The bucket of bodies, in memory. */
export interface MemoryBodies extends Bodies {
  /** By key; a test may delete them. */
  readonly objects: Map<string, Uint8Array>;
}

export function memoryBodies(): MemoryBodies {
  const objects = new Map<string, Uint8Array>();
  return {
    objects,
    async put(body) {
      const key = `bodies/${createHash('sha256').update(body).digest('hex')}`;
      objects.set(key, body);
      return key;
    },
    async get(key, subject) {
      const body = objects.get(key);
      if (body === undefined) throw new UnreadableError(`${subject} has no body: ${key} does not exist`);
      return body;
    },
  };
}
