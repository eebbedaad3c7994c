import { counted, firstNames } from '../../apis/counted.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { type AutoscalerTraces, activeAutoscalers, ignoredAutoscalers } from '../../core/cluster/other-autoscalers.ts';
import { definitionStep, type FoundDefinition, type WantedDefinition } from '../../core/install/definitions.ts';
import type { MetricsApi, ReadyReplicas } from '../../ports/doctor.ts';
import { type Finding, findingOf } from './finding.ts';

/** Karpenter, by its Lease and Deployment. EKS Auto Mode has its own check. */
export function checkAutoscalers(cluster: string, traces: AutoscalerTraces, nowMs: number): readonly Finding[] {
  const check = 'karpenter';
  const active = activeAutoscalers(cluster, { ...traces, autoMode: false, autoModePools: [] }, nowMs);
  const ignored = ignoredAutoscalers(cluster, traces, nowMs);
  const found: readonly Finding[] = [
    // Kerf is on standby beside it, and a deploy does not fail.
    ...[...active, ...(ignored === undefined ? [] : [ignored])].map(({ message }) => findingOf(check, 'warn', message)),
    ...traces.unread.map((why): Finding => ({ check, status: 'fail', message: why, fix: READ_RIGHTS })),
  ];
  return found.length > 0
    ? found
    : [{ check, status: 'pass', message: 'Karpenter does not run: no held Lease, no ready Deployment' }];
}

const READ_RIGHTS = 'Use a user of the cluster who may list Leases and Deployments in all namespaces';

export function checkCoreDns(found: ReadyReplicas | undefined): Finding {
  const check = 'coredns';
  if (found === undefined)
    return {
      check,
      status: 'warn',
      message: 'kube-system has no Deployment coredns, so that pods may not resolve names',
      fix: 'Install the add-on (aws eks create-addon --addon-name coredns --cluster-name NAME), unless another DNS server runs',
    };
  const { replicas, ready } = found;
  const message = `CoreDNS has ${ready} of ${counted(replicas, 'replica')} ready`;
  if (ready === 0)
    return {
      check,
      status: 'fail',
      message,
      fix: 'Read why: kubectl -n kube-system describe pods -l k8s-app=kube-dns',
    };
  if (replicas < 2)
    return { check, status: 'warn', message, fix: 'kubectl -n kube-system scale deployment coredns --replicas=2' };
  if (ready < 2)
    return {
      check,
      status: 'warn',
      message,
      fix: 'Read why: kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide',
    };
  return { check, status: 'pass', message };
}

/** Kerf does not use the metrics API, but an autoscaler of pods without it never asks for nodes. */
export function checkMetrics(found: MetricsApi | undefined): Finding {
  const check = 'metrics';
  const so = 'so HorizontalPodAutoscalers on cpu or memory do not scale';
  if (found === undefined)
    return {
      check,
      status: 'warn',
      message: `No program serves metrics.k8s.io, ${so}`,
      fix: 'Install the add-on: aws eks create-addon --addon-name metrics-server --cluster-name NAME',
    };
  if (found.isAvailable) return { check, status: 'pass', message: 'The API server gets metrics.k8s.io' };
  return {
    check,
    status: 'warn',
    message: `metrics.k8s.io is not available, ${so}: ${found.message}`,
    fix: 'Read why: kubectl -n kube-system get pods -l k8s-app=metrics-server -o wide; without a node they wait for one',
  };
}

export interface ReadDefinition {
  readonly wanted: WantedDefinition;
  readonly found: FoundDefinition | undefined;
}

/** What the installer would do with each CRD. */
export function checkDefinitions(definitions: readonly ReadDefinition[]): readonly Finding[] {
  const check = 'crds';
  const problems = definitions.flatMap(({ wanted, found }): readonly Finding[] => {
    const step = definitionStep(wanted, found);
    if (step.kind === 'refused') return [findingOf(check, 'fail', step.message)];
    if (step.kind === 'keep')
      return [
        {
          check,
          status: 'warn',
          message: step.message,
          fix: 'Deploy a version of Kerf that has these fields, or do not set them',
        },
      ];
    return [];
  });
  if (problems.length > 0) return problems;
  const installed = definitions.filter(({ found }) => found !== undefined);
  const versions = [...new Set(installed.flatMap(({ found }) => found?.storedVersions ?? []))].toSorted();
  const stored = versions.length === 0 ? '' : `, stored as ${versions.join(', ')}`;
  const missing = definitions.length - installed.length;
  const others = missing === 0 ? '' : `; a deploy installs the other ${missing}`;
  return [
    {
      check,
      status: 'pass',
      message: `${installed.length} of ${counted(definitions.length, 'CRD')} installed${stored}${others}`,
    },
  ];
}

export function checkNodePools(nodePools: readonly NodePool[], nodeClasses: readonly EC2NodeClass[]): Finding {
  const check = 'nodepools';
  if (nodePools.length === 0)
    return {
      check,
      status: 'warn',
      message: 'The cluster has no NodePool, so Kerf launches nothing',
      fix: 'Create a NodePool and its EC2NodeClass: kubectl apply -f FILE',
    };
  const names = new Set(nodeClasses.map(({ metadata }) => metadata.name));
  const missing = nodePools.filter(({ spec }) => !names.has(spec.template.spec.nodeClassRef.name));
  if (missing.length === 0)
    return {
      check,
      status: 'pass',
      message: `${counted(nodePools.length, 'NodePool')}, each with an EC2NodeClass that exists`,
    };
  const pairs = missing.map(({ metadata, spec }) => `${metadata.name} names ${spec.template.spec.nodeClassRef.name}`);
  return {
    check,
    status: 'fail',
    message: `${missing.length} of ${counted(nodePools.length, 'NodePool')} without an EC2NodeClass that exists: ${firstNames(pairs, 3)}`,
    fix: 'Create the EC2NodeClass, or correct spec.template.spec.nodeClassRef.name; kubectl get ec2nodeclasses lists what exists',
  };
}
