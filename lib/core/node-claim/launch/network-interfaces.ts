import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { optional } from '../../../apis/optional.ts';
import type { LaunchInterface } from '../../model/node-claim-record.ts';

export interface InterfaceOptions {
  /** The number of EFA interfaces by network card, if the claim requests EFA. @default none */
  readonly efaByCard?: readonly number[];
  readonly ipv6: boolean;
}

/**
 * The network interfaces of an instance, the primary first. *Source:* C59: those that the NodeClass declares; or else one EFA
 * interface for each network card that supports it; or else one interface. A3.11: only the primary has a public address and
 * prefixes.
 */
export function networkInterfacesOf(
  nodeClass: EC2NodeClass,
  { efaByCard = [], ipv6 }: InterfaceOptions,
): readonly LaunchInterface[] {
  const { networkInterfaces: declared = [] } = nodeClass.spec;
  const places = declared.length > 0 ? declaredPlaces(declared) : efaPlaces(efaByCard);
  return places.map((place, at) => ({
    ...place,
    ...(at === 0 ? primaryTraits(nodeClass) : {}),
    ...(place.kind === 'efa-only' ? {} : addressTraits(nodeClass, ipv6)),
  }));
}

type InterfacePlace = Pick<LaunchInterface, 'networkCard' | 'device' | 'kind'>;

/** A3.12: one of them is device 0 of card 0. */
function declaredPlaces(declared: NonNullable<EC2NodeClass['spec']['networkInterfaces']>): readonly InterfacePlace[] {
  return declared
    .map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
      networkCard: networkCardIndex,
      device: deviceIndex,
      kind: interfaceType,
    }))
    .toSorted((a, b) => a.networkCard - b.networkCard || a.device - b.device);
}

/** EC2 requires device 0 on the first card and device 1 on all others. */
function efaPlaces([first = 0, ...others]: readonly number[]): readonly InterfacePlace[] {
  const primary: InterfacePlace = { networkCard: 0, device: 0, kind: first > 0 ? 'efa' : 'interface' };
  const more = others.flatMap((count, at): InterfacePlace[] =>
    count > 0 ? [{ networkCard: at + 1, device: 1, kind: 'efa' }] : [],
  );
  return [primary, ...more];
}

function primaryTraits({ spec }: EC2NodeClass): Pick<LaunchInterface, 'publicAddress' | 'prefixes'> {
  return {
    ...optional({ publicAddress: spec.associatePublicIPAddress, prefixes: spec.ipPrefixCount }),
  };
}

function addressTraits({ spec }: EC2NodeClass, ipv6: boolean): Pick<LaunchInterface, 'ipv6' | 'connectionTracking'> {
  return {
    ...(ipv6 ? { ipv6: true } : {}),
    ...optional({ connectionTracking: spec.connectionTracking }),
  };
}
