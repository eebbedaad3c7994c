import type { Node, Pod, ScalableWorkload } from '../../../apis/kubernetes.ts';
import type { ScalableKind } from '../../../ports/cluster.ts';
import { nodeOf, podOf, scalableWorkloadOf } from '../project/project.ts';
import { NODE_LIST } from '../protobuf/node.ts';
import { POD_LIST } from '../protobuf/pod.ts';
import type { ListOptions } from './lists.ts';

/** The paths and projections of the kinds with many objects. */

export const PODS: ListOptions<Pod> = { path: '/api/v1/pods', project: podOf, protobuf: POD_LIST };
export const NODES: ListOptions<Node> = { path: '/api/v1/nodes', project: nodeOf, protobuf: NODE_LIST };

export const SCALABLE: Readonly<Record<ScalableKind, ListOptions<ScalableWorkload>>> = {
  Deployment: { path: '/apis/apps/v1/deployments', project: scalableWorkloadOf },
  StatefulSet: { path: '/apis/apps/v1/statefulsets', project: scalableWorkloadOf },
  ReplicaSet: { path: '/apis/apps/v1/replicasets', project: scalableWorkloadOf },
};

/** Pods without a node. */
export const UNBOUND_PODS: ListOptions<Pod> = { ...PODS, query: { fieldSelector: 'spec.nodeName=' } };
