import { subjectNameOf } from '../subject.ts';
import type { ConvertedObject } from './open-document.ts';
import { textAt } from './yaml-map.ts';

/** Warns where two objects get the same kind and name: the one applied last replaces the other. */
export function warnOfDuplicates(objects: readonly ConvertedObject[]): void {
  const first = new Set<string>();
  for (const { subject, outcome } of [
    ...objects.filter((one) => !one.outcome.changed),
    ...objects.filter(isConverted),
  ]) {
    const kind = textAt(subject.root, 'kind') ?? '';
    if (kind !== 'NodePool' && kind !== 'EC2NodeClass') continue;
    const name = `${kind}/${subjectNameOf(subject.root)}`;
    if (outcome.changed && first.has(name))
      subject.warn(
        subject.root,
        `became ${name}, which exists twice; the one applied last replaces the other`,
        'remove one of the two, or rename it',
      );
    first.add(name);
  }
}

function isConverted({ outcome }: ConvertedObject): boolean {
  return outcome.changed;
}
