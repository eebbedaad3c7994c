import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../lib/manifests/explain/format-problem.ts';
import type { ManifestProblem } from '../../../lib/manifests/explain/problem.ts';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';

const ROOT = new URL('../../../../shared/data/nodepools/', import.meta.url);

/** Accepted by the structure of Karpenter's schemas, and refused here by a rule that the verdicts leave out. */
const REFUSED_BY_RULES: readonly (readonly [field: RegExp, message: RegExp, reason: string])[] = [
  [
    /nodeClassRef\.(?:group|kind)$/,
    /not a (?:group|kind) that Kerf reads/,
    'A1.30: another provider, such as EKS Auto Mode',
  ],
  [
    /requirements\[\d+\]\.values\[0\]$/,
    /"<<AZ>>" is not a label value: a placeholder that was not replaced/,
    "A1.26: Karpenter's own check; the verdicts leave values out",
  ],
  [
    /amiSelectorTerms\[0\]\.alias$/,
    /"ubuntu@latest"/,
    'A3.5: a family that Karpenter does not have; the verdicts leave CEL out',
  ],
];

const NO_YAML = 'no YAML: a template that is not rendered';
const PLACEHOLDER = 'has placeholders that are not filled in';
const OWN_LABEL = "A1.3: labels nodes with a label of Karpenter's own domain, which v1 refuses";
const BROKEN_THEN = 'broken in its own version, too: required fields are missing, or a value is none';

/** Written for a Karpenter before v1, and no object of v1 whatever the conversion does. */
const OLD_AND_REFUSED: Readonly<Record<string, string>> = {
  'helm/aws-ia__terraform-aws-eks-blueprints/patterns__bottlerocket__karpenter-resources__templates__ec2nodeclass.yaml':
    NO_YAML,
  'helm/aws-ia__terraform-aws-eks-blueprints/patterns__bottlerocket__karpenter-resources__templates__nodepool.yaml':
    NO_YAML,
  'helm/paulofponciano__EKS-Cilium/karpenter__provisioner.yml.tpl.yaml': NO_YAML,
  'yaml/abdulfrfr__hostspace_capestone/karpenter__nodepool.yaml': PLACEHOLDER,
  'yaml/paulofponciano__EKS-Cilium/karpenter__nodeclass.yaml': PLACEHOLDER,
  'yaml/paulofponciano__EKS-Cilium/karpenter__nodepool.yaml': PLACEHOLDER,
  'yaml/jasontsaicc__eks-terraform-karpenter/karpenter__provisioner.yaml': OWN_LABEL,
  'yaml/jasontsaicc__eks-terraform-karpenter/karpenter__provisioners.yaml': OWN_LABEL,
  'markdown/jasontsaicc__eks-terraform-karpenter/archived__docs__ENTERPRISE_EKS_DEPLOYMENT_GUIDE.md.00.yaml':
    BROKEN_THEN,
  'yaml/matt-e-builds__karpenter-ai-agent/tests__fixtures__basic-karpenter.yaml': BROKEN_THEN,
  'yaml/matt-e-builds__karpenter-ai-agent/tests__fixtures__ec2nodeclass-ami.yaml': BROKEN_THEN,
  'yaml/matt-e-builds__karpenter-ai-agent/tests__fixtures__edge-cases-karpenter.yaml': BROKEN_THEN,
  'yaml/matt-e-builds__karpenter-ai-agent/tests__fixtures__nodepool-nodeclass.yaml': BROKEN_THEN,
  'yaml/jasontsaicc__eks-terraform-karpenter/k8s-manifests__karpenter-provisioner.yaml':
    'has AWSNodeInstanceProfiles, a kind that Karpenter never had',
};

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

function textOf(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8');
}

function problemsOf(file: string): readonly ManifestProblem[] {
  return readManifests([{ file, text: textOf(file) }]).problems;
}

function explained({ field, message }: ManifestProblem): boolean {
  return REFUSED_BY_RULES.some(([where, what]) => where.test(field) && what.test(message));
}

if (existsSync(ROOT)) {
  const judged = rows().filter(({ verdict }) => verdict !== '');
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

    const old = rows()
      .filter(({ kinds, verdict }) => verdict === '' && /\/v1(?:alpha|beta)\d\//.test(kinds))
      .map(({ file }) => file);
    const readable = old.filter((file) => !Object.hasOwn(OLD_AND_REFUSED, file));
    test.each(readable)('%s is read as what it is in v1', (file) => {
      const { problems, manifests } = readManifests([{ file, text: textOf(file) }]);
      expect(problems.filter((problem) => !explained(problem)).map(formatProblem)).toEqual([]);
      expect(manifests.nodePools.length + manifests.nodeClasses.length).toBeGreaterThan(0);
    });

    test.each(Object.entries(OLD_AND_REFUSED).filter(([file]) => old.includes(file)))('%s is refused: %s', (file) => {
      expect(problemsOf(file).filter((problem) => !explained(problem))).not.toEqual([]);
    });

    test('most of the old files are read', () => {
      expect(readable.length).toBeGreaterThan(old.length / 2);
    });
  });
} else {
  test.skip('manifests of public repositories: needs ../shared/data, absent here', () => {});
}
