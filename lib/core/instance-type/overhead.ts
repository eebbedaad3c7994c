import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { isQuantity, parseQuantityNano, unitValue } from '../../apis/formats/quantity.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { parseResources, type Resources } from '../resources/resources.ts';
import { eniLimitedPods, GIB, MIB } from './capacity.ts';
import type { InstanceTypeFacts } from './facts.ts';

/**
 * The allocatable resources for pods. They can be negative on a small type; then no pod fits (B19).
 * *Source:* C13: capacity less kube-reserved, system-reserved and the eviction threshold.
 */
export function allocatableOf(facts: InstanceTypeFacts, nodeClass: EC2NodeClass, capacity: Resources): Resources {
  const { kubelet = {} } = nodeClass.spec;
  const overheads = [
    { ...kubeReserved(facts, nodeClass, capacity), ...reserved(kubelet.kubeReserved) },
    reserved(kubelet.systemReserved),
    evictionThreshold(capacity, kubelet.evictionHard),
  ];
  return Object.fromEntries(
    Object.entries(capacity).map(([name, amount]) => [
      name,
      overheads.reduce((left, overhead) => left - (overhead[name] ?? 0), amount),
    ]),
  );
}

/** C9 and C10: the amounts that the bootstrap scripts reserve for the kubelet and the container runtime. */
function kubeReserved(facts: InstanceTypeFacts, nodeClass: EC2NodeClass, capacity: Resources): Resources {
  const pods = reservesByEniLimit(nodeClass) ? eniLimitedPods(facts, nodeClass) : (capacity['pods'] ?? 0);
  return {
    cpu: kubeReservedMillicores(facts.vcpus),
    memory: (11 * pods + 255) * MIB,
    'ephemeral-storage': GIB,
  };
}

/** C9: these families reserve memory for the pods that the network allows, independent of maxPods. */
function reservesByEniLimit(nodeClass: EC2NodeClass): boolean {
  const family = amiFamilyOf(nodeClass);
  return family === 'AL2' || family === 'AL2023' || family === 'Custom';
}

/** C10: 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest, each in whole millicores. */
function kubeReservedMillicores(vcpus: number): number {
  const second = vcpus > 1 ? 10 : 0;
  const thirdAndFourth = 5 * Math.min(Math.max(vcpus - 2, 0), 2);
  const rest = Math.floor(2.5 * Math.max(vcpus - 4, 0));
  return 60 + second + thirdAndFourth + rest;
}

/** The user's amounts (C10, C11). An expression (A3.17) without a result for the type leaves the default. */
function reserved(list: Labels = {}): Resources {
  return parseResources(Object.fromEntries(Object.entries(list).filter(([, amount]) => isQuantity(amount))));
}

/** C12; soft thresholds do not count. */
function evictionThreshold(capacity: Resources, evictionHard: Labels = {}): Resources {
  const { memory = 0, 'ephemeral-storage': storage = 0 } = capacity;
  return {
    memory: threshold(evictionHard['memory.available'], memory) ?? 100 * MIB,
    'ephemeral-storage': threshold(evictionHard['nodefs.available'], storage) ?? percentOf(storage, 10n * NANO),
  };
}

/** An amount, or a percentage of the capacity; 100 % turns the threshold off, as it does in the kubelet (C12). */
function threshold(signal: string | undefined, capacity: number): number | undefined {
  if (signal === undefined) return undefined;
  if (!signal.endsWith('%')) return isQuantity(signal) ? unitValue(signal) : undefined;
  const nanoPercent = parseQuantityNano(signal.slice(0, -1));
  if (nanoPercent === undefined) return undefined;
  return nanoPercent === 100n * NANO ? 0 : percentOf(capacity, nanoPercent);
}

const NANO = 1_000_000_000n;

/** Rounded up. Whole numbers keep the result exact. */
function percentOf(capacity: number, nanoPercent: bigint): number {
  return Number((BigInt(capacity) * nanoPercent + 100n * NANO - 1n) / (100n * NANO));
}
