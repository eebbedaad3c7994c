import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../lib/cli/manifests/format-problem.ts';
import type { ManifestProblem } from '../../../lib/cli/manifests/problem.ts';
import { readManifests } from '../../../lib/cli/manifests/read-manifests.ts';

const ROOT = new URL('../../../../shared/data/nodepools/', import.meta.url);

/** Accepted by the structure of Karpenter's schemas, and refused here by a rule that the verdicts leave out. */
const REFUSED_BY_RULES: readonly (readonly [field: RegExp, message: RegExp, reason: string])[] = [
  [
    /nodeClassRef\.(?:group|kind)$/,
    /not a (?:group|kind) that Kerf reads/,
    'A1.30: another provider, such as EKS Auto Mode',
  ],
  [/nodeClassRef\.name$/, /no file has an EC2NodeClass/, 'the class is in another file'],
  [
    /requirements\[\d+\]\.values\[0\]$/,
    /"<<AZ>>" .* a placeholder/,
    'A1.5: no label value; the verdicts leave values out',
  ],
  [
    /amiSelectorTerms\[0\]\.alias$/,
    /"ubuntu@latest"/,
    'A3.5: a family that Karpenter does not have; the verdicts leave CEL out',
  ],
];

interface Row {
  readonly file: string;
  readonly kinds: string;
  readonly verdict: string;
}

function rows(): readonly Row[] {
  const table = readFileSync(new URL('MANIFEST.tsv', ROOT), 'utf8').trim().split(/\r?\n/).slice(1);
  return table.map((line) => {
    const columns = line.split('\t');
    return { file: columns[0] ?? '', kinds: columns[8] ?? '', verdict: columns[9] ?? '' };
  });
}

function problemsOf(file: string): readonly ManifestProblem[] {
  return readManifests([{ file, text: readFileSync(new URL(file, ROOT), 'utf8') }]).problems;
}

function explained({ field, message }: ManifestProblem): boolean {
  return REFUSED_BY_RULES.some(([where, what]) => where.test(field) && what.test(message));
}

if (existsSync(ROOT)) {
  const judged = rows().filter(({ verdict }) => verdict !== '' && !verdict.includes('NodeOverlay'));
  const sound = judged.filter(({ verdict }) => verdict.split(',').every((each) => each.endsWith(':ok')));

  describe('manifests of public repositories', () => {
    test.each(sound.map(({ file }) => file))('%s is accepted, as by Karpenter', (file) => {
      const unexplained = problemsOf(file).filter((problem) => !explained(problem));
      expect(unexplained.map(formatProblem)).toEqual([]);
    });

    test.each(judged.filter((row) => !sound.includes(row)).map(({ file }) => file))(
      '%s is refused, as by Karpenter',
      (file) => {
        expect(problemsOf(file).filter((problem) => !explained(problem))).not.toEqual([]);
      },
    );

    const old = rows().filter(({ kinds, verdict }) => verdict === '' && /\/v1(?:alpha|beta)\d\//.test(kinds));
    test.each(old.map(({ file }) => file))('%s is refused: written for an older Karpenter, or no YAML', (file) => {
      expect(problemsOf(file)).not.toEqual([]);
    });
  });
} else {
  test.skip('manifests of public repositories: needs ../shared/data, absent here', () => {});
}
