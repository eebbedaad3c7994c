import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ProvisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import { aDeployment } from '../../builders/cluster-manifests.ts';
import { CLASS, join, POOL } from '../manifest-texts.ts';
import { runKerf } from '../run-kerf.ts';

/** `kerf plan` with manifests and without a snapshot. */

const WEB = stringify({ apiVersion: 'apps/v1', kind: 'Deployment', ...aDeployment('web', 6) });
const FILES = { 'pool.yaml': POOL, 'class.yaml': CLASS, 'web.yaml': WEB };
const ZONE = '        - {key: topology.kubernetes.io/zone, operator: In, values: [eu-west-1a]}\n';

async function planned(args: readonly string[], files: Readonly<Record<string, string>> = FILES) {
  const ran = await runKerf(['plan', ...args, '-o', 'json'], files);
  const output: ProvisioningOutput = JSON.parse(ran.stdout);
  return { ...ran, output };
}

describe('kerf plan without a snapshot', () => {
  test('plans the manifests on a cluster without nodes, as kerf simulate launches them', async () => {
    const { output, stderr, code } = await planned(['pool.yaml', 'class.yaml', 'web.yaml']);
    expect(code).toBe(0);
    expect(stderr).toBe('no --snapshot: the cluster has no nodes, and the prices are those of us-east-1\n');
    expect(output.newNodeClaims.flatMap(({ pods }) => pods)).toHaveLength(6);
    const { stdout } = await runKerf(['simulate', 'all.yaml', '--show', 'decisions'], {
      'all.yaml': join(POOL, CLASS, WEB),
    });
    for (const { cheapestOffering } of output.newNodeClaims) expect(stdout).toContain(`${cheapestOffering.type} spot`);
  });

  test('the region is that of the zones of a NodePool, else that of --region', async () => {
    const inIreland = { ...FILES, 'pool.yaml': `${POOL}${ZONE}` };
    expect((await planned(['pool.yaml', 'web.yaml'], inIreland)).stderr).toContain('the prices are those of eu-west-1');
    expect((await planned(['pool.yaml', 'web.yaml', '--region', 'eu-central-1'])).stderr).toContain(
      'the prices are those of eu-central-1',
    );
  });

  test('a plain class stands in for a missing EC2NodeClass, with a note', async () => {
    const { output, stderr } = await planned(['pool.yaml', 'web.yaml']);
    expect(stderr).toContain('no file has EC2NodeClass/default, which NodePool default uses: a plain AL2023 class');
    expect(output.newNodeClaims.flatMap(({ pods }) => pods)).toHaveLength(6);
  });

  describe('with a static NodePool (D31)', () => {
    const fixed = `${POOL.replace('name: default\n', 'name: fixed\n')}  replicas: 3\n`;
    const files = { ...FILES, 'fixed.yaml': fixed, 'full.yaml': `${fixed}  limits: {nodes: 2}\n` };
    const NOTE =
      'NodePool/fixed has spec.replicas: its nodes are launched as with the setting featureGates.staticCapacity, which is off by default';
    const LIMITED =
      'NodePool/fixed: LimitExceeded: limits.nodes leaves room for 2 of 3 missing nodes: raise it, or lower spec.replicas (3)';

    test('plans its nodes, and says with which setting', async () => {
      const { output, stderr } = await planned(['fixed.yaml', 'class.yaml'], files);
      expect(output.newNodeClaims.map(({ nodePool, pods }) => [nodePool, pods])).toEqual(
        Array.from({ length: 3 }, () => ['fixed', []]),
      );
      expect(output.notes).toContain(NOTE);
      expect(stderr).toContain(NOTE);
      expect((await planned(['pool.yaml', 'class.yaml', 'web.yaml'])).stderr).not.toContain('spec.replicas');
    });

    test('says which nodes limits.nodes leaves out', async () => {
      const { output, stderr } = await planned(['full.yaml', 'class.yaml'], files);
      expect(output.newNodeClaims).toHaveLength(2);
      expect(output.notes).toContain(LIMITED);
      expect(stderr).toContain(LIMITED);
    });

    test('the text counts its nodes apart from those for pods', async () => {
      const alone = await runKerf(['plan', 'fixed.yaml', 'class.yaml'], files);
      expect(alone.stdout).toMatch(
        /^3 new nodes for static NodePools: \$\d\.\d{4}\/h \(about \$\d+ a month\)\.\n\nNew nodes\n/,
      );
      expect(alone.stdout).not.toMatch(/for $|nothing would change/m);
      const both = await runKerf(['plan', 'fixed.yaml', 'pool.yaml', 'class.yaml', 'web.yaml'], files);
      expect(both.stdout).toMatch(
        /^6 pods to schedule: 6 on \d new nodes? for .*\.\n3 new nodes for static NodePools: /,
      );
    });

    test('kerf simulate launches its nodes too, with the same note', async () => {
      const { stdout, stderr } = await runKerf(['simulate', 'fixed.yaml', 'class.yaml'], files);
      expect(stderr).toContain(`warning: ${NOTE}\n`);
      expect(stdout).toContain('spec.replicas → a node of NodePool fixed: ');
      expect(stdout).toContain('3 launched, 3 at the peak');
    });
  });

  test.each([
    [['provisioning'], 'nothing to plan: name manifests with a NodePool and workloads, or a snapshot'],
    [['web.yaml'], 'no file has a NodePool: add one, or name a snapshot of a cluster with --snapshot FILE'],
    [['disruptoin'], 'disruptoin'],
    [['nothere.yaml'], 'nothere.yaml cannot be read: no such file or folder'],
    [['provisioning', '--snapshot', 'a.json', '--region', 'us-east-1'], 'leave out --region'],
    [['pool.yaml', '--region', 'mars'], 'there are no bundled figures for region "mars"'],
  ])('bad input %j is refused in a sentence', async (args, message) => {
    const { stdout, stderr, code } = await runKerf(['plan', ...args], FILES);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
