import { type ManifestProblem, sentenceOf } from './problem.ts';

/** Formats a problem as one line: `pool.yaml:12:9  NodePool/default  spec.weight: 0 is too small; write a number from 1 to 100`. */
export function formatProblem(problem: ManifestProblem): string {
  const { file, line, column, object, field } = problem;
  const place = `${file}:${line}${column === undefined ? '' : `:${column}`}`;
  const sentence = sentenceOf(problem);
  return [place, object, field === '' ? sentence : `${field}: ${sentence}`].filter(Boolean).join('  ');
}
