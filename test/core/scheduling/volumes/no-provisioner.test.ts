import { describe, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Storage } from '../../../../lib/apis/storage.ts';
import { aStorageClass, aVolume, aVolumeClaim, inZones, someStorage } from '../../../builders/storage.ts';
import { DELETED, mounting, placesOf, refusalOf } from './volume-answers.ts';

const provisioner = 'kubernetes.io/no-provisioner';
const claim: PersistentVolumeClaim = {
  ...aVolumeClaim(),
  spec: {
    storageClassName: 'gp3',
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '10Gi' } },
  },
};

function inZone(zone: string, over: Partial<PersistentVolume['spec']> = {}): PersistentVolume {
  const { metadata, spec } = aVolume({ name: `pv-${zone}`, terms: [inZones([zone])] });
  const traits = { storageClassName: 'gp3', capacity: { storage: '10Gi' }, accessModes: ['ReadWriteOnce'] } as const;
  return { metadata, spec: { ...spec, ...traits, ...over } };
}

function having(...persistentVolumes: readonly PersistentVolume[]): Storage {
  const storageClasses = [aStorageClass({ provisioner })];
  return someStorage({ persistentVolumeClaims: [claim], persistentVolumes, storageClasses });
}

describe('an unbound claim of a class without a provisioner (B42)', () => {
  test('has the places of the available volumes that match it; Karpenter uses any place', () => {
    const taken = { claimRef: { namespace: 'default', name: 'other' } };
    const volumes = [inZone('a'), inZone('b'), inZone('c', taken), inZone('d', { capacity: { storage: '9Gi' } })];
    expect(placesOf(mounting('data'), having(...volumes))).toEqual([['zone In a,b']]);
  });

  test('can use the volume that is reserved for it', () => {
    const reserved = inZone('c', { claimRef: { namespace: 'default', name: 'data' } });
    expect(placesOf(mounting('data'), having(reserved))).toEqual([['zone In c']]);
  });

  test.each([
    ['is too small', inZone('a', { capacity: { storage: '9Gi' } })],
    ['has another access mode', inZone('a', { accessModes: ['ReadOnlyMany'] })],
    ['has another volume mode', inZone('a', { volumeMode: 'Block' })],
    ['is being deleted', { ...inZone('a'), metadata: { name: 'pv-a', deletionTimestamp: DELETED } }],
    ['is bound to another claim', inZone('a', { claimRef: { namespace: 'default', name: 'other' } })],
  ])('is refused if the only volume of the class %s', (_, volume) => {
    expect(refusalOf(mounting('data'), having(volume))?.reason).toBe('PersistentVolumeMissing');
  });

  test.each([
    ['a volume on the disk of a node: a new node brings new volumes', [inZone('a', { local: {} })]],
    ['no volume yet', []],
    ['volumes of other classes only', [inZone('a', { storageClassName: 'gp2' })]],
  ])('can be on any node if the class has %s', (_, volumes) => {
    expect(placesOf(mounting('data'), having(...volumes))).toEqual([[]]);
  });
});
