import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
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
 * Each EC2NodeClass says of itself what it finds and whether instances can be launched of it (A3.26–A3.30), and goes when
 * nothing refers to it any more. *Shape:* the failures; one class that fails keeps none of the others waiting.
 */
export async function syncNodeClassStatus(tending: NodeClassWork): Promise<readonly Error[]> {
  const failures = await syncObjects(tending.world.nodeClasses, async (nodeClass) => tend(tending, nodeClass));
  return [...failures, ...(await deleteUnused(tending))];
}

async function tend(tending: NodeClassWork, nodeClass: EC2NodeClass): Promise<readonly Error[]> {
  const isGoing = nodeClass.metadata.deletionTimestamp !== undefined;
  return tell(tending, nodeClass, isGoing ? await letGo(tending, nodeClass) : await show(tending, nodeClass));
}

interface Outcome {
  readonly blocked: readonly Blocked[];
  /** The object says what it did not say before. */
  readonly isNew: boolean;
}

const NOTHING_TO_TELL: Outcome = { blocked: [], isNew: false };

/** The finalizer first, so that nothing that is made for the class outlives it unseen. */
async function show({ ports, cluster }: NodeClassWork, nodeClass: EC2NodeClass): Promise<Outcome> {
  const finalizers = finalizersWanted(nodeClass);
  const kept = finalizers === undefined ? nodeClass : await ports.cluster.patchNodeClass(nodeClass, finalizers);
  if (kept === undefined) return NOTHING_TO_TELL;
  const { patch, blocked } = decideNodeClass(await observe(ports, kept), ports.clock.now());
  if (patch === undefined) return { blocked, isNew: false };
  const shown = await ports.cluster.patchNodeClass(kept, patch);
  const becameUsable = shown !== undefined && whyNotUsable(kept) !== undefined && whyNotUsable(shown) === undefined;
  if (becameUsable) {
    // Pods and claims that waited for it.
    await ports.messages.wake('provisioning', { cluster, reason: 'node-class-ready' });
    await ports.messages.wake('lifecycle', { cluster, reason: 'node-class-ready' });
  }
  return { blocked, isNew: true };
}

/** Our permissions are asked for last, where nothing else is in the way of a launch. */
async function observe(ports: NodeClassPorts, nodeClass: EC2NodeClass): Promise<NodeClassView> {
  const [resolution, instanceProfile, expressionProblems] = await Promise.all([
    resolveForLaunch(ports, nodeClass),
    ports.cloud.ensureInstanceProfile(nodeClass),
    whyNotWorkedOut(ports, nodeClass),
  ]);
  const { found, problems } =
    resolution.kind === 'resolved' ? { found: resolution.nodeClass, problems: [] } : resolution;
  const view: NodeClassView = { nodeClass, found, problems: [...expressionProblems, ...problems], instanceProfile };
  const resolved = launchable(view);
  const refusal = resolved === undefined ? undefined : await ports.cloud.whyNotAuthorized(nodeClass, resolved);
  return refusal === undefined ? view : { ...view, refusal };
}

/** A3.17: the catalogue is read only for a class whose kubelet is worked out for each type. */
async function whyNotWorkedOut(
  { catalogue, settings }: ReadsCatalogue & HasSettings,
  nodeClass: EC2NodeClass,
): Promise<readonly KubeletExpressionProblem[]> {
  if (kubeletExpressionsOf(nodeClass) === undefined) return [];
  const { facts = [] } = (await catalogue.readCatalogue()) ?? {};
  const problem = kubeletExpressionProblem(nodeClass, facts, settings);
  return problem === undefined ? [] : [problem];
}

/** A3.30. */
async function letGo({ ports, cluster, world }: NodeClassWork, nodeClass: EC2NodeClass): Promise<Outcome> {
  const { name, uid } = nodeClass.metadata;
  // Read again: claims were made since the run began to look.
  const records = await ports.store.listNodeClaims(cluster);
  const claims = [
    ...records.map((record) => ({ name: record.name, spec: record.spec })),
    ...world.mirrors.map(({ metadata, spec }) => ({ name: metadata.name, spec })),
  ].filter(({ spec }) => spec.nodeClassRef.name === name);
  const farewell = decideNodeClassTermination(
    nodeClass,
    [...new Set(claims.map((claim) => claim.name))],
    ports.clock.now(),
  );
  switch (farewell.kind) {
    case 'none':
      return NOTHING_TO_TELL;
    case 'release':
      await ports.cloud.releaseNodeClass(cluster, nodeClass);
      await ports.cluster.patchNodeClass(nodeClass, farewell.patch);
      return NOTHING_TO_TELL;
    case 'wait': {
      const { patch, blocked } = farewell;
      if (patch === undefined) return { blocked: [blocked], isNew: false };
      await ports.cluster.patchNodeClass(nodeClass, patch);
      const { reason, message } = blocked;
      const regarding = { kind: 'EC2NodeClass', name, ...(uid !== undefined && { uid }) } as const;
      await ports.cluster.publishEvent({ regarding, type: 'Normal', reason, message });
      return { blocked: [blocked], isNew: true };
    }
  }
}

/** The run's report has it each time, the bus when it is new. */
async function tell(
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
