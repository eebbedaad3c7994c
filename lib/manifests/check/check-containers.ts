import { parseQuantityNano } from '../../apis/formats/quantity.ts';
import { quote } from '../../apis/formats/quote.ts';
import type { Container, PodSpec, ResourceList } from '../../apis/kubernetes.ts';
import { suggest } from '../../core/suggest.ts';
import type { Path, Report } from '../explain/problem.ts';

const STANDARD = ['cpu', 'memory', 'ephemeral-storage'];
const POD_LEVEL = ['cpu', 'memory'];
const WHOLE_NANO = 1_000_000_000n;

export function checkContainers(spec: PodSpec, at: Path, report: Report): void {
  const names = new Set<string>();
  for (const [list, containers] of [
    ['containers', spec.containers],
    ['initContainers', spec.initContainers ?? []],
  ] as const) {
    for (const [index, container] of containers.entries()) {
      const here = [...at, list, index];
      if (names.has(container.name))
        report(
          [...here, 'name'],
          `${quote(container.name)} is already the name of another container`,
          'a unique name for each container',
        );
      names.add(container.name);
      checkResources(container.resources, [...here, 'resources'], { standard: STANDARD, report });
      checkPorts(container, here, { hostNetwork: spec.hostNetwork === true, report });
    }
  }
  checkResources(spec.resources, [...at, 'resources'], { standard: POD_LEVEL, report });
  checkHostPorts(spec.containers, at, report);
}

interface ResourceRules {
  readonly standard: readonly string[];
  readonly report: Report;
}

function checkResources(resources: Container['resources'], at: Path, { standard, report }: ResourceRules): void {
  const { requests = {}, limits = {} } = resources ?? {};
  for (const [list, amounts] of [
    ['requests', requests],
    ['limits', limits],
  ] as const) {
    for (const [name, amount] of Object.entries(amounts))
      checkResource({ name, amount, path: [...at, list, name] }, { standard, report });
  }
  for (const [name, request] of Object.entries(requests)) checkPair({ name, request, limits, at }, report);
}

function checkResource(
  { name, amount, path }: { readonly name: string; readonly amount: string | number; readonly path: Path },
  { standard, report }: ResourceRules,
): void {
  if (!name.includes('/') && !standard.includes(name) && !name.startsWith('hugepages-')) {
    const meant = suggest(name, standard);
    report(
      path,
      `${quote(name)} is not a resource${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      `one of ${standard.join(', ')}, or an extended resource with its domain, such as nvidia.com/gpu`,
    );
  } else if (isExtended(name) && (parseQuantityNano(amount) ?? 0n) % WHOLE_NANO !== 0n) {
    report(path, `${quote(amount)} is not a whole number, and extended resources cannot be divided`, 'a whole number');
  }
}

interface Pair {
  readonly name: string;
  readonly request: string | number;
  readonly limits: ResourceList;
  readonly at: Path;
}

/** A request must not exceed its limit. A resource that cannot be overcommitted needs both, and they must be equal. */
function checkPair({ name, request, limits, at }: Pair, report: Report): void {
  const limit = limits[name];
  const overcommits = !isExtended(name) && !name.startsWith('hugepages-');
  if (limit === undefined) {
    if (!overcommits)
      report(
        [...at, 'limits', name],
        'is missing, but the request is set',
        `the value of the request: ${quote(request)}`,
      );
    return;
  }
  const [asked = 0n, most = 0n] = [parseQuantityNano(request), parseQuantityNano(limit)];
  if (asked > most)
    report(
      [...at, 'requests', name],
      `${quote(request)} is more than the limit ${quote(limit)}`,
      `at most ${quote(limit)}, or raise the limit`,
    );
  else if (!overcommits && asked !== most)
    report(
      [...at, 'requests', name],
      `${quote(request)} is not equal to the limit ${quote(limit)}`,
      `${quote(limit)}: ${name} cannot be overcommitted`,
    );
}

function isExtended(name: string): boolean {
  const [domain = '', short] = name.split('/');
  return short !== undefined && domain !== 'kubernetes.io' && !domain.endsWith('.kubernetes.io');
}

function checkPorts(
  container: Container,
  at: Path,
  { hostNetwork, report }: { readonly hostNetwork: boolean; readonly report: Report },
): void {
  for (const [index, { containerPort, hostPort }] of (container.ports ?? []).entries()) {
    if (hostNetwork && hostPort !== undefined && hostPort !== 0 && hostPort !== containerPort) {
      report(
        [...at, 'ports', index, 'hostPort'],
        `${hostPort} is not equal to the containerPort, and the pod uses hostNetwork`,
        `${String(containerPort)}, or no hostPort`,
      );
    }
  }
}

/** Two containers of one pod cannot use the same host port. */
function checkHostPorts(containers: readonly Container[], at: Path, report: Report): void {
  const taken = new Set<string>();
  for (const [index, { ports = [] }] of containers.entries()) {
    for (const [port, { hostPort = 0, hostIP = '', protocol = 'TCP' }] of ports.entries()) {
      if (hostPort === 0) continue;
      const name = `${hostIP}:${hostPort}/${protocol}`;
      if (taken.has(name))
        report(
          [...at, 'containers', index, 'ports', port, 'hostPort'],
          `${hostPort} is already used by another container of this pod`,
          'each host port once',
        );
      taken.add(name);
    }
  }
}
