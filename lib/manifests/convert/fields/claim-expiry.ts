import { isScalar } from 'yaml';
import type { ConvertedObject } from '../documents/open-document.ts';
import { find, isNull, mapAt, textAt, write } from '../documents/yaml-map.ts';
import { subjectNameOf } from '../subject.ts';

/** Copies expireAfter from NodePools to their NodeClaims. Before v1 only the NodePool had this field. */
export function placeExpiries(objects: readonly ConvertedObject[]): void {
  const pools = new Map(
    objects
      .map(({ subject: { root } }) => root)
      .filter(isPool)
      .map((root) => [subjectNameOf(root), root]),
  );
  for (const { subject, outcome } of objects) {
    const { expiresLike: name } = outcome;
    const spec = mapAt(subject.root, 'spec');
    if (name === undefined || spec === undefined) continue;
    const pool = pools.get(name);
    const nodes = mapAt(pool, 'spec', 'template', 'spec');
    const expiry = nodes === undefined ? undefined : find(nodes, 'expireAfter')?.value;
    if (isScalar(expiry) && !isNull(expiry)) write(spec, 'expireAfter', expiry.value);
    else if (pool === undefined)
      subject.warn(
        { within: spec, field: 'expireAfter' },
        `is unknown: its NodePool "${name}" is not among the documents; v1 sets 720h`,
        'convert the NodeClaim together with its NodePool, or write the expireAfter of the NodePool',
      );
  }
}

function isPool(root: ConvertedObject['subject']['root']): boolean {
  return textAt(root, 'kind') === 'NodePool' && textAt(root, 'apiVersion') === 'karpenter.sh/v1';
}
