import { counted } from '../../apis/counted.ts';
import { listNames } from '../../manifests/lint/values/words.ts';
import { NOT_USED } from '../../manifests/read/classify.ts';
import type { IgnoredObject } from '../../manifests/read/ignored-object.ts';
import type { PassedOver } from '../../manifests/read/passed-over.ts';
import { printable } from './render-lines.ts';

/** Up to this number, each object or file has its own line. */
const FEW = 3;
const MAX_NAMES = 8;

/** The note on an object of a kind that means nothing to a plan. */
export const NOT_PLANNED = 'not used by a plan';

/** Notes on objects that are ignored: one line for each, or one line for all with the same reason. */
export function ignoredNotes(ignored: readonly IgnoredObject[]): readonly string[] {
  return [...Map.groupBy(ignored, ({ note }) => note)].flatMap(([note, objects]) =>
    objects.length <= FEW ? objects.map(oneIgnored) : [manyIgnored(note, objects)],
  );
}

/** Notes on files and documents that are not objects of a cluster: one line for all with the same reason. */
export function passedOverNotes(passedOver: readonly PassedOver[]): readonly string[] {
  return [...Map.groupBy(passedOver, ({ what }) => what)].map(([what, documents]) => {
    const names = new Set(documents.map(({ file, line }) => (line === 1 ? file : `${file}:${line}`)));
    const subject = names.size === 1 ? 'it' : 'each';
    return printable(`passed over, because ${subject} ${what}: ${listNames([...names], MAX_NAMES)}`);
  });
}

function oneIgnored({ file, line, kind, name, note }: IgnoredObject): string {
  return printable(`${file}:${line}  ${kind}/${name}: ${note}`);
}

function manyIgnored(note: string, objects: readonly IgnoredObject[]): string {
  const kinds = Map.groupBy(objects, ({ kind }) => kind);
  const count = `${counted(objects.length, 'object')} of ${counted(kinds.size, 'kind')}`;
  if (note === NOT_USED || note === NOT_PLANNED) {
    const shown = [...kinds].map(([kind, { length }]) => (length === 1 ? kind : `${kind} (${length})`));
    return printable(`${count} are ${note}: ${listNames(shown, MAX_NAMES)}`);
  }
  const names = objects.map(({ kind, name }) => `${kind}/${name}`);
  return printable(`${count}: ${note}: ${listNames(names, MAX_NAMES)}`);
}
