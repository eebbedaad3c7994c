import type { Timetable } from '../../timetable.ts';
import type { KubernetesState } from '../state.ts';
import { ownedPods, podCreator } from './controller-pods.ts';
import { cronJobController } from './cron-jobs.ts';
import { daemonSetController } from './daemon-sets.ts';
import { reconcileDeployment, reconcileReplicaSet } from './deployments.ts';
import { jobController } from './jobs.ts';
import { collectFinishedPods } from './pod-garbage.ts';
import { reconcileStatefulSet } from './stateful-sets.ts';

/** The controllers of workloads, which create and delete pods. */
export interface Workloads {
  /** *Cost:* O(workloads, changed Jobs, nodes, and the pods of the changed ones). */
  reconcile(): void;
}

const NONE: ReadonlySet<string> = new Set();

export function workloads(state: KubernetesState, timetable: Timetable): Workloads {
  const pods = ownedPods(state);
  const world = { state, timetable, pods, create: podCreator(state, timetable) };
  const jobs = jobController(world);
  const reconcileCronJobs = cronJobController(world);
  const reconcileDaemonSet = daemonSetController(world);
  return {
    reconcile() {
      for (const deployment of state.deployments.values()) reconcileDeployment(world, deployment);
      for (const replicaSet of state.replicaSets.values()) reconcileReplicaSet(world, replicaSet);
      for (const set of state.statefulSets.values()) reconcileStatefulSet(world, set);
      for (const daemonSet of state.daemonSets) reconcileDaemonSet(daemonSet);
      jobs.reconcile(pods.takeChanged());
      reconcileCronJobs();
      jobs.reconcile(NONE);
      collectFinishedPods(state, pods);
    },
  };
}
