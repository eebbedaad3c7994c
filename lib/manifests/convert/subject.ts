import { isMap, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Path } from '../explain/problem.ts';
import { keepPairs, setValue } from './documents/comments.ts';
import type { Origins } from './documents/origins.ts';
import { find, isNull, mapAt, newPair, pairKeyOf, setText, textAt } from './documents/yaml-map.ts';

export interface ConversionWarning {
  /** The path to the field in the original document, including the List that contains the object. */
  readonly path: Path;
  /** The offset of the field in the text, in characters; for a missing field, the offset of the map that lacks it. */
  readonly offset: number;
  readonly message: string;
  readonly fix: string;
}

/** A node, a field, or a field that a map lacks. */
export type Spot = object | Missing;

export interface Missing {
  readonly within: object;
  readonly field: string;
}

/** One object during its conversion. */
export interface ConversionSubject {
  readonly root: YAMLMap;
  /** The items of the List that contains the object. */
  readonly list: YAMLSeq | undefined;
  readonly warn: (at: Spot, message: string, fix: string) => void;
}

/** The result of converting an object. */
export interface Outcome {
  readonly changed: boolean;
  /** New objects, which follow it. */
  readonly added: readonly YAMLMap[];
  /** Kubelet settings that were removed from the object, to be moved to its node class. */
  readonly kubelet?: KubeletSettings;
  /** The NodePool whose expireAfter a NodeClaim gets. Before v1 only the pool had this field. */
  readonly expiresLike?: string;
}

export interface KubeletSettings {
  readonly field: Pair;
  readonly settings: YAMLMap;
}

export const UNCHANGED: Outcome = { changed: false, added: [] };
export const CHANGED: Outcome = { changed: true, added: [] };

export function makeSubject(
  root: YAMLMap,
  list: YAMLSeq | undefined,
  sink: { readonly origins: Origins; readonly warnings: ConversionWarning[] },
): ConversionSubject {
  return {
    root,
    list,
    warn: (at, message, fix) => {
      const missing = isMissing(at) ? at : undefined;
      const node = missing === undefined ? at : missing.within;
      const origin = sink.origins.get(node) ?? sink.origins.get(root) ?? { path: [], offset: 0 };
      const path = missing === undefined ? origin.path : [...origin.path, missing.field];
      sink.warnings.push({ path, offset: origin.offset, message, fix });
    },
  };
}

function isMissing(at: Spot): at is Missing {
  return 'within' in at && 'field' in at;
}

export function subjectNameOf(root: YAMLMap): string {
  return textAt(mapAt(root, 'metadata'), 'name') ?? '';
}

export function setHead(root: YAMLMap, apiVersion: string, kind: string): void {
  setField(root, 'kind', kind);
  setField(root, 'apiVersion', apiVersion);
}

function setField(root: YAMLMap, name: string, text: string): void {
  const pair = find(root, name);
  if (pair === undefined) root.items.unshift(newPair(name, text));
  else setText(pair, text);
}

/** The spec, created where it is missing; undefined, with a warning, where it is not a map. */
export function specOf(subject: ConversionSubject): YAMLMap | undefined {
  const pair = find(subject.root, 'spec');
  if (pair !== undefined && !isNull(pair.value)) {
    if (isMap(pair.value)) return pair.value;
    subject.warn(pair, 'is not a map, so nothing in it was converted', 'write spec as a map of fields');
    return undefined;
  }
  const made = newPair('spec', {});
  if (pair === undefined) subject.root.items.push(made);
  else setValue(pair, made.value);
  return mapAt(subject.root, 'spec');
}

/** What the API server and kubectl write into the metadata of an object. */
const SERVER_METADATA: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Removes what only the API server, kubectl and controllers write: `kubectl get -o yaml` prints it. */
export function dropServerFields(subject: ConversionSubject): void {
  const { root, warn } = subject;
  const status = find(root, 'status');
  if (status !== undefined) {
    keepPairs(root, (pair) => pair !== status);
    warn(status, 'was removed: the controller writes the status', 'remove the status from the manifest');
  }
  const metadata = mapAt(root, 'metadata');
  if (metadata === undefined) return;
  const written = metadata.items.filter((pair) => SERVER_METADATA.has(pairKeyOf(pair) ?? ''));
  const [first] = written;
  if (first !== undefined) {
    const names = written.map(pairKeyOf).join(', ');
    warn(first, `${names}: removed, because the API server writes it`, 'remove it from the manifest');
    keepPairs(metadata, (pair) => !written.includes(pair));
  }
  dropLastApplied(subject, metadata);
}

function dropLastApplied({ warn }: ConversionSubject, metadata: YAMLMap): void {
  const annotations = mapAt(metadata, 'annotations');
  const applied = annotations === undefined ? undefined : find(annotations, LAST_APPLIED);
  if (annotations === undefined || applied === undefined) return;
  warn(applied, 'was removed: kubectl apply writes it', 'remove the annotation from the manifest');
  keepPairs(annotations, (pair) => pair !== applied);
  if (annotations.items.length === 0) keepPairs(metadata, (pair) => pairKeyOf(pair) !== 'annotations');
}
