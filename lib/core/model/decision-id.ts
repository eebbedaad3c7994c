import type { Action, Blocked, Controller, Decision, Verdict } from '../action.ts';
import type { ClusterSnapshot } from '../cluster/snapshot.ts';
import { fingerprint } from '../identity.ts';
import { formatSubject } from './subject.ts';

/**
 * The name of a decision: `CONTROLLER-SUBJECT-STATE`. The state is made of what the decision was made on, so that the same
 * function decides the same thing under the same name, however often it runs. Stored decisions of earlier versions have other
 * names; a name is never taken apart.
 */
export function decisionId(controller: Controller | 'shadow', subject: string | number, state: string): string {
  return `${controller}-${subject}-${state}`;
}

/** What a decision on one object is about, and the version of the object that it was made on. */
export interface DecisionSubject {
  /** A NodeClaim, an instance, a NodeClass. */
  readonly name: string;
  /** @default the object has none */
  readonly version?: number;
}

/** The decision that a function made on one object. */
export function decisionOn(
  { name, version }: DecisionSubject,
  { controller, cluster, atMs }: Pick<Decision, 'controller' | 'cluster' | 'atMs'>,
  { actions, blocked }: Pick<Verdict, 'actions' | 'blocked'>,
): Decision {
  const state = [...(version === undefined ? [] : [`v${version}`]), essenceOf(actions, blocked, 6)].join('-');
  return { id: decisionId(controller, name, state), cluster, controller, atMs, actions, blocked };
}

/**
 * The name of a decision on a whole cluster. Its subject is the epoch that it begins. Two runs at one epoch that observed
 * different states make decisions of different names, and only one of them is recorded.
 */
export function clusterDecisionId(controller: Controller, snapshot: ClusterSnapshot, nowMs: number): string {
  const { cluster, epoch, pods, bufferPods = [], nodes, nodeClaims } = snapshot;
  const observed = [
    pods.map(({ metadata, spec }) => `${metadata.uid}/${metadata.deletionTimestamp ?? ''}/${spec.nodeName ?? ''}`),
    nodes.map(({ metadata }) => `${metadata.name}/${metadata.resourceVersion ?? ''}`),
    nodeClaims.map(({ name, version }) => `${name}/${version}`),
    ...bufferPods.map(({ metadata }) => metadata.uid),
  ];
  return decisionId(controller, epoch + 1, fingerprint(JSON.stringify([cluster, nowMs, observed]), 6));
}

/** The same cluster with the same needs is decided under the same name, in every run. */
export function shadowDecisionId(
  controller: Controller,
  { cluster, pods, nodes, nodeClaims }: ClusterSnapshot,
): string {
  const waiting = pods.filter(({ spec }) => spec.nodeName === undefined).map(({ metadata }) => metadata.uid);
  const observed = [waiting, nodes.map(({ metadata }) => metadata.name), nodeClaims.map(({ name }) => name)];
  return decisionId('shadow', controller, fingerprint(JSON.stringify([cluster, observed]), 12));
}

/** What of a decision stays the same while nothing else changes: not its times, nor the figures in its refusals. */
export function essenceOf(actions: readonly Action[], blocked: readonly Blocked[], length?: number): string {
  const timeless = JSON.stringify(actions, (key, value: unknown) => (key.endsWith('Ms') ? undefined : value));
  const refused = blocked.map(
    ({ subject, nodePool = '', reason }) => `${formatSubject(subject)} ${nodePool} ${reason}`,
  );
  return fingerprint(JSON.stringify([timeless, refused]), length);
}
