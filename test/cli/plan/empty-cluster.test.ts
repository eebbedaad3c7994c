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
