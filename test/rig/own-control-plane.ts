/** A separate control plane for a test that restarts, breaks or fills it. It starts in about 4 s. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../../scripts/control-plane.ts';
import { clusterEnvironment } from '../../scripts/control-plane-access.ts';
import { forgetConnections, variable } from '../cluster/support/api-client.ts';

/** It becomes the cluster of this test file: `KERF_CLUSTER_*` name it. Call `stop` at the end. */
export async function startOwnControlPlane(
  options: Pick<ControlPlaneOptions, 'users' | 'schedulerQps' | 'nodeGraceSeconds' | 'tokenWebhookUrl'> = {},
): Promise<ControlPlane> {
  const binaries = variable('KERF_CLUSTER_BINARIES');
  const folder = mkdtempSync(join(tmpdir(), 'kerf-own-cluster-'));
  const interrupted = new AbortController().signal;
  const controlPlane = await startControlPlane({ ...options, binaries, folder, interrupted });
  Object.assign(process.env, clusterEnvironment(controlPlane, binaries));
  const stop = async (): Promise<void> => {
    await controlPlane.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  // An interrupted process does not call `stop`.
  process.once('exit', () => void controlPlane.stop());
  const restartApiServer = async (): Promise<void> => {
    await controlPlane.restartApiServer();
    forgetConnections();
  };
  return { ...controlPlane, restartApiServer, stop };
}
