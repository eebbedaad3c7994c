/** Checks Kerf's promises from outside: EC2, the cluster, and that the two agree (docs/promises.md). */
import type { Instance } from '@aws-sdk/client-ec2';
import { expect } from 'vitest';
import { at } from '../stack/json.ts';
import { claims, nodes, type Stage } from './stage.ts';

/** Promise 1: of all instances ever launched, no two have the same claim, and each has a claim's name. */
export async function expectOneInstanceAClaim({ machines }: Stage): Promise<void> {
  const names = (await machines.instances()).map(claimOf);
  expect(names).not.toContain(undefined);
  expect(names).toHaveLength(new Set(names).size);
}

/** Promises 1 and 2: each running instance has a claim and a node, and all are within the NodePool's limit. */
export async function expectNothingLeaked({ machines }: Stage, mostNodes: number): Promise<void> {
  const running = (await machines.instances()).filter(isRunning);
  const byName = (await claims()).map((claim) => String(at(claim, 'metadata', 'name')));
  expect(new Set(running.map(claimOf))).toEqual(new Set(byName));
  expect(running).toHaveLength(byName.length);
  const ids = (await nodes()).map((node) =>
    String(at(node, 'spec', 'providerID'))
      .split('/')
      .at(-1),
  );
  expect(new Set(ids)).toEqual(new Set(running.map(({ InstanceId }) => InstanceId)));
  expect(ids).toHaveLength(running.length);
  expect(running.length).toBeLessThanOrEqual(mostNodes);
}

/** Nothing of Kerf is left: no instance, node or claim, and therefore no finalizer. */
export async function expectNothingLeft({ machines }: Stage): Promise<void> {
  expect((await machines.instances()).filter((instance) => !isOver(instance))).toEqual([]);
  expect(await nodes()).toEqual([]);
  expect(await claims()).toEqual([]);
}

function isRunning({ State }: Instance): boolean {
  return State?.Name === 'running' || State?.Name === 'pending';
}

function isOver({ State }: Instance): boolean {
  return State?.Name === 'terminated';
}

function claimOf({ Tags = [] }: Instance): string | undefined {
  return Tags.find(({ Key }) => Key === 'karpenter.sh/nodeclaim')?.Value;
}
