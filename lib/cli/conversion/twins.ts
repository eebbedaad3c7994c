import type { ConvertedObject } from './open-document.ts';
import { nameOf } from './subject.ts';
import { textAt } from './yaml-map.ts';

/** Former kinds had names of their own; as one kind, two objects of one name are one object, and the last applied wins. */
export function warnOfTwins(objects: readonly ConvertedObject[]): void {
  const first = new Set<string>();
  for (const { subject, outcome } of [
    ...objects.filter((one) => !one.outcome.changed),
    ...objects.filter(isConverted),
  ]) {
    const kind = textAt(subject.root, 'kind') ?? '';
    if (kind !== 'NodePool' && kind !== 'EC2NodeClass') continue;
    const name = `${kind}/${nameOf(subject.root)}`;
    if (outcome.changed && first.has(name))
      subject.warn(
        subject.root,
        `became ${name}, and there is another one; whichever is applied last replaces the other`,
        'keep one of the two, or give one another name',
      );
    first.add(name);
  }
}

function isConverted({ outcome }: ConvertedObject): boolean {
  return outcome.changed;
}
