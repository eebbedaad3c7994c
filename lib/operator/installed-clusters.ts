/** What the stack tells the installer, as properties of its custom resource: those of before come back when they change. */
import type { AccessEntry } from '../core/install/access-entries.ts';
import { type ClusterOptions, parseCluster } from './cluster-options.ts';
import type { Properties } from './custom-resource.ts';
import { isRecord, OptionError, parseJson, shown } from './option-values.ts';

export interface InstalledCluster {
  readonly cluster: ClusterOptions;
  /** That of the installer is the last: it is taken back after all others. */
  readonly entries: readonly AccessEntry[];
}

const WHERE = 'Clusters';

/** *Errors:* OptionError where it is not what the stack writes. */
export function readInstalledClusters(properties: Properties): readonly InstalledCluster[] {
  const list = parseJson(String(properties[WHERE]), WHERE);
  if (!Array.isArray(list)) throw unknownShape(list);
  return list.map((each: unknown, index) => {
    if (!isRecord(each) || !isEntries(each['entries'])) throw unknownShape(each);
    return { cluster: parseCluster(each['cluster'], `${WHERE}[${index}].cluster`), entries: each['entries'] };
  });
}

function unknownShape(value: unknown): OptionError {
  return new OptionError(`${WHERE} is ${shown(value)}: it must be what the stack of this version writes`);
}

function isEntries(value: unknown): value is readonly AccessEntry[] {
  return (
    Array.isArray(value) &&
    value.every((one: unknown) => isRecord(one) && typeof one['principal'] === 'string' && Array.isArray(one['groups']))
  );
}

/**
 * What is to be taken back when the properties change: of a cluster that is there no more all of it, of one that stays the
 * entries that it has no more. *Shape:* of a removed cluster nothing is drained: no function knows it any more.
 */
export function noMoreInstalled(
  before: readonly InstalledCluster[],
  now: readonly InstalledCluster[],
): readonly InstalledCluster[] {
  const stays = new Map(now.map((one) => [one.cluster.name, new Set(one.entries.map(({ principal }) => principal))]));
  return before.map(({ cluster, entries }) => {
    const kept = stays.get(cluster.name);
    if (kept === undefined) return { cluster: { ...cluster, onDelete: 'keep' }, entries };
    return {
      cluster: { ...cluster, install: false },
      entries: entries.filter(({ principal }) => !kept.has(principal)),
    };
  });
}
