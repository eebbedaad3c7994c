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

/** The way from the root of an object to a field: names and list positions. */
export type Path = readonly (string | number)[];

/** Takes one fault of an object at a field; `allowed` completes "write …". */
export type Report = (path: Path, message: string, allowed?: string) => void;

export function formatPath(path: Path): string {
  return path.map(formatStep).join('').replace(/^\./, '');
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(step) ? `.${step}` : `[${quote(step)}]`;
}

/** A value as a message shows it: JSON, cut where it is long. */
export function quote(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
