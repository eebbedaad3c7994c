import { describe, expect, test } from 'vitest';
import type { Storage } from '../../../../lib/apis/storage.ts';
import { aVolume, aVolumeClaim, inZones, someStorage } from '../../../builders/storage.ts';
import { allowing, boundTo, DELETED, mounting, refusalOf, waitingFor, withScratch } from './volume-answers.ts';

describe('a pod with an unusable volume is refused', () => {
  const bound = { volume: 'pv-1' };
  const cases: readonly [string, string, Partial<Storage>, RegExp][] = [
    ['a claim that is not there', 'PersistentVolumeClaimMissing', {}, /default\/data.*create it/],
    [
      'a claim that is being deleted',
      'PersistentVolumeClaimDeleting',
      {
        persistentVolumeClaims: [aVolumeClaim({ ...bound, deletionTimestamp: DELETED })],
        persistentVolumes: [aVolume()],
      },
      /default\/data is being deleted/,
    ],
    [
      'a claim that lost its volume',
      'PersistentVolumeClaimLost',
      { persistentVolumeClaims: [aVolumeClaim({ ...bound, phase: 'Lost' })] },
      /lost its PersistentVolume pv-1/,
    ],
    [
      'a bound volume that does not exist',
      'PersistentVolumeMissing',
      { persistentVolumeClaims: [aVolumeClaim(bound)] },
      /PersistentVolume pv-1 of PersistentVolumeClaim default\/data/,
    ],
    [
      'a bound volume that is being deleted',
      'PersistentVolumeDeleting',
      { persistentVolumeClaims: [aVolumeClaim(bound)], persistentVolumes: [aVolume({ deletionTimestamp: DELETED })] },
      /PersistentVolume pv-1 .* is being deleted/,
    ],
    [
      'a claim that names a volume and is not bound to it',
      'PersistentVolumeClaimNotBound',
      { persistentVolumeClaims: [aVolumeClaim({ ...bound, annotations: {} })], persistentVolumes: [aVolume()] },
      /no annotation pv\.kubernetes\.io\/bind-completed/,
    ],
    [
      'a claim without a class',
      'StorageClassUnset',
      { persistentVolumeClaims: [aVolumeClaim({ storageClass: null })] },
      /set storageClassName, or mark a class/,
    ],
    [
      'a claim with the class "", to which no default class applies',
      'StorageClassUnset',
      { persistentVolumeClaims: [aVolumeClaim({ storageClass: '' })] },
      /create a PersistentVolume that matches it/,
    ],
    [
      'a class that does not exist',
      'StorageClassMissing',
      { persistentVolumeClaims: [aVolumeClaim({ storageClass: 'io9' })] },
      /StorageClass io9 of PersistentVolumeClaim default\/data does not exist/,
    ],
    [
      'an unbound claim of a class with immediate binding',
      'PersistentVolumeClaimPending',
      waitingFor({ volumeBindingMode: 'Immediate' }),
      /Immediate.*check why ebs\.csi\.aws\.com has not created the volume, or use a class with WaitForFirstConsumer/,
    ],
    [
      'a driver of EKS Auto Mode',
      'UnsupportedProvisioner',
      waitingFor({ provisioner: 'ebs.csi.eks.amazonaws.com' }),
      /ebs\.csi\.eks\.amazonaws\.com.*use a class of ebs\.csi\.aws\.com/,
    ],
    [
      'a bound volume with this driver',
      'UnsupportedProvisioner',
      {
        persistentVolumeClaims: [aVolumeClaim(bound)],
        persistentVolumes: [aVolume({ source: { csi: { driver: 'ebs.csi.eks.amazonaws.com' } } })],
      },
      /ebs\.csi\.eks\.amazonaws\.com/,
    ],
    [
      'a topology of EKS Auto Mode',
      'UnsupportedTopologyKey',
      waitingFor(allowing({ 'eks.amazonaws.com/compute-type': ['auto'] })),
      /StorageClass gp3 .* eks\.amazonaws\.com\/compute-type/,
    ],
  ];

  test.each(cases)('%s is refused as %s (B9)', (...[, reason, storage, message]) => {
    const refused = refusalOf(mounting('data'), someStorage(storage));
    expect(refused?.reason).toBe(reason);
    expect(refused?.message).toMatch(message);
  });

  test('one unusable volume is enough for a refusal (B9)', () => {
    expect(refusalOf(mounting('v0', 'nope'), boundTo([inZones(['a'])]))?.message).toContain('default/nope');
  });

  test('if storage was not read, the refusal does not state that the claim is missing (B9)', () => {
    expect(refusalOf(mounting('data'), undefined)?.reason).toBe('StorageUnknown');
    expect(refusalOf(withScratch('gp3'), undefined)?.reason).toBe('StorageUnknown');
  });

  test('a claim of the same name in another namespace is another claim (B9)', () => {
    const storage = someStorage({ persistentVolumeClaims: [aVolumeClaim({ namespace: 'other' })] });
    expect(refusalOf(mounting('data'), storage)?.reason).toBe('PersistentVolumeClaimMissing');
  });
});
