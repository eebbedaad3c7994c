import { describe, expect, test } from 'vitest';
import type { Storage } from '../../../../lib/apis/storage.ts';
import { attachLimits, attachments, stillAttached } from '../../../../lib/core/scheduling/volumes/attach-limits.ts';
import { storageIndex } from '../../../../lib/core/scheduling/volumes/storage-index.ts';
import { aVolume, aVolumeClaim, someStorage } from '../../../builders/storage.ts';
import { DELETED, mounting, needsOf, waitingFor } from './volume-answers.ts';

describe('attachments', () => {
  test('a volume that several pods share counts once (B44)', () => {
    const storage = storageIndex(someStorage({ persistentVolumeClaims: [aVolumeClaim()] }));
    const other = { ...mounting('data'), metadata: { name: 'web-2', namespace: 'default' } };
    expect(attachments(other, storage)).toEqual(attachments(mounting('data', 'data'), storage));
    expect(attachments(other, storage)).toEqual(new Map([['ebs.csi.aws.com', new Set(['default/data'])]]));
  });

  test.each<[string, Partial<Storage>, string]>([
    ['the class of a claim that is not bound', waitingFor({ provisioner: 'efs.csi.aws.com' }), 'efs.csi.aws.com'],
    ['a class with an in-tree provisioner', waitingFor({ provisioner: 'kubernetes.io/aws-ebs' }), 'ebs.csi.aws.com'],
    [
      'the bound volume, not the class',
      {
        persistentVolumeClaims: [aVolumeClaim({ volume: 'pv-1' })],
        persistentVolumes: [aVolume({ source: { csi: { driver: 'fsx.csi.aws.com' } } })],
      },
      'fsx.csi.aws.com',
    ],
    [
      'a bound in-tree volume',
      {
        persistentVolumeClaims: [aVolumeClaim({ volume: 'pv-1' })],
        persistentVolumes: [aVolume({ source: { awsElasticBlockStore: { volumeID: 'vol-1' } } })],
      },
      'ebs.csi.aws.com',
    ],
  ])('the driver is that of %s (B44)', (_, storage, driver) => {
    const { attachments: attached } = needsOf(mounting('data'), someStorage(storage));
    expect(attached).toEqual(new Map([[driver, new Set(['default/data'])]]));
  });

  test('a bound volume without a CSI driver does not count (B44)', () => {
    const storage = someStorage({
      persistentVolumeClaims: [aVolumeClaim({ volume: 'pv-1' })],
      persistentVolumes: [aVolume({ source: { hostPath: {} } })],
    });
    expect(needsOf(mounting('data'), storage).attachments).toEqual(new Map());
  });

  test('the volume of a running pod counts while its claim is being deleted; after the deletion it does not count (B44)', () => {
    const storage = someStorage({
      persistentVolumeClaims: [aVolumeClaim({ volume: 'pv-1', deletionTimestamp: DELETED })],
      persistentVolumes: [aVolume()],
    });
    expect(attachments(mounting('data', 'gone'), storageIndex(storage))).toEqual(
      new Map([['ebs.csi.aws.com', new Set(['default/data'])]]),
    );
  });

  test.each<[string, Parameters<typeof aVolume>[0]]>([
    ['of a CSI driver', {}],
    ['of an in-tree plugin', { source: { awsElasticBlockStore: { volumeID: 'vol-1' } } }],
  ])('a volume %s counts while it is attached, also without a pod (B44)', (_, volume) => {
    const source = { persistentVolumeName: 'pv-1' };
    const storage = someStorage({
      persistentVolumes: [aVolume(volume)],
      volumeAttachments: [{ metadata: { name: 'csi-1' }, spec: { nodeName: 'node-1', source } }],
    });
    expect(stillAttached('node-1', storageIndex(storage))).toEqual(new Map([['ebs.csi.aws.com', new Set(['pv-1'])]]));
  });

  test('the limits of a node are those of its CSINode; a driver without a count has no limit (B44)', () => {
    const drivers = [
      { name: 'ebs.csi.aws.com', allocatable: { count: 26 } },
      { name: 'fsx.csi.aws.com', allocatable: { count: 0 } },
      { name: 'efs.csi.aws.com' },
      { name: 'nfs.csi.k8s.io', allocatable: {} },
    ];
    const storage = storageIndex(someStorage({ csiNodes: [{ metadata: { name: 'node-1' }, spec: { drivers } }] }));
    expect(attachLimits('node-1', storage)).toEqual(
      new Map([
        ['ebs.csi.aws.com', 26],
        ['fsx.csi.aws.com', 0],
      ]),
    );
    expect(attachLimits('node-2', storage)).toEqual(new Map());
  });
});
