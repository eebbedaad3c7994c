import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import type { ConvertedObject } from '../documents/open-document.ts';
import { ensureMap, newPair, pairKeyOf, present, rename, take, textAt, write } from '../documents/yaml-map.ts';
import { type KubeletSettings, subjectNameOf } from '../subject.ts';
import { freeName, type NodeClass, nodeClasses, referenceOf, setName } from './class-names.ts';
import { sizeOf } from './expand-aliases.ts';

/** A NodePool or NodeClaim, its nodeClassRef, and its kubelet settings. */
interface User {
  readonly object: ConvertedObject;
  readonly reference: YAMLMap;
  readonly kubelet: KubeletSettings | undefined;
}

/** Limits the total size of copied node classes. */
const MAX_COPIES = 200_000;

interface Placement {
  readonly classes: Map<string, NodeClass>;
  copiesLeft: number;
}

/** Moves the kubelet settings of pools to the node classes that they reference (A3.15). */
export function placeKubelets(objects: readonly ConvertedObject[]): void {
  const placement: Placement = { classes: nodeClasses(objects), copiesLeft: MAX_COPIES };
  const users = Map.groupBy(objects.flatMap(usersIn), ({ reference }) => textAt(reference, 'name') ?? '');
  for (const object of objects) warnWithoutReference(object);
  for (const [name, all] of users) {
    if (all.every(({ kubelet }) => kubelet === undefined)) continue;
    const nodeClass = placement.classes.get(name);
    const spec = nodeClass === undefined ? undefined : ensureMap(nodeClass.root, 'spec');
    if (nodeClass === undefined || spec === undefined) for (const user of all) warnOfLoss(user, name, NO_CLASS);
    else share({ nodeClass, spec, name }, all, placement);
  }
}

function usersIn(object: ConvertedObject): readonly User[] {
  const reference = referenceOf(object.subject.root);
  if (reference === undefined) return [];
  const isOurs = (textAt(reference, 'kind') ?? 'EC2NodeClass') === 'EC2NodeClass';
  if (!isOurs) warnOfOtherKind(object);
  return isOurs ? [{ object, reference, kubelet: object.outcome.kubelet }] : [];
}

interface Shared {
  readonly nodeClass: NodeClass;
  readonly spec: YAMLMap;
  readonly name: string;
}

/** One set of settings goes to the class itself. Each other set goes to a copy of the class. */
function share(shared: Shared, users: readonly User[], placement: Placement): void {
  const own = present(shared.spec, 'kubelet');
  const ownSettings = own === undefined ? '' : canonical(own.value);
  const groups = Map.groupBy(users, ({ kubelet }) =>
    kubelet === undefined ? ownSettings : canonical(kubelet.settings),
  );
  const isFree = own === undefined && !groups.has('');
  const pristine =
    groups.size > 1 || (own !== undefined && !groups.has(ownSettings)) ? shared.nodeClass.root.clone() : undefined;
  let placed = !isFree;
  for (const [settings, group] of groups) {
    const [first] = group;
    if (settings === ownSettings || first?.kubelet === undefined) continue;
    if (!placed) {
      setKubelet(shared.spec, first.kubelet);
      shared.nodeClass.object.markChanged();
      placed = true;
    } else if (isMap(pristine)) copyFor({ shared, group, kubelet: first.kubelet }, pristine, placement);
  }
}

interface Part {
  readonly shared: Shared;
  readonly group: readonly User[];
  readonly kubelet: KubeletSettings;
}

function copyFor({ shared, group, kubelet }: Part, pristine: YAMLMap, placement: Placement): void {
  placement.copiesLeft -= sizeOf(pristine, placement.copiesLeft);
  if (placement.copiesLeft < 0) {
    for (const user of group) warnOfLoss(user, shared.name, TOO_MANY);
    return;
  }
  const copy = pristine.clone();
  const [first] = group;
  const spec = isMap(copy) ? ensureMap(copy, 'spec') : undefined;
  if (!isMap(copy) || spec === undefined || first === undefined) return;
  const wanted = `${shared.name}-${subjectNameOf(first.object.subject.root)}`;
  const name = freeName(wanted, wanted, placement.classes);
  setName(copy, name);
  setKubelet(spec, kubelet);
  shared.nodeClass.object.add(copy);
  shared.nodeClass.object.markChanged();
  placement.classes.set(name, { root: copy, object: shared.nodeClass.object });
  for (const user of group) {
    write(user.reference, 'name', name);
    user.object.subject.warn(
      user.kubelet?.field ?? user.object.subject.root,
      `differs from the kubelet settings of other users of EC2NodeClass "${shared.name}"; they are written to a copy of that class, "${name}"`,
      `keep "${name}", or write the settings to "${shared.name}" if they fit all its users`,
    );
  }
}

function setKubelet(spec: YAMLMap, { field, settings }: KubeletSettings): void {
  take(spec, 'kubelet');
  const pair = newPair('kubelet', settings);
  if (isScalar(field.key)) pair.key = field.key;
  rename(pair, 'kubelet');
  spec.items.push(pair);
}

const NO_CLASS = 'in v1 kubelet settings belong to the node class, which is not among the converted objects';
const TOO_MANY = 'the users of the class have too many different settings to copy the class for each';

function warnOfLoss({ object, kubelet }: User, name: string, reason: string): void {
  if (kubelet === undefined) return;
  object.subject.warn(
    kubelet.field,
    `was not moved to EC2NodeClass "${name}": ${reason}`,
    `add to the spec of EC2NodeClass "${name}": kubelet: ${canonical(kubelet.settings)}`,
  );
}

function warnOfOtherKind({ outcome, subject }: ConvertedObject): void {
  if (outcome.kubelet === undefined) return;
  subject.warn(
    outcome.kubelet.field,
    'was removed: in v1 kubelet settings belong to the node class, and the referenced class is not an EC2NodeClass',
    `add to the spec of the node class: kubelet: ${canonical(outcome.kubelet.settings)}`,
  );
}

function warnWithoutReference({ outcome, subject }: ConvertedObject): void {
  if (outcome.kubelet === undefined || referenceOf(subject.root) !== undefined) return;
  subject.warn(
    outcome.kubelet.field,
    'was removed: in v1 kubelet settings belong to the node class, and the object references none',
    `write nodeClassRef, and in the spec of the class: kubelet: ${canonical(outcome.kubelet.settings)}`,
  );
}

/** JSON with sorted keys, so equal settings give equal text. JSON is also valid YAML. */
function canonical(node: unknown): string {
  if (isMap(node)) {
    const fields = node.items.map((pair) => `${JSON.stringify(pairKeyOf(pair) ?? '')}: ${canonical(pair.value)}`);
    return `{${fields.toSorted().join(', ')}}`;
  }
  if (isSeq(node)) return `[${node.items.map(canonical).join(', ')}]`;
  const value: unknown = isScalar(node) ? node.value : node;
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null');
}
