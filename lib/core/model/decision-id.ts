import type { Node, Pod } from '../../apis/kubernetes.ts';
import { fingerprint, fingerprintOf } from '../identity.ts';
import { onceFor } from '../kept-answers.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import type { Action, Blocked, Controller, Decision, Verdict } from './decision.ts';
import type { NodeClaimRecord } from './node-claim-record.ts';
import { formatSubject } from './subject.ts';

/**
 * The name of a decision: `CONTROLLER-SUBJECT-STATE`. The state is a hash of the input of the decision, so that repeated runs
 * on the same input give the same name. Names are not parsed, and stored decisions of earlier versions have other names.
 */
export function decisionId(controller: Controller | 'shadow', subject: string | number, state: string): string {
  return `${controller}-${subject}-${state}`;
}

/** The object of a decision, and the version of it that the decision read. */
export interface DecisionSubject {
  /** The name of a NodeClaim, an instance or a NodeClass. */
  readonly name: string;
  /** @default the object has none */
  readonly version?: number;
}

/** Makes the decision on one object. */
export function decisionOn(
  { name, version }: DecisionSubject,
  { controller, cluster, atMs }: Pick<Decision, 'controller' | 'cluster' | 'atMs'>,
  { actions, blocked }: Pick<Verdict, 'actions' | 'blocked'>,
): Decision {
  const state = [...(version === undefined ? [] : [`v${version}`]), essenceOf(actions, blocked, 6)].join('-');
  return { id: decisionId(controller, name, state), cluster, controller, atMs, actions, blocked };
}

/**
 * The name of a decision on a whole cluster. Its subject is the epoch that it begins. Two runs at one epoch that read
 * different states make decisions with different names, and only one of the decisions is recorded.
 */
export function clusterDecisionId(controller: Controller, snapshot: ClusterSnapshot, nowMs: number): string {
  const { cluster, epoch, pods, bufferPods = [], nodes, nodeClaims } = snapshot;
  // The text of JSON.stringify([cluster, nowMs, [pods, nodes, nodeClaims, ...bufferPods]]), which has 100 KB for 2,000 pods.
  const parts = [
    `[${JSON.stringify(cluster)},${nowMs},[[`,
    ...separated(pods.map(jsonOfPod)),
    '],[',
    ...separated(nodes.map(jsonOfNode)),
    '],[',
    ...separated(nodeClaims.map(jsonOfNodeClaim)),
    ']',
    ...bufferPods.map(({ metadata }) => `,${JSON.stringify(metadata.uid ?? null)}`),
    ']]',
  ];
  return decisionId(controller, epoch + 1, fingerprintOf(parts, 6));
}

const jsonOfPod = onceFor(({ metadata, spec }: Pod) =>
  JSON.stringify(`${metadata.uid}/${metadata.deletionTimestamp ?? ''}/${spec.nodeName ?? ''}`),
);
const jsonOfNode = onceFor(({ metadata }: Node) =>
  JSON.stringify(`${metadata.name}/${metadata.resourceVersion ?? ''}`),
);
const jsonOfNodeClaim = onceFor(({ name, version }: NodeClaimRecord) => JSON.stringify(`${name}/${version}`));

function separated(texts: readonly string[]): readonly string[] {
  const parts: string[] = [];
  for (const text of texts) parts.push(text, ',');
  return parts.slice(0, -1);
}

/** The name of a decision in shadow mode. Runs with equal pending pods, nodes and NodeClaims give the same name. */
export function shadowDecisionId(
  controller: Controller,
  { cluster, pods, nodes, nodeClaims }: ClusterSnapshot,
): string {
  const pending = pods.filter(({ spec }) => spec.nodeName === undefined).map(({ metadata }) => metadata.uid);
  const observed = [pending, nodes.map(({ metadata }) => metadata.name), nodeClaims.map(({ name }) => name)];
  return decisionId('shadow', controller, fingerprint(JSON.stringify([cluster, observed]), 12));
}

/** A hash of a decision without the parts that change from run to run: its times and the numbers in its refusals. */
export function essenceOf(actions: readonly Action[], blocked: readonly Blocked[], length?: number): string {
  const timeless = JSON.stringify(actions, (key, value: unknown) => (key.endsWith('Ms') ? undefined : value));
  const refused = blocked.map(
    ({ subject, nodePool = '', reason }) => `${formatSubject(subject)} ${nodePool} ${reason}`,
  );
  return fingerprint(JSON.stringify([timeless, refused]), length);
}
