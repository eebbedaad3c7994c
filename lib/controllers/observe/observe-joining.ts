import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels, Node } from '../../apis/kubernetes.ts';
import { INSTANCE_MEMORY } from '../../apis/labels.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { instanceLabels } from '../../core/instance-type/instance-labels.ts';
import type { LearnedMemory } from '../../core/model/learned-memory.ts';
import { instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { NodeClaimView } from '../../core/node-claim/lifecycle.ts';
import { isInitialized, isRegistered } from '../../core/node-claim/registration.ts';
import { type Observed, read, type Unread } from '../../core/observed.ts';
import { requirementsFromValues, singleValues } from '../../core/requirements/requirements.ts';
import type { SharedRead } from './shared-read.ts';

/** What the nodes that join in one run share. */
export interface SeenFacts {
  readonly nodeClasses: Observed<readonly EC2NodeClass[]>;
  /** Read when the first node is registered. */
  readonly catalogue: SharedRead<Observed<Catalogue | undefined>>;
  readonly learnedMemory: SharedRead<Observed<readonly LearnedMemory[]>>;
}

type JoiningFacts = Pick<NodeClaimView, 'instanceLabels' | 'learnedMemory'>;

/** For all nodes that have joined, so that what is computed from it can be kept. */
const NO_FACTS: JoiningFacts = { instanceLabels: read({}), learnedMemory: read([]) };

/** Reads the facts only for a node that is not registered, or that was registered without the labels of its instance type. */
export async function joiningFacts(
  record: NodeClaimRecord,
  node: Node | undefined,
  world: SeenFacts,
): Promise<JoiningFacts> {
  if (node === undefined || isInitialized(node)) return NO_FACTS;
  if (!isRegistered(node)) {
    return { instanceLabels: await labelsFromCatalogue(record, world), learnedMemory: await world.learnedMemory() };
  }
  const labels = lacksInstanceLabels(node) ? await labelsFromCatalogue(record, world) : read({});
  return { instanceLabels: labels, learnedMemory: read([]) };
}

/** Whether the node joins and does not have the labels of its instance type. */
export function lacksInstanceLabels(node: Node): boolean {
  return !isInitialized(node) && node.metadata.labels?.[INSTANCE_MEMORY] === undefined;
}

const NO_CATALOGUE: Unread = {
  kind: 'unread',
  failure: new Error('the catalogue function has not read the instance types yet'),
};

/** C15–C24: the labels of the instance's type. */
async function labelsFromCatalogue(record: NodeClaimRecord, world: SeenFacts): Promise<Observed<Labels>> {
  const catalogue = await world.catalogue();
  if (catalogue.kind === 'unread') return catalogue;
  if (catalogue.value === undefined) return NO_CATALOGUE;
  if (world.nodeClasses.kind === 'unread') return world.nodeClasses;
  const nodeClass = world.nodeClasses.value.find((one) => one.metadata.name === record.spec.nodeClassRef.name);
  const facts = catalogue.value.facts.find((one) => one.name === instanceOf(record)?.instanceType);
  if (facts === undefined) return read({});
  const values = instanceLabels(facts, nodeClass === undefined ? 'Custom' : amiFamilyOf(nodeClass));
  return read(singleValues(requirementsFromValues(values)));
}
