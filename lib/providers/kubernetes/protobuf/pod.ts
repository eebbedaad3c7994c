import type { Pod } from '../../../apis/kubernetes.ts';
import { isPod } from '../project/project.ts';
import { whileResized } from '../project/resizes.ts';
import { AFFINITY_MESSAGE } from './affinity.ts';
import type { ProtobufList } from './list-decoder.ts';
import { LABEL_SELECTOR_MESSAGE, POD_META_MESSAGE } from './metadata.ts';
import { field, message } from './schema.ts';

/** The fields that `podOf` reads from a pod's JSON: k8s.io/api `core/v1/generated.proto`. */

const RESOURCE_CLAIM = message({ 1: field('name', 'given-text'), 2: field('request', 'text') });

const RESOURCES = message({
  1: field('limits', 'quantity-by-name'),
  2: field('requests', 'quantity-by-name'),
  3: field('claims', 'messages', { message: RESOURCE_CLAIM }),
});

const CONTAINER_PORT = message({
  1: field('name', 'text'),
  2: field('hostPort', 'number'),
  3: field('containerPort', 'given-number'),
  4: field('protocol', 'text'),
  5: field('hostIP', 'text'),
});

const CONTAINER = message({
  1: field('name', 'given-text'),
  6: field('ports', 'messages', { message: CONTAINER_PORT, shared: true }),
  8: field('resources', 'message', { message: RESOURCES, shared: true }),
  24: field('restartPolicy', 'given-text'),
});

const CLAIM_SOURCE = message({ 1: field('claimName', 'given-text'), 2: field('readOnly', 'flag') });

const CLAIM_TEMPLATE = message({
  2: field('spec', 'message', { message: message({ 5: field('storageClassName', 'given-text') }) }),
});

const VOLUME_SOURCE = message({
  10: field('persistentVolumeClaim', 'message', { message: CLAIM_SOURCE }),
  29: field('ephemeral', 'message', {
    message: message({ 1: field('volumeClaimTemplate', 'message', { message: CLAIM_TEMPLATE }) }),
  }),
});

const VOLUME = message({
  1: field('name', 'given-text'),
  2: field('volumeSource', 'inline', { message: VOLUME_SOURCE }),
});

const TOLERATION = message({
  1: field('key', 'text'),
  2: field('operator', 'text'),
  3: field('value', 'text'),
  4: field('effect', 'text'),
  5: field('tolerationSeconds', 'given-number'),
});

const TOPOLOGY_SPREAD_CONSTRAINT = message({
  1: field('maxSkew', 'given-number'),
  2: field('topologyKey', 'given-text'),
  3: field('whenUnsatisfiable', 'given-text'),
  4: field('labelSelector', 'message', { message: LABEL_SELECTOR_MESSAGE }),
  5: field('minDomains', 'given-number'),
  6: field('nodeAffinityPolicy', 'given-text'),
  7: field('nodeTaintsPolicy', 'given-text'),
  8: field('matchLabelKeys', 'texts'),
});

const POD_RESOURCE_CLAIM = message({
  1: field('name', 'given-text'),
  3: field('resourceClaimName', 'given-text'),
  4: field('resourceClaimTemplateName', 'given-text'),
});

const POD_SPEC = message({
  1: field('volumes', 'messages', { message: VOLUME }),
  2: field('containers', 'messages', { message: CONTAINER }),
  3: field('restartPolicy', 'text'),
  4: field('terminationGracePeriodSeconds', 'given-number'),
  7: field('nodeSelector', 'text-by-name', { shared: true }),
  10: field('nodeName', 'text'),
  11: field('hostNetwork', 'flag'),
  18: field('affinity', 'message', { message: AFFINITY_MESSAGE, shared: true }),
  20: field('initContainers', 'messages', { message: CONTAINER }),
  22: field('tolerations', 'messages', { message: TOLERATION, shared: true }),
  24: field('priorityClassName', 'text'),
  25: field('priority', 'given-number'),
  32: field('overhead', 'quantity-by-name'),
  33: field('topologySpreadConstraints', 'messages', { message: TOPOLOGY_SPREAD_CONSTRAINT, shared: true }),
  38: field('schedulingGates', 'messages', { message: message({ 1: field('name', 'given-text') }) }),
  39: field('resourceClaims', 'messages', { message: POD_RESOURCE_CLAIM }),
  40: field('resources', 'message', { message: RESOURCES, shared: true }),
});

const CONDITION = message({
  1: field('type', 'given-text'),
  2: field('status', 'given-text'),
  4: field('lastTransitionTime', 'time'),
  5: field('reason', 'text'),
  6: field('message', 'text'),
  7: field('observedGeneration', 'number'),
});

const CONTAINER_STATUS = message({
  1: field('name', 'given-text'),
  10: field('allocatedResources', 'quantity-by-name', { shared: true }),
  11: field('resources', 'message', { message: RESOURCES, shared: true }),
});

const POD_STATUS = message({
  1: field('phase', 'text'),
  2: field('conditions', 'messages', { message: CONDITION }),
  7: field('startTime', 'time'),
  8: field('containerStatuses', 'messages', { message: CONTAINER_STATUS }),
  // In JSON `initContainerStatuses`: the names of all containers of a pod differ.
  10: field('containerStatuses', 'messages', { message: CONTAINER_STATUS }),
  11: field('nominatedNodeName', 'text'),
});

const POD = message({
  1: field('metadata', 'message', { message: POD_META_MESSAGE }),
  2: field('spec', 'message', { message: POD_SPEC }),
  3: field('status', 'message', { message: POD_STATUS }),
});

export const POD_LIST: ProtobufList<Pod> = { listKind: 'PodList', item: POD, is: isPod, trim: whileResized };
