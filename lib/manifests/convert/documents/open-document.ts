import type { Document, YAMLMap } from 'yaml';
import { startOf } from '../../read/locate.ts';
import { expandAliases, hasAliases } from '../fields/expand-aliases.ts';
import { appliesTo, convertObject, isFormer } from '../kinds.ts';
import { type ConversionSubject, type ConversionWarning, makeSubject, type Outcome } from '../subject.ts';
import { type FoundObject, hasFormerList, objectsIn, untypeLists } from './objects-in.ts';
import { recordOrigins } from './origins.ts';

/** A converted object. Placing kubelet settings may change it again. */
export interface ConvertedObject {
  readonly subject: ConversionSubject;
  readonly outcome: Outcome;
  /** Adds another object after it. */
  add(root: YAMLMap): void;
  markChanged(): void;
}

export interface OpenDocument {
  readonly original: Document;
  /** The converted copy; absent where the conversion does not apply. */
  readonly working: Document | undefined;
  readonly objects: readonly ConvertedObject[];
  readonly warnings: readonly ConversionWarning[];
  /** Objects that follow in documents of their own. */
  readonly added: readonly YAMLMap[];
  isChanged(): boolean;
}

/** Converts each object in a copy of the document. The document itself is not modified. */
export function openDocument(original: Document): OpenDocument {
  const aliases = hasAliases(original.contents);
  const found = objectsIn(original.contents);
  if (!aliases && !found.some(({ head }) => appliesTo(head)) && !hasFormerList(original.contents))
    return untouched(original, []);
  const working = original.clone();
  const failure = aliases ? expandAliases(working) : undefined;
  if (failure !== undefined) {
    const warnings = found.some(({ head }) => isFormer(head)) ? [cannotExpand(original, failure)] : [];
    return untouched(original, warnings);
  }
  return convertIn(original, working);
}

function convertIn(original: Document, working: Document): OpenDocument {
  const warnings: ConversionWarning[] = [];
  const added: YAMLMap[] = [];
  const sink = { origins: recordOrigins(working.contents), warnings };
  let changed = hasFormerList(working.contents);
  untypeLists(working.contents);
  const objects = objectsIn(working.contents).map(({ root, head, list }: FoundObject): ConvertedObject => {
    const subject = makeSubject(root, list, sink);
    const outcome = convertObject(subject, head);
    changed ||= outcome.changed;
    const add = (behind: YAMLMap): void => {
      if (list === undefined) added.push(behind);
      else list.items.push(behind);
    };
    outcome.added.forEach(add);
    return {
      subject,
      outcome,
      add,
      markChanged: () => {
        changed = true;
      },
    };
  });
  return { original, working, objects, warnings, added, isChanged: () => changed };
}

function untouched(original: Document, warnings: readonly ConversionWarning[]): OpenDocument {
  return { original, working: undefined, objects: [], warnings, added: [], isChanged: () => false };
}

function cannotExpand(document: Document, reason: string): ConversionWarning {
  return keptUnchanged(document, `${reason}, so it was not converted`, 'write the repeated parts in full');
}

export function keptUnchanged(document: Document, message: string, fix: string): ConversionWarning {
  return { path: [], offset: startOf(document.contents) ?? 0, message, fix };
}
