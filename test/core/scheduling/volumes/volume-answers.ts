import type { NodeSelectorTerm, Pod } from '../../../../lib/apis/kubernetes.ts';
import type { Storage, StorageClass } from '../../../../lib/apis/storage.ts';
import { toNodeSelector } from '../../../../lib/core/requirements/requirements.ts';
import { storageIndex } from '../../../../lib/core/scheduling/volumes/storage-index.ts';
import { volumeNeeds } from '../../../../lib/core/scheduling/volumes/volumes.ts';
import { aPod } from '../../../builders/pods.ts';
import { aStorageClass, aVolume, aVolumeClaim, someStorage } from '../../../builders/storage.ts';

export const ZONE = 'topology.kubernetes.io/zone';
export const DELETED = '2026-01-01T00:00:00Z';

/** A pod with a volume of each of the claims. */
export function mounting(...claims: readonly string[]): Pod {
  return aPod({
    spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
  });
}

/** A pod `web-1` with the ephemeral volume `scratch`, whose claim is `default/web-1-scratch`. */
export function withScratch(storageClassName?: string): Pod {
  const spec = storageClassName === undefined ? {} : { storageClassName };
  return aPod({ spec: { volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } }] } });
}

export function needsOf(pod: Pod, storage: Storage) {
  const answer = volumeNeeds(pod, storageIndex(storage));
  if (answer.kind === 'refused') throw new Error(`${answer.refusal.reason}: ${answer.refusal.message}`);
  return answer.needs;
}

/** The alternatives as text: `zone In a,b`. */
export function placesOf(pod: Pod, storage: Storage): readonly (readonly string[])[] {
  return needsOf(pod, storage).alternatives.map((place) =>
    toNodeSelector(place).map(({ key, operator, values = [] }) => {
      return `${key === ZONE ? 'zone' : key} ${operator} ${values.join(',')}`;
    }),
  );
}

export function refusalOf(pod: Pod, storage: Storage | undefined) {
  const answer = volumeNeeds(pod, storageIndex(storage));
  return answer.kind === 'refused' ? answer.refusal : undefined;
}

/** Claims `v0`, `v1`, …, each bound to a volume with these terms. */
export function boundTo(...terms: readonly (readonly NodeSelectorTerm[])[]): Storage {
  return someStorage({
    persistentVolumeClaims: terms.map((_, index) => aVolumeClaim({ name: `v${index}`, volume: `pv-${index}` })),
    persistentVolumes: terms.map((of, index) => aVolume({ name: `pv-${index}`, terms: of })),
  });
}

/** The claim `data`, not bound, and its class gp3. */
export function waitingFor(over: Partial<StorageClass>): Storage {
  return someStorage({ persistentVolumeClaims: [aVolumeClaim()], storageClasses: [aStorageClass(over)] });
}

export function allowing(...topologies: readonly Readonly<Record<string, readonly string[]>>[]): Partial<StorageClass> {
  return {
    allowedTopologies: topologies.map((of) => ({
      matchLabelExpressions: Object.entries(of).map(([key, values]) => ({ key, values })),
    })),
  };
}

export function labelled(key: string, value: string) {
  return { key, operator: 'In', values: [value] } as const;
}
