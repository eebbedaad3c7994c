import { fixOf, type ManifestProblem } from './problem.ts';

/** One line: `pool.yaml:12:9  NodePool/default  spec.weight: 0 is too small; write a number from 1 to 100`. */
export function formatProblem(problem: ManifestProblem): string {
  const { file, line, column, object, field, message } = problem;
  const fix = fixOf(problem);
  const place = `${file}:${line}${column === undefined ? '' : `:${column}`}`;
  const what = field === '' ? message : `${field}: ${message}`;
  return [place, object, fix === undefined ? what : `${what}; ${fix}`].filter(Boolean).join('  ');
}
