import { fieldOf, isRecord, ownField, textField, type UnknownRecord } from '../../apis/record.ts';
import { once } from '../../core/kept-answers.ts';
import type { Names } from '../../manifests/check/check-reference.ts';
import { checkNodeClassName, nodeClassNameOf } from '../../manifests/check/check-together.ts';
import { fixOf, formatPath, type ManifestProblem, type Report, sentenceOf } from '../../manifests/explain/problem.ts';
import { acrossObjects } from '../../manifests/lint/across-objects.ts';
import { type Advisor, advisor } from '../../manifests/lint/advisor.ts';
import { nullTagAdvice } from '../../manifests/lint/null-tags.ts';
import { placeholders } from '../../manifests/lint/placeholders.ts';
import { shippedFigures } from '../../manifests/lint/values/shipped-figures.ts';
import { classify, isOurs } from '../../manifests/read/classify.ts';
import { type ManifestSource, readDocuments, type WrittenObject } from '../../manifests/read/read-documents.ts';
import { type ReadObject, readObject } from '../../manifests/read/read-object.ts';
import { reporterOf, type SourceObject } from '../../manifests/read/source-object.ts';
import type { Unreadable } from '../read-sources.ts';

export interface Finding {
  readonly severity: 'error' | 'warning';
  /** The field, from the root of the object: `spec.template.spec.requirements[0].operator`. */
  readonly path: string;
  readonly line: number;
  readonly message: string;
  /** The instruction to fix it, without a full stop; empty where the message contains it. */
  readonly fix: string;
}

export interface ValidatedObject {
  readonly file: string;
  /** The index of its document in the file, from 0. */
  readonly document: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** True if the API server and Karpenter's own validation accept it, and its EC2NodeClass is not missing among the objects. */
  readonly valid: boolean;
  readonly findings: readonly Finding[];
}

export interface Validation {
  readonly objects: readonly ValidatedObject[];
  readonly unreadable: readonly Unreadable[];
  /** The number of objects, including those of other kinds. */
  readonly seen: number;
}

/**
 * Validates Karpenter objects as the API server and Karpenter would, and warns of settings that are probably unintended.
 * *Shape:* objects of other kinds are left out, except those with a warning.
 * @param isComplete false if other files could not be read: they may contain what these objects reference
 */
export function validate(sources: readonly ManifestSource[], isComplete = true): Validation {
  const { objects, problems, passedOver } = readDocuments(sources);
  const classes = isComplete && problems.length === 0 ? nodeClassesOf(objects) : [];
  const checked = objects.map((object) => withClassNames(check(object), classes));
  const figures = once(shippedFigures);
  const values = objects.flatMap(({ today }) => today.map(({ value }) => value));
  const adviseAlone = advisor(values, figures);
  const adviseTogether = acrossObjects(
    checked.flatMap(({ read }) => read.map(({ object }) => object)),
    figures,
  );
  const advise: Advisor = (object) => [...adviseAlone(object), ...adviseTogether(object)];
  return {
    objects: checked.flatMap((one) => validatedObject(one, advise) ?? []),
    unreadable: [
      ...problems.map((problem) => ({ file: problem.file, line: problem.line, message: sentenceOf(problem) })),
      ...objects.flatMap(({ written }) => whyNoObject(written) ?? []),
      ...passedOver.flatMap(({ file, line, problem }) =>
        problem === undefined ? [] : [{ file, line, message: sentenceOf(problem) }],
      ),
    ],
    seen: objects.filter(({ written }) => isRecord(written.value)).length + passedOver.length,
  };
}

/** A document that is a list of Karpenter objects is an error, as in kubectl. Lists of other values are ignored. */
function whyNoObject({ file, document, base, value }: SourceObject): Unreadable | undefined {
  if (!Array.isArray(value) || !value.some(isOurs)) return undefined;
  const { line } = document.locate(base);
  return { file, line, message: 'is a list of objects; separate them with lines of ---' };
}

interface Checked {
  readonly object: WrittenObject;
  readonly errors: readonly ManifestProblem[];
  readonly warnings: readonly ManifestProblem[];
  readonly read: readonly { readonly source: SourceObject; readonly object: ReadObject }[];
}

