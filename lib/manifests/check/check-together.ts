import { quote } from '../../apis/formats/quote.ts';
import { inScenarioNamespace } from '../../apis/scenario.ts';
import { suggest } from '../../core/suggest.ts';
import type { Path, Report } from '../explain/problem.ts';
import type { ReadKind } from '../read/classify.ts';
import type { ReadObject } from '../read/read-object.ts';

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
  checkDuplicates(all.declared);
  const scenarios = all.declared.filter(({ kind }) => kind === 'Scenario');
  for (const { report } of scenarios.slice(1)) {
    report(['kind'], `is a second Scenario; the first is at ${scenarios[0]?.place ?? ''}`, 'one Scenario in all files');
  }
  for (const read of all.objects) {
    if (read.kind === 'NodePool') checkNodeClassRef(read.object.spec.template.spec.nodeClassRef, all, read.report);
    if (read.kind === 'Scenario') {
      for (const [index, event] of read.object.spec.events.entries()) {
        const at = ['spec', 'events', index];
        const { scale, deleteNode, interruptSpot } = event;
        if (scale !== undefined)
          checkReference(
            { kind: 'Deployment', key: inScenarioNamespace(scale.deployment), at: [...at, 'scale', 'deployment'] },
            all,
            read.report,
          );
        if (deleteNode?.nodePool !== undefined)
          checkReference(
            { kind: 'NodePool', key: deleteNode.nodePool, at: [...at, 'deleteNode', 'nodePool'] },
            all,
            read.report,
          );
        if (interruptSpot?.nodePool !== undefined)
          checkReference(
            { kind: 'NodePool', key: interruptSpot.nodePool, at: [...at, 'interruptSpot', 'nodePool'] },
            all,
            read.report,
          );
      }
    }
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

function checkNodeClassRef(
  { group, kind, name }: { readonly group: string; readonly kind: string; readonly name: string },
  all: Together,
  report: Report,
): void {
  const at = ['spec', 'template', 'spec', 'nodeClassRef'];
  if (group !== 'karpenter.k8s.aws')
    report([...at, 'group'], `${quote(group)} is not a group that Kerf reads`, 'karpenter.k8s.aws');
  else if (kind !== 'EC2NodeClass')
    report([...at, 'kind'], `${quote(kind)} is not a kind that Kerf reads`, 'EC2NodeClass');
  else checkReference({ kind: 'EC2NodeClass', key: name, at: [...at, 'name'] }, all, report);
}

interface Reference {
  readonly kind: ReadKind;
  readonly key: string;
  readonly at: Path;
}

function checkReference({ kind, key, at }: Reference, { declared }: Together, report: Report): void {
  const known = declared.filter((object) => object.kind === kind).map((object) => object.key);
  if (known.includes(key)) return;
  const nearest = suggest(key, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  const allowed =
    known.length === 0
      ? `the ${kind} to one of the files, which have none`
      : `one of ${known.join(', ')}, or add the ${kind} to the files`;
  report(at, `no file has ${kind === 'EC2NodeClass' ? 'an' : 'a'} ${kind} ${quote(key)}${hint}`, allowed);
}
