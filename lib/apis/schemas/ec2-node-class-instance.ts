import {
  atomicListOf,
  BOOLEAN,
  closed,
  described,
  enumSchema,
  INT32,
  INT64,
  type Schema,
  withRules,
} from './schema.ts';

const INDEX: Schema = { ...INT32, minimum: 0 };

/** A3.12 */
const NETWORK_INTERFACES: Schema = described(
  'The network interfaces of every instance. Default: one.',
  withRules(
    atomicListOf(
      {
        title: 'NetworkInterface',
        ...closed(
          {
            networkCardIndex: described('The network card that the interface is attached to, from 0.', INDEX),
            deviceIndex: described('The index of the interface on its card, from 0.', INDEX),
            interfaceType: described(
              'An interface with IP addresses, or one only for EFA traffic.',
              enumSchema('interface', 'efa-only'),
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
      message: 'has the same networkCardIndex and deviceIndex as another entry',
      allowed: 'each pair of networkCardIndex and deviceIndex once',
      each: true,
    },
    {
      rule: "x.interfaceType != 'efa-only' || self.filter(y, x.networkCardIndex == y.networkCardIndex && y.interfaceType == 'efa-only').size() == 1",
      message: 'is one of several efa-only interfaces on its card',
      allowed: 'at most one efa-only interface for each networkCardIndex',
      each: true,
    },
  ),
);

const ENABLED: Schema = enumSchema('enabled', 'disabled');
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
    'Access to the instance metadata from the node, including the credentials of its role.',
    closed({
      httpEndpoint: {
        ...described('Whether the metadata endpoint is available over HTTP.', ENABLED),
        default: METADATA_DEFAULTS.httpEndpoint,
      },
      httpProtocolIPv6: {
        ...described('Whether the metadata endpoint is also available over IPv6.', ENABLED),
        default: METADATA_DEFAULTS.httpProtocolIPv6,
      },
      httpPutResponseHopLimit: {
        ...described(
          'The maximum number of network hops of a response. With 1, pods without hostNetwork have no access.',
          INT64,
        ),
        minimum: 1,
        maximum: 64,
        default: METADATA_DEFAULTS.httpPutResponseHopLimit,
      },
      httpTokens: {
        ...described('Whether requests require a session token (IMDSv2).', enumSchema('required', 'optional')),
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
    'Timeouts for idle connections that network interfaces track. Only supported by Nitro instance types. Default: the default of EC2.',
    withRules(
      closed({
        tcpEstablishedTimeout: seconds(
          'Timeout of idle TCP connections in seconds, at most 5 days. Default: the default of the instance type.',
          60,
          432_000,
        ),
        udpStreamTimeout: seconds(
          'Timeout in seconds of idle UDP flows with more than one request and response. Default: 180.',
          60,
          180,
        ),
        udpTimeout: seconds(
          'Timeout in seconds of idle UDP flows in one direction or with one request and response. Default: 30.',
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
    'Whether instances get a public IPv4 address. Default: the setting of the subnet.',
    BOOLEAN,
  ),
  ipPrefixCount: {
    ...described('The number of IP prefixes that the first network interface gets at launch. Default: none.', INT32),
    minimum: 0,
  },
  networkInterfaces: NETWORK_INTERFACES,
  instanceStorePolicy: described(
    'How to use instance store disks. RAID0 combines them into one volume for the ephemeral storage of the node. Default: they are not used.',
    enumSchema('RAID0'),
  ),
  detailedMonitoring: described(
    'Whether CloudWatch collects metrics every minute, at extra cost. Default: every five minutes.',
    BOOLEAN,
  ),
  metadataOptions: METADATA_OPTIONS,
  connectionTracking: CONNECTION_TRACKING,
  cpuOptions: {
    title: 'CpuOptions',
    ...described(
      'Options of the processors.',
      closed({
        nestedVirtualization: described(
          'Whether the instance can run virtual machines. With enabled, only instance types that support it are used. Default: disabled.',
          ENABLED,
        ),
      }),
    ),
  },
  enclaveOptions: {
    title: 'EnclaveOptions',
    ...described(
      'AWS Nitro Enclaves. Default: disabled.',
      closed(
        {
          enabled: described(
            'Whether enclaves are enabled. With true, only instance types that support them are used.',
            BOOLEAN,
          ),
        },
        ['enabled'],
      ),
    ),
  },
};
