import type { YAMLMap } from 'yaml';
import { moveComments } from '../documents/comments.ts';
import { find, newPair, present, remove, rename, setText, take, textAt, write } from '../documents/yaml-map.ts';

const GROUP = 'karpenter.k8s.aws';
const KIND = 'EC2NodeClass';

export function referenceTo(name: string): Readonly<Record<string, string>> {
  return { group: GROUP, kind: KIND, name };
}

/** v1beta1 had an apiVersion, v1 has a group. In v1beta1 kind and group defaulted to those of the EC2NodeClass. */
export function convertReference(reference: YAMLMap): void {
  const version = find(reference, 'apiVersion');
  if (version !== undefined) {
    const group = find(reference, 'group');
    if (group === undefined) {
      setText(version, groupOf(textAt(reference, 'apiVersion')));
      rename(version, 'group');
    } else {
      moveComments(version, group);
      remove(reference, version);
    }
  }
  if (present(reference, 'kind') === undefined) writeFirst(reference, 'kind', KIND);
  if (present(reference, 'group') === undefined) writeFirst(reference, 'group', GROUP);
}

function groupOf(apiVersion: string | undefined): string {
  const group = apiVersion?.split('/')[0] ?? '';
  return group === '' ? GROUP : group;
}

function writeFirst(reference: YAMLMap, name: string, text: string): void {
  if (find(reference, name) === undefined) reference.items.unshift(newPair(name, text));
  else write(reference, name, text);
}

/** Keeps the name of a providerRef, and replaces its kind. */
export function convertProviderReference(reference: YAMLMap): void {
  const former = take(reference, 'kind');
  const kind = newPair('kind', KIND);
  moveComments(former, kind);
  reference.items.unshift(newPair('group', GROUP), kind);
}
