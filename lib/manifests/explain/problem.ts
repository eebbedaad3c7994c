import { quote } from '../../apis/formats/quote.ts';

/** An error in a file: its position, what is wrong, and what is allowed instead. */
export interface ManifestProblem {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  /** `NodePool/default`, `Deployment/shop/web`; absent where there is no object at the position. */
  readonly object?: string;
  /** `spec.template.spec.requirements[0].operator`; empty for the whole document. */
  readonly field: string;
  readonly message: string;
  /** Completes "write …". */
  readonly allowed?: string;
  /** An instruction that replaces "write …". */
  readonly fix?: string;
}

/** The instruction to fix a problem, without a full stop; undefined where there is none. */
export function fixOf({ allowed, fix }: Pick<ManifestProblem, 'allowed' | 'fix'>): string | undefined {
  return fix ?? (allowed === undefined ? undefined : `write ${allowed}`);
}

/** The message and the instruction to fix it. */
export function sentenceOf(problem: Pick<ManifestProblem, 'message' | 'allowed' | 'fix'>): string {
  const fix = fixOf(problem);
  return fix === undefined ? problem.message : `${problem.message}; ${fix}`;
}

/** The path from the root of an object to a field: names and list indices. */
export type Path = readonly (string | number)[];

/** What is wrong with a value, and what is allowed. */
export interface Sentence {
  readonly message: string;
  readonly allowed?: string;
}

export interface Advice {
  /** Completes "write …". */
  readonly allowed?: string;
  /** An instruction that replaces "write …". */
  readonly fix?: string;
  /** Describes the same error with the source text of the value: 1.20 is read as 1.2, and on as true. */
  readonly restate?: (written: string) => Sentence;
}

/** One error in the structure of an object. */
export interface Explanation extends Sentence, Advice {
  readonly path: Path;
  /** Marks an unknown field, which the server would drop. The other fields are validated without it. */
  readonly unknown?: true;
  /** The sibling field that the unknown field was probably meant to be. */
  readonly meant?: string;
}

/** Reports one error of an object at a field. Advice given as text completes "write …". */
export type Report = (path: Path, message: string, advice?: string | Advice) => void;

export function formatPath(path: Path): string {
  return path.map(formatStep).join('').replace(/^\./, '');
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  return step.length <= 80 && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(step) ? `.${step}` : `[${quote(step)}]`;
}
