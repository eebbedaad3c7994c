import { isMap, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Path } from '../manifests/problem.ts';
import { keepPairs, setValue } from './comments.ts';
import type { Origins } from './origins.ts';
import { find, isNull, mapAt, newPair, setText, textAt } from './yaml-map.ts';

export interface ConversionWarning {
  /** The way to the field in the document as it was, the List around the object included. */
  readonly path: Path;
  /** Where that stands in the text, in characters; for a field that was not there, where the map that lacks it does. */
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

/** One object while it is converted. */
export interface Subject {
  readonly root: YAMLMap;
  /** The items of the List that the object stands in. */
  readonly list: YAMLSeq | undefined;
  readonly warn: (at: Spot, message: string, fix: string) => void;
}

/** What became of an object. */
export interface Outcome {
  readonly changed: boolean;
  /** New objects that belong behind it. */
  readonly added: readonly YAMLMap[];
  /** Kubelet settings that have left the object, and go to its node class. */
  readonly kubelet?: KubeletSettings;
  /** The NodePool whose expireAfter a NodeClaim is to have, for it was the pool's alone before v1. */
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
): Subject {
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

export function nameOf(root: YAMLMap): string {
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

/** The spec to convert, made where it is missing; undefined, with a warning, where it is no map. */
export function specOf(subject: Subject): YAMLMap | undefined {
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

/** What the controller writes is no part of a manifest. */
export function dropStatus({ root, warn }: Subject): void {
  const status = find(root, 'status');
  if (status === undefined) return;
  keepPairs(root, (pair) => pair !== status);
  warn(status, 'was left out: the controller writes the status', 'leave the status out of the manifest');
}
