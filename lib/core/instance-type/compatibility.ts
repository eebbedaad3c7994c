import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Blocked } from '../model/decision.ts';
import type { Reason } from '../model/reasons.ts';
import type { ResolvedPlacementGroup } from '../model/resolved-node-class.ts';
import { efaOnlyInterfaces, isWindows } from './capacity.ts';
import { type InstanceTypeFacts, isNitro, networkCardsOf, PLACEMENT_STRATEGIES } from './facts.ts';

/** Why no instance of a type can be launched with a NodeClass, independent of zone and capacity. */
export type TypeIncompatibility = Pick<Blocked, 'reason' | 'message' | 'numbers'>;

type Rule = (
  facts: InstanceTypeFacts,
  nodeClass: EC2NodeClass,
  placementGroup: ResolvedPlacementGroup | undefined,
) => TypeIncompatibility | undefined;

/**
 * The first setting of the NodeClass that the type does not support; undefined if the type can be launched.
 * *Source:* C27, A3.12, A3.24, A3.25. *Cost:* O(declared network interfaces).
 */
export function whyNotBootable(
  facts: InstanceTypeFacts,
  nodeClass: EC2NodeClass,
  placementGroup?: ResolvedPlacementGroup,
): TypeIncompatibility | undefined {
  for (const rule of RULES) {
    const why = rule(facts, nodeClass, placementGroup);
    if (why !== undefined) return why;
  }
  return undefined;
}

const RULES: readonly Rule[] = [
  architecture,
  networkInterfaces,
  efaInterfaces,
  nestedVirtualization,
  enclaves,
  connectionTracking,
  placement,
];

/** Amazon Linux 2023 does not run on the first Graviton; Windows runs on amd64 only. */
function architecture(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): TypeIncompatibility | undefined {
  const family = amiFamilyOf(nodeClass);
  if (family === 'AL2023' && facts.name.startsWith('a1.'))
    return no(
      'AmiFamily',
      'AL2023 does not support the processors of the a1 family: use amiFamily AL2 or Bottlerocket',
    );
  if (isWindows(family) && facts.architecture !== 'amd64')
    return no('AmiFamily', `${family} requires amd64, and the instance type is ${facts.architecture}`);
  return undefined;
}

/** A3.12. */
function networkInterfaces(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): TypeIncompatibility | undefined {
  const { networkInterfaces: declared } = nodeClass.spec;
  if (declared === undefined) return undefined;
  const cards = networkCardsOf(facts);
  for (const [index, interfaces] of Map.groupBy(declared, ({ networkCardIndex }) => networkCardIndex)) {
    const card = cards[index];
    if (card === undefined) {
      const message = `networkInterfaces names network card ${index}, and the number of network cards of the instance type is ${cards.length}`;
      return no('NetworkInterfaces', message, { card: index, cards: cards.length });
    }
    if (interfaces.length > card.interfaces) {
      const message = `networkInterfaces declares ${interfaces.length} on network card ${index}, which supports ${card.interfaces}`;
      return no('NetworkInterfaces', message, { declared: interfaces.length, most: card.interfaces });
    }
  }
  return undefined;
}

/** A3.12. The schema allows at most one EFA interface on each card. */
function efaInterfaces(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): TypeIncompatibility | undefined {
  const declared = efaOnlyInterfaces(nodeClass);
  if (declared.length === 0) return undefined;
  const cards = networkCardsOf(facts);
  const without = declared.find(({ networkCardIndex }) => cards[networkCardIndex]?.efa !== true);
  if (without !== undefined) {
    const { networkCardIndex: card } = without;
    return no('Efa', `networkInterfaces requires EFA on network card ${card}, which does not support it`, { card });
  }
  if (declared.length <= facts.efaInterfaces) return undefined;
  const message = `networkInterfaces requires ${declared.length} EFA interfaces, and the instance type has ${facts.efaInterfaces}`;
  return no('Efa', message, { declared: declared.length, most: facts.efaInterfaces });
}

/** A3.25. */
function nestedVirtualization(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): TypeIncompatibility | undefined {
  if (nodeClass.spec.cpuOptions?.nestedVirtualization !== 'enabled' || facts.nestedVirtualization === true)
    return undefined;
  return no(
    'NestedVirtualization',
    'cpuOptions.nestedVirtualization is enabled, and the instance type does not support it',
  );
}

function enclaves(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): TypeIncompatibility | undefined {
  if (nodeClass.spec.enclaveOptions?.enabled !== true || facts.nitroEnclaves) return undefined;
  return no('NitroEnclaves', 'enclaveOptions is enabled, and the instance type does not support enclaves');
}

/** A3.24. */
function connectionTracking(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): TypeIncompatibility | undefined {
  if (nodeClass.spec.connectionTracking === undefined || isNitro(facts)) return undefined;
  return no(
    'ConnectionTracking',
    `connectionTracking requires the Nitro hypervisor, and the instance type uses ${facts.hypervisor}`,
  );
}

/** C68. */
function placement(
  facts: InstanceTypeFacts,
  _nodeClass: EC2NodeClass,
  group: ResolvedPlacementGroup | undefined,
): TypeIncompatibility | undefined {
  const supported = facts.placementStrategies ?? PLACEMENT_STRATEGIES;
  if (group === undefined || supported.includes(group.strategy)) return undefined;
  const strategies = supported.join(' and ') || 'none';
  const message = `placement group ${group.id} has the strategy ${group.strategy}, and the instance type supports ${strategies}`;
  return no('PlacementGroup', message);
}

function no(reason: Reason, message: string, numbers: TypeIncompatibility['numbers'] = {}): TypeIncompatibility {
  return { reason, message, numbers };
}
