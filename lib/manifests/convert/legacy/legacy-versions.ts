import { isCollection, isMap, YAMLMap } from 'yaml';
import { moveComments, withoutComments } from '../documents/comments.ts';
import { find, isNull, mapAt, newPair, present, take } from '../documents/yaml-map.ts';
import { type ConversionSubject, setHead } from '../subject.ts';

/** API versions of Kubernetes kinds that are no longer served. */

interface Head {
  readonly apiVersion: string;
  readonly kind: string;
}

interface Renewal {
  readonly apiVersion: string;
  /** A changed default that affects the object. */
  readonly note?: (root: YAMLMap) => string | undefined;
}

const SURGE = unless('strategy', 'default strategy replaces 25% of the pods at a time; it was one pod');
const UPDATES = unless('updateStrategy', 'default updateStrategy is RollingUpdate; it was OnDelete');
const APPS: Renewal = { apiVersion: 'apps/v1' };
const BATCH: Renewal = { apiVersion: 'batch/v1' };

const RENEWALS: Readonly<Record<string, Renewal>> = {
  'extensions/v1beta1 Deployment': { ...APPS, note: SURGE },
  'apps/v1beta1 Deployment': APPS,
  'apps/v1beta2 Deployment': APPS,
  'extensions/v1beta1 DaemonSet': { ...APPS, note: UPDATES },
  'apps/v1beta2 DaemonSet': APPS,
  'extensions/v1beta1 ReplicaSet': APPS,
  'apps/v1beta2 ReplicaSet': APPS,
  'apps/v1beta1 StatefulSet': { ...APPS, note: UPDATES },
  'apps/v1beta2 StatefulSet': APPS,
  'batch/v1beta1 CronJob': BATCH,
  'batch/v2alpha1 CronJob': BATCH,
  'policy/v1beta1 PodDisruptionBudget': { apiVersion: 'policy/v1' },
};

function unless(field: string, change: string): (root: YAMLMap) => string | undefined {
  return (root) => (mapAt(root, 'spec', field) === undefined ? change : undefined);
}

export function hasFormerVersion(head: Head): boolean {
  return renewalOf(head) !== undefined;
}

function renewalOf({ apiVersion, kind }: Head): Renewal | undefined {
  const name = `${apiVersion} ${kind}`;
  return Object.hasOwn(RENEWALS, name) ? RENEWALS[name] : undefined;
}

/** Sets the current API version. *Shape:* whether the object changed. */
export function renewVersion(subject: ConversionSubject, head: Head): boolean {
  const renewal = renewalOf(head);
  if (renewal === undefined) return false;
  const { root, warn } = subject;
  const notes = [renewal.note?.(root), renewal.apiVersion === 'apps/v1' ? addSelector(root) : undefined];
  const given = notes.filter((note) => note !== undefined);
  const field = find(root, 'apiVersion') ?? root;
  setHead(root, renewal.apiVersion, head.kind);
  warn(
    field,
    [`${head.apiVersion} is no longer served and became ${renewal.apiVersion}`, ...given].join('; its '),
    'check the converted object',
  );
  if (head.kind === 'PodDisruptionBudget') warnOfEmptySelector(subject);
  return true;
}

/** Writes the selector, which defaulted to the labels of the template. */
function addSelector(root: YAMLMap): string | undefined {
  const spec = mapAt(root, 'spec');
  const template = spec === undefined ? undefined : find(spec, 'template');
  const labels = mapAt(spec, 'template', 'metadata', 'labels');
  if (spec === undefined || template === undefined || labels === undefined) return undefined;
  if (present(spec, 'selector') !== undefined) return undefined;
  const matchLabels = new YAMLMap();
  matchLabels.items = labels.items.map(withoutComments);
  matchLabels.flow = labels.flow === true;
  const selector = newPair('selector', { matchLabels });
  moveComments(take(spec, 'selector'), selector);
  spec.items.splice(spec.items.indexOf(template), 0, selector);
  return 'selector is required, and the labels of the template are written there';
}

function warnOfEmptySelector({ root, warn }: ConversionSubject): void {
  const spec = mapAt(root, 'spec');
  const selector = spec === undefined ? undefined : present(spec, 'selector');
  if (selector === undefined || isNull(selector.value) || !isMap(selector.value)) return;
  const parts = selector.value.items.filter(
    ({ value }) => !isNull(value) && !(isCollection(value) && value.items.length === 0),
  );
  if (parts.length > 0) return;
  warn(
    selector,
    'is empty: in v1beta1 it selected no pods, and in v1 it selects every pod in the namespace',
    'select the pods by their labels, or remove the budget',
  );
}
