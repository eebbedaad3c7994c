import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { optional } from '../../apis/optional.ts';
import { type KubeletExpressionProblem, kubeletExpressionsOf } from '../../core/instance-type/kubelet-expressions.ts';
import { kubeletExpressionProblem } from '../../core/instance-type/type-kubelet.ts';
import type { Blocked } from '../../core/model/decision.ts';
import { decisionOn } from '../../core/model/decision-id.ts';
import { decideNodeClass, finalizersWanted, launchable } from '../../core/node-class/status/decide-node-class.ts';
import type { NodeClassView } from '../../core/node-class/status/findings.ts';
import { decideNodeClassTermination } from '../../core/node-class/status/node-class-termination.ts';
import { whyNotUsable } from '../../core/node-class/status/readiness.ts';
import { deleteUnused } from '../instances/delete-unused.ts';
import type { ClusterWork } from '../instances/instance-work.ts';
import { resolveForLaunch } from '../observe/resolve-node-class.ts';
import { announce } from '../run/announce.ts';
import type {
  HasSettings,
  ManagesNodeClassResources,
  ReadsCatalogue,
  ResolvesNodeClasses,
  WritesStatus,
} from '../run/ports.ts';
import { syncObjects } from './sync-object-status.ts';

/** What finding out the state of a NodeClass needs. */
type NodeClassPorts = ResolvesNodeClasses & ManagesNodeClassResources & ReadsCatalogue & HasSettings;

type NodeClassWork = ClusterWork<NodeClassPorts & WritesStatus>;

/**
 * Writes to each EC2NodeClass what its selectors select and whether instances can be launched (A3.26–A3.30), and releases a
 * deleted class that nothing refers to. *Shape:* the failures; a class that fails does not delay the others.
 */
export async function syncNodeClassStatus(work: NodeClassWork): Promise<readonly Error[]> {
  const { nodeClasses } = work.world;
  if (nodeClasses.kind === 'unread') return [];
  const failures = await syncObjects(nodeClasses.value, async (nodeClass) => syncOne(work, nodeClass));
  return [...failures, ...(await deleteUnused({ ...work, nodeClasses: nodeClasses.value }))];
}

async function syncOne(work: NodeClassWork, nodeClass: EC2NodeClass): Promise<readonly Error[]> {
  const isDeleted = nodeClass.metadata.deletionTimestamp !== undefined;
  return report(work, nodeClass, isDeleted ? await release(work, nodeClass) : await writeStatus(work, nodeClass));
}

interface Outcome {
  readonly blocked: readonly Blocked[];
  /** Whether the status of the object has changed. */
  readonly isNew: boolean;
}

const NOTHING_TO_REPORT: Outcome = { blocked: [], isNew: false };

/** Adds the finalizer first, so that resources of the class are deleted with it. */
async function writeStatus({ ports, cluster }: NodeClassWork, nodeClass: EC2NodeClass): Promise<Outcome> {
  const finalizers = finalizersWanted(nodeClass);
  const kept = finalizers === undefined ? nodeClass : await ports.cluster.patchNodeClass(nodeClass, finalizers);
  if (kept === undefined) return NOTHING_TO_REPORT;
  const { patch, blocked } = decideNodeClass(await observe(ports, kept), ports.clock.now());
  if (patch === undefined) return { blocked, isNew: false };
  const written = await ports.cluster.patchNodeClass(kept, patch);
  const becameUsable = written !== undefined && whyNotUsable(kept) !== undefined && whyNotUsable(written) === undefined;
  if (becameUsable) {
    // Pods and claims may wait for the class.
    await ports.messages.wake('provisioning', { cluster, reason: 'node-class-ready' });
    await ports.messages.wake('lifecycle', { cluster, reason: 'node-class-ready' });
  }
  return { blocked, isNew: true };
}

/** Checks the permissions of Kerf last, and only if nothing else prevents a launch. */
async function observe(ports: NodeClassPorts, nodeClass: EC2NodeClass): Promise<NodeClassView> {
  const [resolution, instanceProfile, expressionProblems] = await Promise.all([
    resolveForLaunch(ports, nodeClass),
    ports.cloud.ensureInstanceProfile(nodeClass),
    kubeletProblems(ports, nodeClass),
  ]);
  const { found, problems } =
    resolution.kind === 'resolved' ? { found: resolution.nodeClass, problems: [] } : resolution;
  const view: NodeClassView = { nodeClass, found, problems: [...expressionProblems, ...problems], instanceProfile };
  const resolved = launchable(view);
  const refusal = resolved === undefined ? undefined : await ports.cloud.whyNotAuthorized(nodeClass, resolved);
  return refusal === undefined ? view : { ...view, refusal };
}

/** A3.17: reads the catalogue only for a class with kubelet expressions. */
async function kubeletProblems(
  { catalogue, settings }: ReadsCatalogue & HasSettings,
  nodeClass: EC2NodeClass,
): Promise<readonly KubeletExpressionProblem[]> {
  if (kubeletExpressionsOf(nodeClass) === undefined) return [];
  const { facts = [] } = (await catalogue.readCatalogue()) ?? {};
  const problem = kubeletExpressionProblem(nodeClass, facts, settings);
  return problem === undefined ? [] : [problem];
}

/** A3.30. */
async function release({ ports, cluster, world }: NodeClassWork, nodeClass: EC2NodeClass): Promise<Outcome> {
  const { name, uid } = nodeClass.metadata;
  if (world.mirrors.kind === 'unread') return NOTHING_TO_REPORT;
  // Read again: other runs may have created claims.
  const records = await ports.store.listNodeClaims(cluster);
  const claims = [
    ...records.map((record) => ({ name: record.name, spec: record.spec })),
    ...world.mirrors.value.map(({ metadata, spec }) => ({ name: metadata.name, spec })),
  ].filter(({ spec }) => spec.nodeClassRef.name === name);
  const termination = decideNodeClassTermination(
    nodeClass,
    [...new Set(claims.map((claim) => claim.name))],
    ports.clock.now(),
  );
  switch (termination.kind) {
    case 'none':
      return NOTHING_TO_REPORT;
    case 'release':
      await ports.cloud.releaseNodeClass(cluster, nodeClass);
      await ports.cluster.patchNodeClass(nodeClass, termination.patch);
      return NOTHING_TO_REPORT;
    case 'wait': {
      const { patch, blocked } = termination;
      if (patch === undefined) return { blocked: [blocked], isNew: false };
      await ports.cluster.patchNodeClass(nodeClass, patch);
      const { reason, message } = blocked;
      const regarding = { kind: 'EC2NodeClass', name, ...optional({ uid }) } as const;
      await ports.cluster.publishEvent({ regarding, type: 'Normal', reason, message });
      return { blocked: [blocked], isNew: true };
    }
  }
}

/** Adds a refusal to the report of each run, and publishes a new one. */
async function report(
  { ports, controller, cluster, notes }: ClusterWork,
  { metadata: { name, generation = 0 } }: EC2NodeClass,
  { blocked, isNew }: Outcome,
): Promise<readonly Error[]> {
  if (blocked.length === 0) return [];
  const atMs = ports.clock.now();
  const decision = decisionOn({ name, version: generation }, { controller, cluster, atMs }, { actions: [], blocked });
  notes.decisions.push(decision);
  return isNew ? announce(ports, decision) : [];
}
