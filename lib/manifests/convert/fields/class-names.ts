import type { YAMLMap } from 'yaml';
import type { ConvertedObject } from '../documents/open-document.ts';
import { ensureMap, mapAt, textAt, write } from '../documents/yaml-map.ts';
import { subjectNameOf } from '../subject.ts';

/** The EC2NodeClasses of all documents, by name. */
export interface NodeClass {
  readonly root: YAMLMap;
  readonly object: ConvertedObject;
}

/** Gives every class a unique name. A class made from an inline provider is renamed if another class has its name. */
export function nodeClasses(objects: readonly ConvertedObject[]): Map<string, NodeClass> {
  const classes = new Map<string, NodeClass>();
  for (const object of objects) {
    const { root } = object.subject;
    if (isNodeClass(root) && !classes.has(subjectNameOf(root))) classes.set(subjectNameOf(root), { root, object });
  }
  for (const object of objects)
    for (const root of object.outcome.added) {
      const name = subjectNameOf(root);
      const free = freeName(name, `${name}-provider`, classes);
      if (free !== name) renameMade(object, root, free);
      classes.set(free, { root, object });
    }
  return classes;
}

function renameMade(object: ConvertedObject, root: YAMLMap, name: string): void {
  object.subject.warn(
    object.subject.root,
    `has an inline provider that became an EC2NodeClass; another EC2NodeClass has the same name, so this one is named "${name}"`,
    'choose a name, and write it here and in nodeClassRef',
  );
  setName(root, name);
  const reference = referenceOf(object.subject.root);
  if (reference !== undefined) write(reference, 'name', name);
}

/** Returns the first name if it is free, else the second, else the second with a number. */
export function freeName(wanted: string, otherwise: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(wanted)) return wanted;
  let name = otherwise;
  // Counting by one would be slow where thousands of classes have the same name.
  for (let count = 2; taken.has(name); count += count < 100 ? 1 : taken.size) name = `${otherwise}-${count}`;
  return name;
}

export function setName(root: YAMLMap, name: string): void {
  const metadata = ensureMap(root, 'metadata');
  if (metadata !== undefined) write(metadata, 'name', name);
}

/** The nodeClassRef of a v1 NodePool or NodeClaim. */
export function referenceOf(root: YAMLMap): YAMLMap | undefined {
  const kind = textAt(root, 'kind');
  if (textAt(root, 'apiVersion') !== 'karpenter.sh/v1') return undefined;
  if (kind === 'NodePool') return mapAt(root, 'spec', 'template', 'spec', 'nodeClassRef');
  return kind === 'NodeClaim' ? mapAt(root, 'spec', 'nodeClassRef') : undefined;
}

function isNodeClass(root: YAMLMap): boolean {
  return textAt(root, 'kind') === 'EC2NodeClass' && textAt(root, 'apiVersion') === 'karpenter.k8s.aws/v1';
}
