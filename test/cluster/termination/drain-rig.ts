/** What the tests of terminations share: a control plane, Kerf, kubelets, and islands whose pods run. */
import { createClaimedNodes } from '../../rig/claimed-nodes.ts';
import { type FakeKubelets, startFakeKubelets } from '../../rig/fake-kubelets.ts';
import { createApp, createSpareNode, type Island, settled } from '../../rig/islands.ts';
import { type KerfInProcess, type KerfPlan, startKerf } from '../../rig/kerf-in-process.ts';
import { startOwnControlPlane } from '../../rig/own-control-plane.ts';
import { COLLECTIONS, create, installDefinitions } from '../support/resources.ts';
import { aNodeClass, aNodePool } from '../support/samples.ts';

export interface DrainRig {
  readonly kerf: KerfInProcess;
  readonly kubelets: FakeKubelets;
  readonly stop: () => Promise<void>;
}

/** A control plane with a NodeClass, a NodePool and the spare node. */
export async function startDrainRig(plan?: KerfPlan): Promise<DrainRig> {
  const controlPlane = await startOwnControlPlane({ nodeGraceSeconds: 3_600 });
  await installDefinitions();
  await create(aNodeClass());
  await create(aNodePool());
  const kerf = await startKerf(plan);
  const kubelets = startFakeKubelets();
  await createSpareNode();
  const stop = async (): Promise<void> => {
    await kubelets.close();
    await kerf.close();
    await controlPlane.stop();
  };
  return { kerf, kubelets, stop };
}

/** *Shape:* when the pods of the islands run on their own nodes. */
export async function createIslands(kerf: KerfInProcess, islands: readonly Island[]): Promise<void> {
  await createClaimedNodes(kerf, islands);
  for (const island of islands) await createApp(island);
  await settled(islands);
}

export function claimPath(name: string): string {
  return `${COLLECTIONS.NodeClaim}/${name}`;
}
