import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { ResolvedCapacityReservation } from '../../core/model/resolved-node-class.ts';
import { nodeOfClaim } from '../../core/node-claim/registration.ts';
import { decideReserved, isReserved } from '../../core/node-claim/reservations.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import { instanceWithId } from '../observe/find-observed.ts';
import { resolveForLaunch } from '../observe/resolve-node-class.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { ResolvesNodeClasses } from '../run/ports.ts';
import type { ClusterWork } from './instance-work.ts';

/** Reservations that have ended → on-demand instances; reservations that end soon → deleted claims (C83). */
export async function endReservations(work: ClusterWork<ResolvesNodeClasses>): Promise<readonly Error[]> {
  const { ports, cluster, records, world } = work;
  const { nodes, nodeClasses } = world;
  if (world.instances.kind === 'unread' || nodes.kind === 'unread' || nodeClasses.kind === 'unread') return [];
  const instances = world.instances.value;
  const reserved = records.flatMap((record) => {
    const instance = instanceWithId(instances, instanceOf(record)?.id);
    const node = nodeOfClaim(nodes.value, record);
    return instance !== undefined && isReserved(record, node) ? [{ name: record.name, record, instance, node }] : [];
  });
  if (reserved.length === 0) return [];
  const catalogue = await world.catalogue();
  if (catalogue.kind === 'unread') return [];
  const blocks = await capacityBlocks(ports, nodeClasses.value, reserved);
  const nowMs = ports.clock.now();
  const { failures } = await eachClaim(reserved, ports, async ({ name, instance, node }) => {
    const record = await ports.store.readNodeClaim(cluster, name);
    if (record === undefined || record.releasedAtMs !== undefined) return [];
    const reservation = blocks.get(instance.reservation?.id ?? '');
    const onDemandUsdPerHour = onDemandPrice(catalogue.value, instance);
    const verdict = decideReserved({ record, instance, node, reservation, onDemandUsdPerHour }, nowMs);
    await applyVerdict(
      work,
      { name, version: record.version, atMs: nowMs, claim: verdict.record },
      { record: verdict.record === record ? undefined : verdict.record, actions: verdict.actions, blocked: [] },
    );
    return [];
  });
  return failures;
}

type Blocks = ReadonlyMap<string, ResolvedCapacityReservation>;

/** Resolves only NodeClasses with claims in capacity blocks: no other reservation has an end date. */
async function capacityBlocks(
  ports: ResolvesNodeClasses,
  nodeClasses: readonly EC2NodeClass[],
  reserved: readonly { readonly record: NodeClaimRecord; readonly instance: DescribedInstance }[],
): Promise<Blocks> {
  const inBlocks = reserved.filter(({ instance }) => instance.reservation?.kind === 'capacity-block');
  const byClass = Map.groupBy(inBlocks, ({ record }) => record.spec.nodeClassRef.name);
  const classes = nodeClasses.flatMap((one) => {
    const claims = byClass.get(one.metadata.name);
    return claims === undefined
      ? []
      : [selecting(one, new Set(claims.map(({ instance }) => instance.reservation?.id)))];
  });
  const resolutions = await Promise.all(classes.map(async (one) => resolveForLaunch(ports, one)));
  const found = resolutions.flatMap((one) => {
    const { capacityReservations = [] } = one.kind === 'resolved' ? one.nodeClass : one.found;
    return capacityReservations;
  });
  return new Map(found.map((one) => [one.id, one]));
}

/** C83: a block ends also for the claims of a NodeClass that does not select it any more, or whose status is of another spec. */
function selecting(nodeClass: EC2NodeClass, ids: ReadonlySet<string | undefined>): EC2NodeClass {
  const { spec, status } = nodeClass;
  const selected = new Set(status?.capacityReservations?.map(({ id }) => id));
  const others = [...ids].flatMap((id) => (id === undefined || selected.has(id) ? [] : [{ id }]));
  if (others.length === 0) return nodeClass;
  const capacityReservationSelectorTerms = [...(spec.capacityReservationSelectorTerms ?? []), ...others];
  return { ...nodeClass, spec: { ...spec, capacityReservationSelectorTerms } };
}

function onDemandPrice(
  catalogue: Catalogue | undefined,
  { instanceType, zone }: DescribedInstance,
): number | undefined {
  return catalogue?.offerings.find((one) => one.type === instanceType && one.zone === zone)?.onDemandUsdPerHour;
}
