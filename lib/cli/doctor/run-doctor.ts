import { BadInputError } from '../../apis/bad-input-error.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { wantedDefinitions } from '../../core/install/definitions.ts';
import { PLAIN_NODE_CLASS } from '../../core/node-class/plain-node-class.ts';
import { formatProblem } from '../../manifests/explain/format-problem.ts';
import { readManifests } from '../../manifests/read/read-manifests.ts';
import type { DoctorPorts } from '../../operator/wiring/doctor.ts';
import type { AccountReader, ClusterHealthReader } from '../../ports/doctor.ts';
import { checkingOptions } from '../checking-options.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readAllSources } from '../read-sources.ts';
import { userPath } from '../shell-context.ts';
import {
  checkDescribed,
  checkNodeIdentity,
  checkSecurityGroups,
  checkSubnets,
  NO_NODE_CLASS,
} from './account-checks.ts';
import {
  checkAutoscalers,
  checkCoreDns,
  checkDefinitions,
  checkMetrics,
  checkNodePools,
  type ReadDefinition,
} from './cluster-checks.ts';
import type { DoctorFlags } from './doctor-command.ts';
import type { Finding } from './finding.ts';
import { type Launching, quotaFindings } from './quota-findings.ts';
import { Readings } from './readings.ts';
import { renderDoctor } from './render-doctor.ts';

type Connect = (flags: DoctorFlags) => Promise<DoctorPorts>;

/** Runs `kerf doctor`. *Errors:* BadInputError; the first failure if nothing could be read. */
export async function runDoctor(context: CliContext, flags: DoctorFlags, connect: Connect = connected): Promise<void> {
  const given = manifestsOf(context, flags.file ?? []);
  const ports = await connect(flags);
  const readings = new Readings();
  const account = await readings.open('aws', async () => ports.account());
  const described = account && (await readings.read('cluster', async () => account.describeCluster()));
  const live = await openCluster(readings, ports);
  const classes = given?.nodeClasses ?? live?.nodeClasses ?? [];
  const nodePools = given !== undefined && given.nodePools.length > 0 ? given.nodePools : (live?.nodePools ?? []);
  const findings = [
    ...(described === undefined ? [] : checkDescribed(described)),
    ...(account === undefined ? [] : await networkFindings(readings, account, { name: flags.cluster, classes })),
    ...(account === undefined ? [] : await quotaFindings(readings, account, { nodePools, nodeClasses: classes })),
    ...(live === undefined ? [] : await clusterFindings(readings, flags.cluster, live)),
  ];
  // Without any answer, one sentence says more than a table.
  await checkingOptions(async () => readings.expectAnswer());
  const all = [...readings.failed, ...findings];
  const output = { formatVersion: 1, cluster: flags.cluster, findings: all };
  const { stdout } = context.process;
  stdout.write(
    flags.output === 'json' ? `${JSON.stringify(output, null, 2)}\n` : renderDoctor(flags.cluster, all, context),
  );
  context.process.exitCode = all.some(({ status }) => status === 'fail') ? EXIT.findings : EXIT.fine;
}

/** Loads the SDK clients only when they are needed, because loading takes time. */
async function connected({ cluster, region, profile, kubeconfig, context }: DoctorFlags): Promise<DoctorPorts> {
  const file = kubeconfig === undefined ? undefined : userPath(kubeconfig);
  const choice = file === undefined && context === undefined ? undefined : { file, context };
  const { wireDoctor } = await import('../../operator/wiring/doctor.ts');
  return await checkingOptions(async () => wireDoctor({ cluster, region, profile, kubeconfig: choice }));
}

/** *Errors:* BadInputError if a file has a problem or there is no EC2NodeClass. */
function manifestsOf(context: CliContext, paths: readonly string[]): Launching | undefined {
  if (paths.length === 0) return undefined;
  const { manifests, problems } = readManifests(readAllSources(context, paths));
  if (problems.length > 0) throw new BadInputError(problems.map(formatProblem).join('\n'));
  if (manifests.nodeClasses.length === 0)
    throw new BadInputError('the files have no EC2NodeClass: add one, or omit -f');
  return manifests;
}

