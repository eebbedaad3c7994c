import type { Instance } from '../../core/model/node-claim-record.ts';

/** The resource-based host name of an instance. */
export function nodeNameOf(instance: Pick<Instance, 'id' | 'zone'>): string {
  return `${instance.id}.${instance.zone.slice(0, -1)}.compute.internal`;
}