function check(object: WrittenObject): Checked {
  const errors: ManifestProblem[] = [];
  const warnings: ManifestProblem[] = [];
  const read = object.today.flatMap((source) => {
    const found = classify(source.value);
    const report = reporterOf(source, errors);
    if (found.kind === 'wrong') report([found.field], found.message, found.allowed);
    if (found.kind !== 'read' || !isRecord(source.value)) return [];
    if (found.readKind === 'NodePool') checkConsolidateAfter(source.value, report);
    const sound = readObject(found.readKind, source.value, lenient(source, report, warnings));
    return sound === undefined ? [] : [{ source, object: sound }];
  });
  return { object, errors, warnings, read };
}

/** The EC2NodeClasses of all objects, valid or not. */
function nodeClassesOf(objects: readonly WrittenObject[]): Names {
  return objects.flatMap(({ today }) =>
    today.flatMap(({ value }) => {
      const found = classify(value);
      const name = textField(ownField(value, 'metadata'), 'name');
      if (found.kind !== 'read' || found.readKind !== 'EC2NodeClass' || name === undefined) return [];
      return [{ kind: found.readKind, key: name }];
    }),
  );
}

/**
 * Without an EC2NodeClass among the objects, the classes are in the cluster or in other files. A name with a placeholder may be
 * any name.
 */
function withClassNames(checked: Checked, classes: Names): Checked {
  if (classes.length === 0 || classes.some(({ key }) => hasPlaceholder(key))) return checked;
  const errors = [...checked.errors];
  for (const { source, object } of checked.read) {
    const isKnown = !hasPlaceholder(nodeClassNameOf(object)?.name);
    if (isKnown) checkNodeClassName(object, classes, reporterOf(source, errors));
  }
  return { ...checked, errors };
}

function hasPlaceholder(name: string | undefined): boolean {
  return placeholders(name, []).length > 0;
}

/** The server accepts an EC2NodeClass without a spec, so a missing spec is only a warning. */
function lenient(source: SourceObject, report: Report, warnings: ManifestProblem[]): Report {
  const { value } = source;
  if (textField(value, 'kind') !== 'EC2NodeClass' || !isRecord(value) || (value['spec'] ?? null) !== null)
    return report;
  return (path, message, allowed) => {
    if (formatPath(path) !== 'spec') report(path, message, allowed);
    else reporterOf(source, warnings)(path, 'is missing: the class selects nothing and never becomes ready', 'a spec');
  };
}

/** A1.11: the CRDs of Kerf and of Karpenter since 1.15 set a default; earlier CRDs reject the pool. */
function checkConsolidateAfter(nodePool: UnknownRecord, report: Report): void {
  const spec = fieldOf(nodePool, 'spec');
  const disruption = ownField(spec, 'disruption');
  if (!isRecord(disruption) || (disruption['consolidateAfter'] ?? null) !== null) return;
  report(
    ['spec', 'disruption', 'consolidateAfter'],
    'is missing, and Karpenter before 1.15 requires it where disruption is set',
    '0s, the default of Kerf and Karpenter 1.15',
  );
}

/** Undefined for an object of another kind without warnings. */
function validatedObject({ object, errors, read, ...checked }: Checked, advise: Advisor): ValidatedObject | undefined {
  const { written } = object;
  const warnings = [...object.warnings, ...checked.warnings];
  for (const { source, object: sound } of read) {
    const report = reporterOf(source, warnings);
    const asWritten = sound.kind === 'EC2NodeClass' ? nullTagAdvice(source.value) : [];
    for (const { path, message, allowed } of [...asWritten, ...advise(sound)]) report(path, message, allowed);
  }
  const ours = isOurs(written.value);
  if (!ours && warnings.length === 0) return undefined;
  const findings = [
    ...(ours ? errors.map((problem) => findingOf('error', problem, written)) : []),
    ...warnings.map((problem) => findingOf('warning', problem, written)),
  ].toSorted((a, b) => a.line - b.line);
  const metadata = ownField(written.value, 'metadata');
  return {
    file: written.file,
    document: written.document.index,
    apiVersion: textField(written.value, 'apiVersion') ?? '',
    kind: textField(written.value, 'kind') ?? '',
    name: textField(metadata, 'name') ?? textField(metadata, 'generateName') ?? '',
    valid: findings.every(({ severity }) => severity === 'warning'),
    findings,
  };
}

function findingOf(severity: Finding['severity'], problem: ManifestProblem, { base }: SourceObject): Finding {
  const around = formatPath(base);
  const path = problem.field.startsWith(around) ? problem.field.slice(around.length).replace(/^\./, '') : problem.field;
  return { severity, path, line: problem.line, message: problem.message, fix: fixOf(problem) ?? '' };
}
