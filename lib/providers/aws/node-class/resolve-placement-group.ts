import { DescribePlacementGroupsCommand, type PlacementGroup } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import type { ResolvedPlacementGroup } from '../../../core/model/resolved-node-class.ts';
import { isUnknownPlacementGroup, translated } from '../client/errors.ts';
import { found, type Part, problem, type ResolveTools } from './resolution.ts';

type Selector = NonNullable<EC2NodeClass['spec']['placementGroupSelector']>;

/** A3.9, C68. */
export async function resolvePlacementGroup(tools: ResolveTools, { metadata, spec }: EC2NodeClass): Promise<Part> {
  const selector = spec.placementGroupSelector;
  if (selector === undefined) return found({});
  const { id, name } = selector;
  const question = { key: JSON.stringify([id, name]), keepMs: tools.answers.keepMs.placementGroups };
  const groups = await tools.answers.placementGroups.ask(question, () => describe(tools, selector));
  const [group] = groups.flatMap(placementGroupOf);
  if (group !== undefined) return found({ placementGroup: group });
  const [strange] = groups;
  const where = `EC2NodeClass ${metadata.name}: spec.placementGroupSelector`;
  const asked = id ?? name ?? 'neither id nor name';
  return strange === undefined
    ? problem(
        'PlacementGroupNotFound',
        `${where} finds no placement group in ${tools.region} by ${asked}; create it, or select another`,
      )
    : problem(
        'PlacementGroupNotFound',
        `${where}: placement group ${asked} is ${strange.State ?? 'in no state'} with strategy ${strange.Strategy ?? 'unknown'}; it must be available, with strategy cluster, partition or spread`,
      );
}

async function describe({ client }: ResolveTools, { id, name }: Selector): Promise<readonly PlacementGroup[]> {
  if (id === undefined && name === undefined) return [];
  const command = new DescribePlacementGroupsCommand({
    ...(id === undefined ? {} : { GroupIds: [id] }),
    ...(name === undefined ? {} : { GroupNames: [name] }),
  });
  return await translated(`describe placement group ${id ?? name}`, async () => {
    try {
      return (await client.send(command)).PlacementGroups ?? [];
    } catch (thrown) {
      if (isUnknownPlacementGroup(thrown)) return [];
      throw thrown;
    }
  });
}

function placementGroupOf(group: PlacementGroup): readonly ResolvedPlacementGroup[] {
  const { GroupId: id, GroupName: name, Strategy: strategy, PartitionCount: partitions } = group;
  if (id === undefined || name === undefined || group.State !== 'available') return [];
  if (strategy !== 'cluster' && strategy !== 'partition' && strategy !== 'spread') return [];
  return [{ id, name, strategy, ...(strategy === 'partition' && partitions !== undefined ? { partitions } : {}) }];
}
