import { quote } from '../../apis/quote.ts';

/** What is wrong with a file, where, and what may stand there instead. */
export interface ManifestProblem {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  /** `NodePool/default`, `Deployment/shop/web`; absent where the file has no object there. */
  readonly object?: string;
  /** `spec.template.spec.requirements[0].operator`; empty where the whole document is meant. */
  readonly field: string;
  readonly message: string;
  /** Completes "write …". */
  readonly allowed?: string;
  /** What to do, where that is more than to write something. */
  readonly fix?: string;
}

/** What to do about it, as a sentence without its full stop; undefined where there is nothing to say. */
export function fixOf({ allowed, fix }: Pick<ManifestProblem, 'allowed' | 'fix'>): string | undefined {
  return fix ?? (allowed === undefined ? undefined : `write ${allowed}`);
}

/** What is wrong and what to do about it. */
export function sentenceOf(problem: Pick<ManifestProblem, 'message' | 'allowed' | 'fix'>): string {
  const fix = fixOf(problem);
  return fix === undefined ? problem.message : `${problem.message}; ${fix}`;
}

/** The way from the root of an object to a field: names and list positions. */
export type Path = readonly (string | number)[];

/** What is wrong with a value, and what may stand there. */
export interface Sentence {
  readonly message: string;
  readonly allowed?: string;
}

export interface Advice {
  /** Completes "write …". */
  readonly allowed?: string;
  /** What to do, where that is more than to write something. */
  readonly fix?: string;
  /** The same fault told with the value as the file has it: 1.20 is read as 1.2, and on as true. */
  readonly restate?: (written: string) => Sentence;
}

/** One fault of an object's form. */
export interface Explanation extends Sentence, Advice {
  readonly path: Path;
  /** A field that the server would drop: all others can be judged as if it were not there. */
  readonly unknown?: true;
  /** The field beside it that an unknown one was meant to be. */
  readonly meant?: string;
}

/** Takes one fault of an object at a field; advice that is text completes "write …". */
export type Report = (path: Path, message: string, advice?: string | Advice) => void;

export function formatPath(path: Path): string {
  return path.map(formatStep).join('').replace(/^\./, '');
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  return step.length <= 80 && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(step) ? `.${step}` : `[${quote(step)}]`;
}
