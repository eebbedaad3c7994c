import { describe, expect, test } from 'vitest';
import { networkInterfacesOf } from '../../../../lib/core/node-claim/launch/network-interfaces.ts';
import { aNodeClass } from '../../../builders/node-pools.ts';

const primary = { networkCard: 0, device: 0 } as const;

describe('the network interfaces of an instance (C59)', () => {
  test('one by default', () => {
    expect(networkInterfacesOf(aNodeClass(), { ipv6: false })).toEqual([{ ...primary, kind: 'interface' }]);
  });

  test.each([
    [[1], [{ ...primary, kind: 'efa' }]],
    [
      [1, 1, 1],
      [
        { ...primary, kind: 'efa' },
        { networkCard: 1, device: 1, kind: 'efa' },
        { networkCard: 2, device: 1, kind: 'efa' },
      ],
    ],
    [
      [0, 1],
      [
        { ...primary, kind: 'interface' },
        { networkCard: 1, device: 1, kind: 'efa' },
      ],
    ],
    [[], [{ ...primary, kind: 'interface' }]],
  ])('one for EFA on each card that supports it: %j', (efaByCard, expected) => {
    expect(networkInterfacesOf(aNodeClass(), { efaByCard, ipv6: false })).toEqual(expected);
  });

  test('those that the NodeClass declares, the primary first, independent of the claim', () => {
    const networkInterfaces = [
      { networkCardIndex: 1, deviceIndex: 0, interfaceType: 'efa-only' },
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
    ] as const;
    expect(networkInterfacesOf(aNodeClass({ networkInterfaces }), { efaByCard: [1, 1, 1], ipv6: false })).toEqual([
      { ...primary, kind: 'interface' },
      { networkCard: 1, device: 0, kind: 'efa-only' },
    ]);
  });

  test('the primary has the public address and the prefixes; EFA-only interfaces have no addresses (A3.11, A3.24)', () => {
    const connectionTracking = { udpTimeout: 30 };
    const nodeClass = aNodeClass({
      associatePublicIPAddress: true,
      ipPrefixCount: 2,
      connectionTracking,
      networkInterfaces: [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
        { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'interface' },
        { networkCardIndex: 0, deviceIndex: 2, interfaceType: 'efa-only' },
      ],
    });
    expect(networkInterfacesOf(nodeClass, { ipv6: true })).toEqual([
      { ...primary, kind: 'interface', publicAddress: true, prefixes: 2, connectionTracking, ipv6: true },
      { networkCard: 0, device: 1, kind: 'interface', connectionTracking, ipv6: true },
      { networkCard: 0, device: 2, kind: 'efa-only' },
    ]);
  });
});
