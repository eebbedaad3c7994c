import { isCollection, isMap, YAMLMap } from 'yaml';
import { moveComments, withoutComments } from './comments.ts';
import { type Subject, setHead } from './subject.ts';
import { find, isNull, mapAt, newPair, present, take } from './yaml-map.ts';

/** API versions of Kubernetes's own kinds that it serves no more. */

interface Head {
  readonly apiVersion: string;
  readonly kind: string;
}

interface Renewal {
  readonly apiVersion: string;
  /** What else is new in it, where the object leaves something to defaults. */
  readonly note?: (root: YAMLMap) => string | undefined;
}

const SURGE = unless('strategy', 'default of strategy is 25% at a time, where it was one pod');
const UPDATES = unless('updateStrategy', 'default of updateStrategy is RollingUpdate, where it was OnDelete');
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

/** Gives the object the version of today. *Shape:* whether there was anything to do. */
export function renewVersion(subject: Subject, head: Head): boolean {
  const renewal = renewalOf(head);
  if (renewal === undefined) return false;
  const { root, warn } = subject;
  const notes = [renewal.note?.(root), renewal.apiVersion === 'apps/v1' ? addSelector(root) : undefined];
  const given = notes.filter((note) => note !== undefined);
  const field = find(root, 'apiVersion') ?? root;
  setHead(root, renewal.apiVersion, head.kind);
  warn(
    field,
    [`${head.apiVersion} is served no more, and became ${renewal.apiVersion}`, ...given].join('; its '),
    `write apiVersion: ${renewal.apiVersion}`,
  );
  if (head.kind === 'PodDisruptionBudget') warnOfEmptySelector(subject);
  return true;
}

/** The selector was that of the template's labels where it was left out. */
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
  return 'selector is required, so that the labels of the template were written there';
}

function warnOfEmptySelector({ root, warn }: Subject): void {
  const spec = mapAt(root, 'spec');
  const selector = spec === undefined ? undefined : present(spec, 'selector');
  if (selector === undefined || isNull(selector.value) || !isMap(selector.value)) return;
  const parts = selector.value.items.filter(
    ({ value }) => !isNull(value) && !(isCollection(value) && value.items.length === 0),
  );
  if (parts.length > 0) return;
  warn(
    selector,
    'is empty, and selected no pod in v1beta1; in v1 it selects every pod of the namespace',
    'select the pods that are meant by their labels, or leave the budget out',
  );
}
