import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../lib/apis/record.ts';
import { daemonSet } from '../deployments.ts';
import { numbered, pod, type Workload } from '../workload.ts';

/** The requests of a pod: millicores, and MiB of memory. */
export type Requests = readonly [cpu: number, memory: number];

/**
 * The lists of requests of a folder. Each JSON file has an object of lists: `{"name": [[millicores, MiB], …]}`.
 * *Errors:* TypeError for a file of another form.
 */
export function requestLists(
  folder: string,
): readonly { readonly name: string; readonly requests: readonly Requests[] }[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.toSorted().flatMap((file) => {
    const content: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    if (!isRecord(content)) throw new TypeError(`${file}: is not an object of lists of requests`);
    return Object.entries(content).map(([name, list]) => {
      if (!Array.isArray(list) || !list.every(isRequests))
        throw new TypeError(`${file}: ${name} is not a list of [millicores, MiB]`);
      return { name, requests: list };
    });
  });
}

function isRequests(value: unknown): value is Requests {
  return Array.isArray(value) && value.length === 2 && value.every((amount) => typeof amount === 'number');
}

/** The pods, and four DaemonSets that request 200m and 350Mi together. */
export function requestedPods(requests: readonly Requests[]): Workload {
  return {
    daemonSets: ['network', 'storage', 'logs', 'metrics'].map((name) => daemonSet(name, '50m', '89600Ki')),
    pods: requests.map(([cpu, memory], at) =>
      pod({ name: numbered('pod', at), requests: { cpu: `${cpu}m`, memory: `${memory}Mi` } }),
    ),
  };
}
