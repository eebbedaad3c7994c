import { quote } from '../../apis/formats/quote.ts';
import type { NodeClassReference } from '../../apis/generated/node-pool.ts';
import { NODE_POOL } from '../../apis/labels.ts';
import { suggest } from '../../core/suggest.ts';
import type { Path, Report } from '../explain/problem.ts';
import type { ReadKind } from '../read/classify.ts';
import type { ReadObject } from '../read/read-object.ts';
import { checkReference, type Names } from './check-reference.ts';
import { checkScenarioReferences } from './check-scenario-references.ts';

const GROUP = 'karpenter.k8s.aws';
const KIND = 'EC2NodeClass';
const IN_NODE_POOL: Path = ['spec', 'template', 'spec', 'nodeClassRef'];

/** An object in one of the files, valid or not. A reference to an invalid object is not an error. */
export interface Declared {
  readonly kind: ReadKind;
  /** `namespace/name`, or the name alone for cluster-scoped objects. */
  readonly key: string;
  readonly place: string;
  readonly report: Report;
}

export interface Together {
  readonly declared: readonly Declared[];
  readonly objects: readonly (ReadObject & { readonly report: Report })[];
}

/** Checks the rules across files: each object occurs once, and each referenced object exists. */
export function checkTogether(all: Together): void {
  // Charts and folders often have the same Namespace. kubectl applies each, and the last is in effect.
  checkDuplicates(all.declared.filter(({ kind }) => kind !== 'Namespace'));
  const scenarios = all.declared.filter(({ kind }) => kind === 'Scenario');
  for (const { report } of scenarios.slice(1)) {
    report(['kind'], `is a second Scenario; the first is at ${scenarios[0]?.place ?? ''}`, 'one Scenario in all files');
  }
  const nodePools = all.objects.flatMap((read) => (read.kind === 'NodePool' ? [read.object] : []));
  for (const read of all.objects) {
    if (read.kind === 'NodePool') {
      checkNodeClassKind(read.object.spec.template.spec.nodeClassRef, read.report);
      checkMisspeltNodeClass(read, all.declared, read.report);
    }
    if (read.kind === 'Scenario')
      checkScenarioReferences({ manifest: read.object, nodePools, names: all.declared, report: read.report });
  }
}

function checkDuplicates(declared: readonly Declared[]): void {
  const first = new Map<string, string>();
  for (const { kind, key, place, report } of declared) {
    const name = `${kind}/${key}`;
    const before = first.get(name);
    if (before !== undefined)
      report(
        ['metadata', 'name'],
        `${name} is defined twice; the first is at ${before}`,
        'another name, or remove one of the two',
      );
    first.set(name, before ?? place);
  }
}

/** Checks that the EC2NodeClass of a NodePool, or of a NodeClaim without a NodePool, exists. */
export function checkNodeClassName(read: ReadObject, names: Names, report: Report): void {
  const found = nodeClassNameOf(read);
  if (found !== undefined) checkReference({ kind: KIND, key: found.name, at: found.at }, names, report);
}

/** Reports a name that is similar to that of an EC2NodeClass of the files. Any other class may be in the cluster. */
function checkMisspeltNodeClass(read: ReadObject, names: Names, report: Report): void {
  const known = names.flatMap(({ kind, key }) => (kind === KIND ? [key] : []));
  const found = nodeClassNameOf(read);
  if (found !== undefined && suggest(found.name, known) !== undefined) checkNodeClassName(read, names, report);
}

/** *Shape:* undefined for objects without a reference to an EC2NodeClass, and for NodeClaims of a NodePool. */
export function nodeClassNameOf(read: ReadObject): { readonly name: string; readonly at: Path } | undefined {
  if (read.kind === 'NodePool') return nameOf(read.object.spec.template.spec.nodeClassRef, IN_NODE_POOL);
  // The claim of a NodePool keeps its reference when the NodePool changes.
  if (read.kind !== 'NodeClaim' || read.object.metadata.labels?.[NODE_POOL] !== undefined) return undefined;
  return nameOf(read.object.spec.nodeClassRef, ['spec', 'nodeClassRef']);
}

function nameOf({ group, kind, name }: NodeClassReference, at: Path): ReturnType<typeof nodeClassNameOf> {
  return group === GROUP && kind === KIND ? { name, at: [...at, 'name'] } : undefined;
}

function checkNodeClassKind({ group, kind }: NodeClassReference, report: Report): void {
  if (group !== GROUP) report([...IN_NODE_POOL, 'group'], `${quote(group)} is not a group that Kerf reads`, GROUP);
  else if (kind !== KIND) report([...IN_NODE_POOL, 'kind'], `${quote(kind)} is not a kind that Kerf reads`, KIND);
}
