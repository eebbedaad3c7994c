import type { Storage } from '../../apis/storage.ts';
import type { ApiClient } from './client/api-client.ts';
import { listAll } from './client/lists.ts';
import type { KeptLists } from './kept/kept-lists.ts';
import { STORAGE_CLASSES } from './storage.ts';

/** Reads the storage objects of the cluster, reduced to the fields that restrict where a pod may run. */
export async function readStorage(client: ApiClient, kept: KeptLists): Promise<Storage> {
  const [persistentVolumeClaims, persistentVolumes, storageClasses, csiNodes] = await Promise.all([
    kept.persistentVolumeClaims.read(),
    kept.persistentVolumes.read(),
    listAll(client, STORAGE_CLASSES),
    kept.csiNodes.read(),
  ]);
  return { persistentVolumeClaims, persistentVolumes, storageClasses, csiNodes };
}
