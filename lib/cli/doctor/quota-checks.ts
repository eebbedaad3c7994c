import { counted } from '../../apis/counted.ts';
import type { PoolVcpus, QuotaUse } from '../../core/node-pool/vcpu-quotas.ts';
import type { LambdaConcurrency } from '../../ports/doctor.ts';
import type { Finding } from './finding.ts';

/** Below this number of vCPUs, one of the larger types may use the whole quota. New accounts start with 5. */
const FEW_VCPUS = 32;

interface ReadQuota extends QuotaUse {
  readonly vcpus: number;
}

/** The quotas for vCPUs, compared with the limits of the NodePools. `values`: by the code of the quota. */
export function checkVcpuQuotas(uses: readonly QuotaUse[], values: ReadonlyMap<string, number>): readonly Finding[] {
  const read: readonly ReadQuota[] = uses.flatMap((use) => {
    const vcpus = values.get(use.quota.code);
    return vcpus === undefined ? [] : [{ ...use, vcpus }];
  });
  const able = new Set(read.filter(({ vcpus }) => vcpus > 0).flatMap(({ nodePools }) => nodePools.map(named)));
  // A quota of 0 matters less where every NodePool may launch other instances.
  const avoidable = read.filter(
    ({ vcpus, nodePools }) => vcpus === 0 && nodePools.length > 0 && nodePools.every((pool) => able.has(named(pool))),
  );
  return [
    ...read.filter((one) => !avoidable.includes(one)).map(checkQuota),
    ...(avoidable.length === 0 ? [] : [closedFamilies(avoidable)]),
    ...uses.filter(({ quota }) => !values.has(quota.code)).map(withoutValue),
  ];
}

function named({ name }: PoolVcpus): string {
  return name;
}

const CHECK = 'vcpu quotas';

function checkQuota(one: ReadQuota): Finding {
  const { quota, nodePools, vcpus } = one;
  const has = `${quota.name}: ${counted(vcpus, 'vCPU')}`;
  const limits = nodePools.flatMap(({ limit }) => limit ?? []);
  const isLimited = nodePools.length > 0 && limits.length === nodePools.length;
  const wanted = isLimited ? limits.reduce((sum, limit) => sum + limit, 0) : undefined;
  const message = nodePools.length === 0 ? has : `${has}; ${demandOf(nodePools, wanted)}`;
  if (vcpus === 0 && nodePools.length > 0)
    return { check: CHECK, status: 'fail', message, fix: raise(one, wanted ?? FEW_VCPUS) };
  if (wanted === undefined ? vcpus >= FEW_VCPUS : vcpus >= wanted) return { check: CHECK, status: 'pass', message };
  const lower = wanted === undefined ? '' : ', or lower spec.limits.cpu';
  return { check: CHECK, status: 'warn', message, fix: `${raise(one, wanted ?? 2 * FEW_VCPUS)}${lower}` };
}

function demandOf(nodePools: readonly PoolVcpus[], wanted: number | undefined): string {
  const names = nodePools.map(named).join(', ');
  const pools = nodePools.length === 1 ? `NodePool ${names}` : `NodePools ${names}`;
  return wanted === undefined
    ? `${pools} without limits.cpu may use all of it`
    : `limits.cpu of ${pools} ${nodePools.length === 1 ? 'is' : 'add up to'} ${wanted}`;
}

function raise({ quota }: QuotaUse, vcpus: number): string {
  return `Ask for more: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code ${quota.code} --desired-value ${vcpus}`;
}

/** Kerf chooses other families, but only after EC2 has refused these. */
function closedFamilies(closed: readonly ReadQuota[]): Finding {
  const pools = [...new Set(closed.flatMap(({ nodePools }) => nodePools.map(named)))];
  return {
    check: CHECK,
    status: 'warn',
    message: `0 vCPUs, and NodePool ${pools.join(', ')} may launch them: ${closed.map(({ quota }) => quota.name).join(', ')}`,
    fix: 'Exclude these families by a requirement on karpenter.k8s.aws/instance-category (such as In [c, m, r]), or ask for more',
  };
}

function withoutValue({ quota }: QuotaUse): Finding {
  return {
    check: CHECK,
    status: 'skip',
    message: `${quota.name}: Service Quotas has no value in this region`,
    fix: `aws service-quotas get-aws-default-service-quota --service-code ec2 --quota-code ${quota.code}`,
  };
}

/** What the webhook (10) and the catalogue function (1) of a deployment reserve, and what Lambda keeps for functions without a reservation. */
const RESERVED = 11;
const KEPT = 100;

export function checkLambda({ limit, unreserved }: LambdaConcurrency): Finding {
  const check = 'lambda';
  const message = `${limit} concurrent executions, of which ${unreserved} are not reserved`;
  const fix =
    'Ask for more: aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000';
  if (unreserved >= KEPT + RESERVED) return { check, status: 'pass', message };
  const why = `a deploy reserves ${RESERVED} for the webhook and the catalogue, and Lambda leaves at least ${KEPT} unreserved`;
  // After a deploy, its reservation is no longer in the number.
  if (unreserved >= KEPT) return { check, status: 'warn', message: `${message}; ${why}, so a new deploy fails`, fix };
  return { check, status: 'fail', message: `${message}; ${why}, so a deploy fails`, fix };
}

/** *Source:* "Creating and managing Lambda function URLs", AWS Lambda Developer Guide, as of 2025. */
const WITHOUT_FUNCTION_URLS: readonly string[] = [
  'ap-south-2',
  'ap-southeast-4',
  'ap-southeast-5',
  'ca-west-1',
  'eu-central-2',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
];

/** The webhook has a Function URL. *Shape:* a warning, because AWS may have added the region since. */
export function checkFunctionUrls(region: string): readonly Finding[] {
  if (!WITHOUT_FUNCTION_URLS.includes(region)) return [];
  return [
    {
      check: 'lambda',
      status: 'warn',
      message: `AWS listed ${region} in 2025 among the regions without Function URLs, and a deploy creates one for the webhook, so it may fail`,
      fix: 'Read the present list: https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html',
    },
  ];
}
