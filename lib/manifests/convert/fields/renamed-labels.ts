import { isMap, isScalar, type Pair, type YAMLMap } from 'yaml';
import { CAPACITY_TYPE, currentLabelName, DO_NOT_DISRUPT, NODE_POOL } from '../../../apis/labels.ts';
import { find, mapsIn, pairKeyOf, rename, textAt, writeText } from '../documents/yaml-map.ts';
import type { ConversionSubject } from '../subject.ts';

/** Renames labels and annotations to their names in v1. Each function returns whether it changed anything. */

const LABELS: Readonly<Record<string, string>> = {
  'karpenter.sh/provisioner-name': NODE_POOL,
  'node.k8s.aws/capacity-type': CAPACITY_TYPE,
};

const DROPPED_LABELS: Readonly<Record<string, string>> = {
  'karpenter.k8s.aws/instance-pods': 'Karpenter no longer sets this label',
  'node.k8s.aws/launch-template-id': 'Karpenter creates its own launch templates',
  'node.k8s.aws/launch-template-name': 'Karpenter creates its own launch templates',
  'node.k8s.aws/launch-template-version': 'Karpenter creates its own launch templates',
};

interface FormerAnnotation {
  readonly current: string;
  readonly note: string;
}

const ANNOTATIONS: Readonly<Record<string, FormerAnnotation>> = {
  'karpenter.sh/do-not-evict': { current: DO_NOT_DISRUPT, note: '' },
  'karpenter.sh/do-not-consolidate': {
    current: DO_NOT_DISRUPT,
    note: ', which also prevents drift, and on a pod protects its node, where the old name had no effect',
  },
};

/** A0.6 for the beta labels. The label of the EBS CSI driver is still current. */
function currentLabel(key: string): string | undefined {
  const beta = /^(?:failure-domain\.)?beta\./.test(key) ? currentLabelName(key) : key;
  const today = Object.hasOwn(LABELS, key) ? LABELS[key] : beta;
  return today === key ? undefined : today;
}

export function renameLabels(subject: ConversionSubject, map: YAMLMap | undefined): boolean {
  return renameFields(map, (pair, labels) => {
    const key = pairKeyOf(pair) ?? '';
    warnOfDropped(subject, pair, key);
    const today = currentLabel(key);
    if (today === undefined) return false;
    return renameOnce({ subject, map: labels, pair }, today, '');
  });
}

export function renameAnnotations(subject: ConversionSubject, map: YAMLMap | undefined): boolean {
  return renameFields(map, (pair, annotations) => {
    const key = pairKeyOf(pair) ?? '';
    const former = Object.hasOwn(ANNOTATIONS, key) ? ANNOTATIONS[key] : undefined;
    if (former === undefined) return false;
    return renameOnce({ subject, map: annotations, pair }, former.current, former.note);
  });
}

/** Renames the keys of requirements, or of the expressions of a node selector term. */
export function renameKeys(subject: ConversionSubject, map: YAMLMap | undefined, list: string): boolean {
  return mapsIn(map, list)
    .map((item) => renameValue(subject, item, 'key'))
    .includes(true);
}

/** Renames a label that is used as a value, such as a topology key. */
export function renameValue(subject: ConversionSubject, map: YAMLMap, field: string): boolean {
  const pair = find(map, field);
  const key = textAt(map, field);
  if (pair === undefined || key === undefined || !isScalar(pair.value)) return false;
  warnOfDropped(subject, pair, key);
  const today = currentLabel(key);
  if (today === undefined) return false;
  writeText(pair.value, today);
  subject.warn(pair, `"${key}" became "${today}"`, `write ${today}`);
  return true;
}

function renameFields(map: YAMLMap | undefined, change: (pair: Pair, map: YAMLMap) => boolean): boolean {
  if (!isMap(map)) return false;
  return map.items
    .slice()
    .map((pair) => change(pair, map))
    .includes(true);
}

interface Place {
  readonly subject: ConversionSubject;
  readonly map: YAMLMap;
  readonly pair: Pair;
}

/** Where the current name is already set, the old one is removed if it has the same value, and kept if not. */
function renameOnce({ subject, map, pair }: Place, today: string, note: string): boolean {
  const former = pairKeyOf(pair) ?? '';
  const other = find(map, today);
  if (other === undefined) {
    rename(pair, today);
    subject.warn(pair, `"${former}" became "${today}"${note}`, `write ${today}`);
    return true;
  }
  if (!isScalar(other.value) || !isScalar(pair.value) || other.value.value !== pair.value.value) {
    subject.warn(pair, `"${former}" was kept: "${today}" is also set, with another value`, `remove ${former}`);
    return false;
  }
  map.items.splice(map.items.indexOf(pair), 1);
  subject.warn(pair, `"${former}" was removed: "${today}" is also set`, `write only ${today}`);
  return true;
}

function warnOfDropped(subject: ConversionSubject, pair: Pair, key: string): void {
  const reason = Object.hasOwn(DROPPED_LABELS, key) ? DROPPED_LABELS[key] : undefined;
  if (reason !== undefined)
    subject.warn(pair, `"${key}" has no equivalent: ${reason}`, `remove ${key}, or use another label`);
}
