import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../lib/manifests/explain/format-problem.ts';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';

/** What is written, and the line, field and part of the message that answer it. */
export type Case = readonly [text: string, line: number, field: string, message: string];

/** Registers one test for each broken text. */
export function expectProblems(name: string, cases: readonly Case[]): void {
  describe(name, () => {
    const named = cases.map((row, index) => [`${index} ${row[2]}: ${row[3]}`, ...row] as const);
    test.each(named)('%s', (...[, text, line, field, message]) => {
      const { problems } = readManifests([{ file: 'a.yaml', text }]);
      const found = problems.filter((problem) => problem.field === field && problem.line === line);
      expect(found.map(formatProblem).join('\n'), problems.map(formatProblem).join('\n')).toContain(message);
    });
  });
}
