import type { ClusterManifests } from '../../apis/cluster-manifests.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { compatibleOfferings } from '../../core/instance-type/offerings/compatible-offerings.ts';
import { instanceTypesFor } from '../../core/instance-type/resolve.ts';
import { suitableTypes } from '../../core/instance-type/suitable-types.ts';
import type { InstanceType } from '../../core/model/instance-type.ts';
import { type Requirements, requirementsFrom } from '../../core/requirements/requirements.ts';
import { type PriceColumn, resourcePrices } from '../../core/scheduling/packing/resource-prices.ts';

/** *Units:* millicores and MiB; USD an hour. */
export type PriceBound = (cpu: number, memory: number) => number;

/** If the share of cpu changes by more, the resources are priced again. */
const SAME_MIX = 0.02;
const MIB = 1_024 * 1_024;

/**
 * A lower bound of the price of nodes with so much cpu and memory: fractions of the cheapest instances that the NodePools allow.
 * NodeOverlays change prices and capacity, so there is no bound with them. *Shape:* 0 without a bound.
 */
export function priceBound(
  { nodePools, nodeClasses, nodeOverlays }: Pick<ClusterManifests, 'nodePools' | 'nodeClasses' | 'nodeOverlays'>,
  catalogue: Catalogue,
): PriceBound {
  if (nodeOverlays.length > 0) return () => 0;
  const types = new Map(nodeClasses.map((one) => [one.metadata.name, instanceTypesFor(catalogue, one)]));
  const columns = nodePools.flatMap(({ spec: { template } }) => {
    const requirements = requirementsFrom(template.spec.requirements);
    const known = types.get(template.spec.nodeClassRef.name) ?? [];
    return suitableTypes(known, requirements).flatMap((type) => priceColumn(type, requirements));
  });
  let priced: { readonly mix: number; readonly worth: Float64Array } | undefined;
  return (cpu, memory) => {
    if (cpu <= 0 && memory <= 0) return 0;
    const mix = cpu / (cpu + memory);
    // The worths hold for every demand. For another mix they are only less tight.
    if (priced === undefined || Math.abs(mix - priced.mix) > SAME_MIX * priced.mix)
      priced = { mix, worth: resourcePrices(Float64Array.of(cpu, memory), columns) };
    const [ofCpu = 0, ofMemory = 0] = priced.worth;
    return cpu * ofCpu + memory * ofMemory;
  };
}

function priceColumn(type: InstanceType, requirements: Requirements): readonly PriceColumn[] {
  const prices = compatibleOfferings(type, requirements).map(({ priceUsdPerHour }) => priceUsdPerHour);
  const { cpu = 0, memory = 0 } = type.allocatable;
  return prices.length === 0 ? [] : [{ holds: Float64Array.of(cpu, memory / MIB), price: Math.min(...prices) }];
}
