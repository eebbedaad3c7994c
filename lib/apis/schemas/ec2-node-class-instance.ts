import { atomicListOf, BOOLEAN, closed, described, INT32, INT64, oneOf, type Schema, withRules } from './schema.ts';

const INDEX: Schema = { ...INT32, minimum: 0 };

/** A3.12 */
const NETWORK_INTERFACES: Schema = described(
  'The network interfaces of every instance. Without it, one.',
  withRules(
    atomicListOf(
      {
        title: 'NetworkInterface',
        ...closed(
          {
            networkCardIndex: described('The network card that the interface is attached to, from 0.', INDEX),
            deviceIndex: described('The place of the interface on its card, from 0.', INDEX),
            interfaceType: described(
              'An interface with addresses of its own, or one for EFA traffic only.',
              oneOf('interface', 'efa-only'),
            ),
          },
          ['networkCardIndex', 'deviceIndex', 'interfaceType'],
        ),
      },
      { maxItems: 150 },
    ),
    {
      rule: "self.size() == 0 || self.exists(x, x.deviceIndex == 0 && x.networkCardIndex == 0 && x.interfaceType == 'interface')",
      message: 'has no interface for card 0, device 0',
      allowed: '{networkCardIndex: 0, deviceIndex: 0, interfaceType: interface} as one entry',
    },
    {
      rule: 'self.filter(y, x.networkCardIndex == y.networkCardIndex && x.deviceIndex == y.deviceIndex).size() == 1',
      message: 'has the networkCardIndex and deviceIndex of another entry',
      allowed: 'each card and device once',
      each: true,
    },
    {
      rule: "x.interfaceType != 'efa-only' || self.filter(y, x.networkCardIndex == y.networkCardIndex && y.interfaceType == 'efa-only').size() == 1",
      message: 'is one of several efa-only interfaces on its card',
      allowed: 'at most one of them for each networkCardIndex',
      each: true,
    },
  ),
);

const ENABLED: Schema = oneOf('enabled', 'disabled');
const METADATA_DEFAULTS = {
  httpEndpoint: 'enabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'required',
} as const;

/** A3.23 */
const METADATA_OPTIONS: Schema = {
  title: 'MetadataOptions',
  ...described(
    'How software on the node reaches the metadata of its instance, and with it the credentials of the role.',
    closed({
      httpEndpoint: {
        ...described('Whether the metadata can be reached over HTTP.', ENABLED),
        default: METADATA_DEFAULTS.httpEndpoint,
      },
      httpProtocolIPv6: {
        ...described('Whether the metadata can be reached over IPv6 too.', ENABLED),
        default: METADATA_DEFAULTS.httpProtocolIPv6,
      },
      httpPutResponseHopLimit: {
        ...described('How many network hops an answer may take; 1 keeps pods without host network out.', INT64),
        minimum: 1,
        maximum: 64,
        default: METADATA_DEFAULTS.httpPutResponseHopLimit,
      },
      httpTokens: {
        ...described('Whether a request needs a session token (IMDSv2).', oneOf('required', 'optional')),
        default: METADATA_DEFAULTS.httpTokens,
      },
    }),
  ),
  default: METADATA_DEFAULTS,
};

function seconds(description: string, minimum: number, maximum: number): Schema {
  return { ...described(description, INT32), minimum, maximum };
}

/** A3.24 */
const CONNECTION_TRACKING: Schema = {
  title: 'ConnectionTracking',
  ...described(
    'When the network interfaces forget idle connections; only instance types built on Nitro can be told. Without it, what EC2 does.',
    withRules(
      closed({
        tcpEstablishedTimeout: seconds(
          'Seconds until an idle TCP connection is forgotten, up to 5 days; without it, what the instance type does.',
          60,
          432_000,
        ),
        udpStreamTimeout: seconds(
          'Seconds until an idle UDP flow with more than one exchange is forgotten; without it, 180.',
          60,
          180,
        ),
        udpTimeout: seconds(
          'Seconds until an idle UDP flow of one direction or one exchange is forgotten; without it, 30.',
          30,
          60,
        ),
      }),
      {
        rule: 'has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)',
        message: 'sets nothing',
        allowed: 'one of tcpEstablishedTimeout, udpStreamTimeout, udpTimeout',
      },
    ),
  ),
};

/** A3.11, A3.12, A3.20 to A3.25 */
export const INSTANCE: Readonly<Record<string, Schema>> = {
  associatePublicIPAddress: described(
    'Whether instances get a public IPv4 address; without it, as the subnet has it.',
    BOOLEAN,
  ),
  ipPrefixCount: {
    ...described('How many prefixes of addresses the first network interface starts with; without it, none.', INT32),
    minimum: 0,
  },
  networkInterfaces: NETWORK_INTERFACES,
  instanceStorePolicy: described(
    'What becomes of the disks of the instance itself: RAID0 makes them one volume for the ephemeral storage of the node. Without it, they are left alone.',
    oneOf('RAID0'),
  ),
  detailedMonitoring: described(
    'Whether CloudWatch measures the instances every minute, at a price; without it, every five.',
    BOOLEAN,
  ),
  metadataOptions: METADATA_OPTIONS,
  connectionTracking: CONNECTION_TRACKING,
  cpuOptions: {
    title: 'CpuOptions',
    ...described(
      'What the processors are told.',
      closed({
        nestedVirtualization: described(
          'Whether the instance can run virtual machines itself: enabled leaves only instance types that can. Without it, disabled.',
          ENABLED,
        ),
      }),
    ),
  },
  enclaveOptions: {
    title: 'EnclaveOptions',
    ...described(
      'AWS Nitro Enclaves on the instances. Without it, they are off.',
      closed(
        { enabled: described('Whether enclaves can be made: true leaves only instance types that can.', BOOLEAN) },
        ['enabled'],
      ),
    ),
  },
};
