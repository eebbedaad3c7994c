import { isMap, type YAMLMap } from 'yaml';
import { mapAt, mapsIn } from './documents/yaml-map.ts';
import { renameAnnotations, renameKeys, renameLabels, renameValue } from './fields/renamed-labels.ts';
import { convertTolerations } from './legacy/legacy-tolerations.ts';
import { CHANGED, type ConversionSubject, type Outcome, UNCHANGED } from './subject.ts';

/** For each kind, the path to the object that holds the metadata and spec of its pods. */
const PODS: Readonly<Record<string, readonly string[]>> = {
  Pod: [],
  PodTemplate: ['template'],
  Deployment: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  ReplicationController: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
};

export function hasPods(kind: string): boolean {
  return Object.hasOwn(PODS, kind);
}

export function convertWorkload(subject: ConversionSubject, kind: string): Outcome {
  const path = Object.hasOwn(PODS, kind) ? (PODS[kind] ?? []) : [];
  const template = mapAt(subject.root, ...path);
  const pod = mapAt(template, 'spec');
  const changes = [
    renameAnnotations(subject, mapAt(template, 'metadata', 'annotations')),
    renameLabels(subject, mapAt(pod, 'nodeSelector')),
    convertTolerations(subject, pod),
    ...convertNodeAffinity(subject, mapAt(pod, 'affinity', 'nodeAffinity')),
    ...['podAffinity', 'podAntiAffinity'].flatMap((name) => convertPodAffinity(subject, mapAt(pod, 'affinity', name))),
    ...mapsIn(pod, 'topologySpreadConstraints').map((spread) => renameValue(subject, spread, 'topologyKey')),
  ];
  return changes.includes(true) ? CHANGED : UNCHANGED;
}

/** Converts a Node, which may have annotations written by users. */
export function convertNode(subject: ConversionSubject): Outcome {
  return renameAnnotations(subject, mapAt(subject.root, 'metadata', 'annotations')) ? CHANGED : UNCHANGED;
}

function convertNodeAffinity(subject: ConversionSubject, affinity: YAMLMap | undefined): readonly boolean[] {
  const required = mapAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution');
  const terms = [
    ...mapsIn(required, 'nodeSelectorTerms'),
    ...mapsIn(affinity, 'preferredDuringSchedulingIgnoredDuringExecution').map((term) => mapAt(term, 'preference')),
  ];
  return terms.map((term) => renameKeys(subject, term, 'matchExpressions'));
}

function convertPodAffinity(subject: ConversionSubject, affinity: YAMLMap | undefined): readonly boolean[] {
  const terms = [
    ...mapsIn(affinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
    ...mapsIn(affinity, 'preferredDuringSchedulingIgnoredDuringExecution').map((term) =>
      mapAt(term, 'podAffinityTerm'),
    ),
  ];
  return terms.filter((term) => isMap(term)).map((term) => renameValue(subject, term, 'topologyKey'));
}
