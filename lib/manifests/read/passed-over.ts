import { isRecord, ownField, textField, type UnknownRecord } from '../../apis/record.ts';
import { suggest } from '../../core/suggest.ts';
import type { ManifestProblem } from '../explain/problem.ts';
import { classify, READ_KINDS } from './classify.ts';
import type { TextProblem } from './yaml-problems.ts';

/** A file, or one document of it, that is not an object of a cluster, for example a Kustomization. */
export interface PassedOver {
  readonly file: string;
  readonly line: number;
  /** What it is. The text continues a sentence that begins with the file. */
  readonly what: string;
  /** The error of text that names Karpenter and cannot be read. */
  readonly problem?: ManifestProblem;
}

/** Where a document is. */
interface Found {
  readonly file: string;
  readonly inFolder?: true;
}

const KUSTOMIZE = 'kustomize.config.k8s.io/';
const KUSTOMIZATION_FILE = /^kustomization(?:\.ya?ml)?$/i;
const HELM_FILE = /^(?:Chart|requirements|.*values.*)\.ya?ml$/i;

/** True for a Kustomization or a Component of kustomize. */
function isKustomization(file: string, value: unknown): boolean {
  return (textField(value, 'apiVersion') ?? '').startsWith(KUSTOMIZE) || KUSTOMIZATION_FILE.test(baseName(file));
}

/**
 * Why a document is passed over; undefined for one that is read or reported. A file of a folder may be anything. A file that the
 * user names is expected to have manifests.
 */
export function whyPassedOver({ file, inFolder }: Found, value: unknown): string | undefined {
  if (isKustomization(file, value)) return 'is a Kustomization (use the output of `kustomize build`)';
  const hasHead = textField(value, 'apiVersion') !== undefined && textField(value, 'kind') !== undefined;
  if (!hasHead && HELM_FILE.test(baseName(file))) return 'belongs to a Helm chart (use the output of `helm template`)';
  if (isJsonPatch(value) || (isRecord(value) && Object.hasOwn(value, '$patch'))) return 'is a patch';
  return inFolder === true && !isMeantAsObject(value) ? 'is not a Kubernetes object' : undefined;
}

/** Why text that cannot be parsed is passed over, in a folder. */
export function whyTextPassedOver(text: string, problems: readonly TextProblem[]): string | undefined {
  const template = problems.find(({ isTemplate }) => isTemplate);
  if (template !== undefined) return template.message;
  return /apiVersion/.test(text) ? undefined : 'is not a Kubernetes object';
}

/** The files that the patches of Kustomizations name, as resolved paths. */
export function patchFiles(file: string, value: unknown): readonly string[] {
  if (!isKustomization(file, value)) return [];
  return ['patches', 'patchesStrategicMerge', 'patchesJson6902'].flatMap((field) => {
    const list = ownField(value, field);
    if (!Array.isArray(list)) return [];
    return list.flatMap((one: unknown) => {
      const path = typeof one === 'string' ? one : textField(one, 'path');
      return path === undefined || path.includes('\n') ? [] : [resolvedPath(path, file)];
    });
  });
}

/** The path without `.` and `..`, for comparisons. */
export function resolvedPath(path: string, fromFile = ''): string {
  const folder = path.startsWith('/') ? '' : fromFile.slice(0, fromFile.lastIndexOf('/') + 1);
  const steps: string[] = [];
  for (const step of `${folder}${path}`.split('/')) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (step !== '.' && (step !== '' || steps.length === 0)) steps.push(step);
  }
  return steps.join('/');
}

function isJsonPatch(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => textField(one, 'op') !== undefined && textField(one, 'path') !== undefined)
  );
}

/** False where nothing in the document is similar to an object that is read. */
function isMeantAsObject(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isMeantAsObject);
  if (!isRecord(value)) return false;
  const found = classify(value);
  if (found.kind !== 'wrong') return true;
  if (found.isForeign === true) return false;
  return hasHeadOrBody(value);
}

function hasHeadOrBody(value: UnknownRecord): boolean {
  const [kind, apiVersion] = [textField(value, 'kind'), textField(value, 'apiVersion')];
  if (kind !== undefined && apiVersion !== undefined) return true;
  if (kind !== undefined && suggest(kind, Object.keys(READ_KINDS)) !== undefined) return true;
  return isRecord(value['metadata']) || isRecord(value['spec']);
}

function baseName(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
}
