import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { isQuantity } from '../../apis/quantity.ts';
import { type Path, quote, type Report } from './problem.ts';
import { isRecord } from './record.ts';
import { suggest } from './suggest.ts';

type Kubelet = NonNullable<EC2NodeClass['spec']['kubelet']>;

const RESERVED = ['cpu', 'memory', 'ephemeral-storage', 'pid'];
const SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'allocatableMemory.available',
  'pid.available',
];
const FIELDS = [
  'maxPods',
  'podsPerCore',
  'clusterDNS',
  'kubeReserved',
  'systemReserved',
  'evictionHard',
  'evictionSoft',
  'evictionSoftGracePeriod',
  'evictionMaxPodGracePeriod',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
  'cpuCFSQuota',
];
const AT: Path = ['spec', 'kubelet'];

/** A3.16: the map is open, since the kubelet has fields that nobody here reads; a slip in the name of a known one is caught. */
export function checkKubelet(kubelet: Kubelet, report: Report): void {
  for (const name of Object.keys(kubelet).filter((field) => !FIELDS.includes(field))) {
    const meant = suggest(name, FIELDS);
    if (name === 'registerWithTaints')
      report([...AT, name], 'is set by Karpenter', 'the taints in the NodePool: spec.template.spec.taints');
    else if (meant !== undefined)
      report([...AT, name], `this field does not exist; did you mean ${meant}?`, `one of ${FIELDS.join(', ')}`);
  }
  for (const list of ['kubeReserved', 'systemReserved'] as const)
    checkNames(kubelet[list], [...AT, list], { known: RESERVED, report });
  for (const list of ['evictionHard', 'evictionSoft'] as const) checkThresholds(kubelet[list], [...AT, list], report);
  checkSoftPairs(kubelet, report);
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = kubelet;
  if (typeof high === 'number' && typeof low === 'number' && high <= low) {
    report(
      [...AT, 'imageGCHighThresholdPercent'],
      `${high} is not above imageGCLowThresholdPercent, ${low}`,
      `a number from ${low + 1} to 100`,
    );
  }
}

function checkNames(
  map: unknown,
  at: Path,
  { known, report }: { readonly known: readonly string[]; readonly report: Report },
): void {
  for (const name of isRecord(map) ? Object.keys(map) : []) {
    if (!known.includes(name)) report([...at, name], `${quote(name)} is not known here`, `one of ${known.join(', ')}`);
  }
}

function checkThresholds(map: unknown, at: Path, report: Report): void {
  checkNames(map, at, { known: SIGNALS, report });
  for (const [name, value] of isRecord(map) ? Object.entries(map) : []) {
    const text = String(value);
    const percent = /^(\d+(?:\.\d+)?)%$/.exec(text);
    const fine = percent === null ? isQuantity(text) && !text.startsWith('-') : Number(percent[1]) <= 100;
    if (!fine)
      report(
        [...at, name],
        `${quote(value)} is no threshold`,
        'a quantity such as 100Mi, or a percentage from 0% to 100%',
      );
  }
}

function checkSoftPairs({ evictionSoft, evictionSoftGracePeriod }: Kubelet, report: Report): void {
  const soft = isRecord(evictionSoft) ? evictionSoft : {};
  const grace = isRecord(evictionSoftGracePeriod) ? evictionSoftGracePeriod : {};
  for (const name of Object.keys(soft)) {
    if (!Object.hasOwn(grace, name))
      report(
        [...AT, 'evictionSoftGracePeriod', name],
        'is missing, and evictionSoft has it',
        'how long the threshold may be passed, such as 90s',
      );
  }
  for (const name of Object.keys(grace)) {
    if (!Object.hasOwn(soft, name))
      report(
        [...AT, 'evictionSoft', name],
        'is missing, and evictionSoftGracePeriod has it',
        'a threshold such as 500Mi or 10%',
      );
  }
}