interface LiveCluster {
  readonly api: ClusterHealthReader;
  readonly version: string;
  /** @default the list could not be read, which has a finding */
  readonly nodeClasses: readonly EC2NodeClass[] | undefined;
  /** @default the list could not be read, which has a finding */
  readonly nodePools: readonly NodePool[] | undefined;
}

/** The API server has to answer once, so that one failure is reported if it does not. */
async function openCluster(readings: Readings, ports: DoctorPorts): Promise<LiveCluster | undefined> {
  const opened = await readings.read('api server', async () => {
    const api = await ports.cluster();
    return { api, version: await api.serverVersion() };
  });
  if (opened === undefined) return undefined;
  const [nodeClasses, nodePools] = await Promise.all([
    readings.read('nodepools', async () => opened.api.listNodeClasses()),
    readings.read('nodepools', async () => opened.api.listNodePools()),
  ]);
  return { ...opened, nodeClasses, nodePools };
}

interface Selecting {
  readonly name: string;
  readonly classes: readonly EC2NodeClass[];
}

async function networkFindings(
  readings: Readings,
  account: AccountReader,
  { name, classes }: Selecting,
): Promise<readonly Finding[]> {
  const reads = (classes.length > 0 ? classes : [byTag(name)]).flatMap((nodeClass) => {
    const { metadata } = nodeClass;
    return [
      readings.read('subnets', async () => checkSubnets(metadata.name, await account.subnets(nodeClass))),
      readings.read('security groups', async () =>
        checkSecurityGroups(metadata.name, await account.securityGroups(nodeClass)),
      ),
    ];
  });
  const identities = classes.map(async (nodeClass) =>
    readings.read('node role', async () => [await identityOf(account, nodeClass)]),
  );
  const found = await Promise.all([...reads, ...identities]);
  return [...found.flatMap((findings) => findings ?? []), ...(classes.length === 0 ? [NO_NODE_CLASS] : [])];
}

/** What most guides tag. */
function byTag(cluster: string): EC2NodeClass {
  const terms = [{ tags: { 'karpenter.sh/discovery': cluster } }];
  const spec = { ...PLAIN_NODE_CLASS.spec, subnetSelectorTerms: terms, securityGroupSelectorTerms: terms };
  return { ...PLAIN_NODE_CLASS, metadata: { name: `karpenter.sh/discovery=${cluster}` }, spec };
}

async function identityOf(account: AccountReader, { metadata, spec }: EC2NodeClass): Promise<Finding> {
  const nodeClass = metadata.name;
  const { role, instanceProfile } = spec;
  return instanceProfile === undefined
    ? checkNodeIdentity({ nodeClass, kind: 'role', name: role ?? '', exists: await account.hasRole(role ?? '') })
    : checkNodeIdentity({
        nodeClass,
        kind: 'instance profile',
        name: instanceProfile,
        exists: await account.hasInstanceProfile(instanceProfile),
      });
}

async function clusterFindings(
  readings: Readings,
  name: string,
  { api, version, nodeClasses, nodePools }: LiveCluster,
): Promise<readonly Finding[]> {
  const checks: readonly (readonly [check: string, run: () => Promise<readonly Finding[]>])[] = [
    ['karpenter', async () => checkAutoscalers(name, await api.findOtherAutoscalers(), Date.now())],
    ['coredns', async () => [checkCoreDns(await api.coreDns())]],
    ['metrics', async () => [checkMetrics(await api.metricsApi())]],
    ['crds', async () => checkDefinitions(await readDefinitions(api))],
  ];
  const found = await Promise.all(checks.map(async ([check, run]) => readings.read(check, run)));
  const answers: Finding = { check: 'api server', status: 'pass', message: `It answers, with version ${version}` };
  const pools = nodeClasses === undefined || nodePools === undefined ? [] : [checkNodePools(nodePools, nodeClasses)];
  return [answers, ...found.flatMap((findings) => findings ?? []), ...pools];
}

async function readDefinitions(api: ClusterHealthReader): Promise<readonly ReadDefinition[]> {
  return await Promise.all(
    wantedDefinitions().map(async (wanted) => ({
      wanted,
      found: await api.findDefinition(wanted.definition.metadata.name),
    })),
  );
}
