/** The properties of the installer's custom resource. On a change, CloudFormation also sends the old properties. */
import { isRecord } from '../../apis/record.ts';
import type { AccessEntry } from '../../core/install/access-entries.ts';
import type { Properties } from '../lambda/custom-resource.ts';
import { type ClusterOptions, parseCluster } from '../options/cluster-options.ts';
import { OptionError, parseJson, shown } from '../options/option-values.ts';

export interface InstalledCluster {
  readonly cluster: ClusterOptions;
  /** The installer's entry is the last, so it is removed after all others. */
  readonly entries: readonly AccessEntry[];
}

const WHERE = 'Clusters';

/** *Errors:* OptionError if the properties do not have the format of this version's stack. */
export function readInstalledClusters(properties: Properties): readonly InstalledCluster[] {
  const list = parseJson(String(properties[WHERE]), WHERE);
  if (!Array.isArray(list)) throw unknownShape(list);
  return list.map((each: unknown, index) => {
    if (!isRecord(each) || !isEntries(each['entries'])) throw unknownShape(each);
    return { cluster: parseCluster(each['cluster'], `${WHERE}[${index}].cluster`), entries: each['entries'] };
  });
}

function unknownShape(value: unknown): OptionError {
  return new OptionError(`${WHERE} is ${shown(value)}: it must have the format of this version's stack`);
}

function isEntries(value: unknown): value is readonly AccessEntry[] {
  return (
    Array.isArray(value) &&
    value.every((one: unknown) => isRecord(one) && typeof one['principal'] === 'string' && Array.isArray(one['groups']))
  );
}

/**
 * What must be removed when the properties change: everything of a cluster that is no longer listed, and the access entries that
 * a listed cluster no longer has. *Shape:* a removed cluster is not drained, because no function serves it any more.
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
