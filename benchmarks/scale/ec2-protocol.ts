/** The answers of EC2 about a simulated cluster, in its XML protocol and of the size that EC2's answers have. */
import { formatTime } from '../../lib/apis/formats/time.ts';
import { NODE_CLAIM_TAG, NODE_CLASS, NODE_POOL } from '../../lib/apis/labels.ts';
import { ownershipTags } from '../../lib/core/model/ownership-tags.ts';
import type { SimulatedInstance } from '../../lib/simulator/aws/simulated-ec2.ts';
import type { HttpAnswer } from './http-answer.ts';

export interface AccountFacts {
  readonly instances: readonly SimulatedInstance[];
  /** By zone: its id. */
  readonly zones: ReadonlyMap<string, string>;
}

type Answer = (account: AccountFacts, query: URLSearchParams) => string;

/** EC2's largest page. */
const MAX_PAGE = 1_000;

/**
 * Those of a node of 8 CPUs with 12 pods, by the defaults of the VPC CNI: one interface holds 14 pods, and another one is kept ready.
 * Each has 15 addresses.
 */
const INTERFACES = 2;
const ADDRESSES = 15;

const ANSWERS: Readonly<Record<string, Answer>> = {
  DescribeInstances: describeInstances,
  DescribeInstanceStatus: () => '<instanceStatusSet/>',
  DescribeSubnets: ({ zones }) => `<subnetSet>${[...zones].map(subnet).join('')}</subnetSet>`,
  DescribeSecurityGroups: () =>
    '<securityGroupInfo><item><groupId>sg-simulated</groupId><groupName>simulated</groupName></item></securityGroupInfo>',
  DescribeImages: () => `<imagesSet>${image('x86_64', 'amd64')}${image('arm64', 'arm64')}</imagesSet>`,
  DescribeAvailabilityZones: ({ zones }) =>
    `<availabilityZoneInfo>${[...zones]
      .map(
        ([zone, id]) =>
          `<item><zoneName>${zone}</zoneName><zoneId>${id}</zoneId><zoneState>available</zoneState></item>`,
      )
      .join('')}</availabilityZoneInfo>`,
  DescribeCapacityReservations: () => '<capacityReservationSet/>',
  DescribeLaunchTemplates: () => '<launchTemplates/>',
  CreateTags: () => '<return>true</return>',
  TerminateInstances: (_, query) => {
    const ended = idsOf(query).map(
      (id) =>
        `<item><instanceId>${id}</instanceId><currentState><code>32</code><name>shutting-down</name></currentState></item>`,
    );
    return `<instancesSet>${ended.join('')}</instancesSet>`;
  },
};

/** The answers of IAM, which has the same protocol with another envelope. */
const IAM_ANSWERS: Readonly<Record<string, string>> = {
  GetInstanceProfile:
    '<InstanceProfile><InstanceProfileName>simulated</InstanceProfileName><InstanceProfileId>AIPA1</InstanceProfileId><Path>/</Path><Arn>arn:aws:iam::123456789012:instance-profile/simulated</Arn><CreateDate>2026-01-01T00:00:00Z</CreateDate><Roles/></InstanceProfile>',
  ListInstanceProfiles: '<InstanceProfiles/><IsTruncated>false</IsTruncated>',
};

/** *Errors:* TypeError for an action that no measured function needs. */
export function answerEc2(account: AccountFacts, query: URLSearchParams): HttpAnswer {
  const action = query.get('Action') ?? '';
  const ofIam = IAM_ANSWERS[action];
  if (ofIam !== undefined) {
    const result = `<${action}Result>${ofIam}</${action}Result><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata>`;
    return {
      status: 200,
      body: `<${action}Response xmlns="https://iam.amazonaws.com/doc/2010-05-08/">${result}</${action}Response>`,
    };
  }
  const answer = ANSWERS[action];
  if (answer === undefined) throw new TypeError(`EC2 does not answer ${action} in this benchmark`);
  const xmlns = 'http://ec2.amazonaws.com/doc/2016-11-15/';
  const inner = answer(account, query);
  return {
    status: 200,
    body: `<?xml version="1.0" encoding="UTF-8"?><${action}Response xmlns="${xmlns}"><requestId>1</requestId>${inner}</${action}Response>`,
  };
}

function describeInstances({ instances }: AccountFacts, query: URLSearchParams): string {
  const asked = new Set(idsOf(query));
  const found = asked.size === 0 ? instances : instances.filter(({ id }) => asked.has(id));
  const from = Number(query.get('NextToken') ?? '0');
  const to = from + Number(query.get('MaxResults') ?? MAX_PAGE);
  const page = found.slice(from, to);
  const next = to < found.length ? `<nextToken>${to}</nextToken>` : '';
  return `<reservationSet>${page.map(reservation).join('')}</reservationSet>${next}`;
}

function idsOf(query: URLSearchParams): readonly string[] {
  return [...query].flatMap(([key, value]) => (key.startsWith('InstanceId.') ? [value] : []));
}

function subnet([zone, zoneId]: readonly [string, string]): string {
  return `<item><subnetId>subnet-${zone}</subnetId><availabilityZone>${zone}</availabilityZone><availabilityZoneId>${zoneId}</availabilityZoneId><availableIpAddressCount>4000</availableIpAddressCount><state>available</state><vpcId>vpc-simulated</vpcId></item>`;
}

function image(architecture: string, kind: string): string {
  return `<item><imageId>ami-simulated-${kind}</imageId><name>simulated-${kind}</name><architecture>${architecture}</architecture><creationDate></creationDate><imageState>available</imageState></item>`;
}

function reservation(instance: SimulatedInstance): string {
  const { id, instanceType, zone, capacityType, imageId, launchedAtMs, privateDnsName, cluster } = instance;
  const tags = {
    [NODE_POOL]: instance.nodePool,
    [NODE_CLASS]: instance.nodeClass,
    [NODE_CLAIM_TAG]: instance.nodeClaim,
    Name: privateDnsName ?? '',
    ...ownershipTags(cluster),
  };
  const attached = attachedAt(launchedAtMs);
  const address = '10.0.0.1';
  return `<item><reservationId>r-${id}</reservationId><ownerId>123456789012</ownerId><groupSet/><instancesSet><item>
<instanceId>${id}</instanceId><imageId>${imageId}</imageId><instanceState><code>16</code><name>${instance.state}</name></instanceState>
<privateDnsName>${privateDnsName ?? ''}</privateDnsName><dnsName/><reason/><amiLaunchIndex>0</amiLaunchIndex><productCodes/>
<instanceType>${instanceType}</instanceType><launchTime>${formatTime(launchedAtMs)}</launchTime>
<placement><availabilityZone>${zone}</availabilityZone><groupName/><tenancy>default</tenancy></placement><monitoring><state>disabled</state></monitoring>
<subnetId>subnet-${zone}</subnetId><vpcId>vpc-simulated</vpcId><privateIpAddress>${address}</privateIpAddress><sourceDestCheck>true</sourceDestCheck>
<groupSet>${GROUP}</groupSet><architecture>arm64</architecture><rootDeviceType>ebs</rootDeviceType><rootDeviceName>/dev/xvda</rootDeviceName>
<blockDeviceMapping><item><deviceName>/dev/xvda</deviceName><ebs><volumeId>vol-${id}</volumeId><status>attached</status>${attached}</ebs></item></blockDeviceMapping>
<virtualizationType>hvm</virtualizationType>${capacityType === 'spot' ? '<instanceLifecycle>spot</instanceLifecycle><spotInstanceRequestId>sir-1</spotInstanceRequestId>' : ''}
<clientToken>fleet-${id}</clientToken><tagSet>${Object.entries(tags)
    .map(([key, value]) => `<item><key>${key}</key><value>${value}</value></item>`)
    .join('')}</tagSet><hypervisor>xen</hypervisor>
<networkInterfaceSet>${Array.from({ length: INTERFACES }, (_, device) => networkInterface(instance, device)).join('')}</networkInterfaceSet>
<ebsOptimized>false</ebsOptimized><cpuOptions><coreCount>8</coreCount><threadsPerCore>1</threadsPerCore></cpuOptions><capacityReservationSpecification><capacityReservationPreference>open</capacityReservationPreference></capacityReservationSpecification><hibernationOptions><configured>false</configured></hibernationOptions><enclaveOptions><enabled>false</enabled></enclaveOptions><metadataOptions><state>applied</state><httpTokens>required</httpTokens><httpPutResponseHopLimit>1</httpPutResponseHopLimit><httpEndpoint>enabled</httpEndpoint></metadataOptions><platformDetails>Linux/UNIX</platformDetails><usageOperation>RunInstances</usageOperation><maintenanceOptions><autoRecovery>default</autoRecovery></maintenanceOptions><currentInstanceBootMode>uefi</currentInstanceBootMode>
</item></instancesSet></item>`;
}

const GROUP = '<item><groupId>sg-simulated</groupId><groupName>simulated</groupName></item>';

function attachedAt(atMs: number): string {
  return `<attachTime>${formatTime(atMs)}</attachTime><deleteOnTermination>true</deleteOnTermination>`;
}

function networkInterface({ id, zone, launchedAtMs }: SimulatedInstance, device: number): string {
  const addresses = Array.from({ length: ADDRESSES }, (_, index) => {
    const address = `10.0.${device}.${index}`;
    const name = `ip-${address.replaceAll('.', '-')}.ec2.internal`;
    return `<item><privateIpAddress>${address}</privateIpAddress><privateDnsName>${name}</privateDnsName><primary>${index === 0}</primary></item>`;
  });
  return `<item><networkInterfaceId>eni-${id}-${device}</networkInterfaceId><subnetId>subnet-${zone}</subnetId><vpcId>vpc-simulated</vpcId><description>aws-K8S-${id}</description><ownerId>123456789012</ownerId><status>in-use</status><macAddress>0a:00:00:00:00:00</macAddress><privateIpAddress>10.0.${device}.0</privateIpAddress><privateDnsName>ip-10-0-${device}-0.ec2.internal</privateDnsName><sourceDestCheck>true</sourceDestCheck><groupSet>${GROUP}</groupSet><attachment><attachmentId>eni-attach-${id}-${device}</attachmentId><deviceIndex>${device}</deviceIndex><status>attached</status>${attachedAt(launchedAtMs)}<networkCardIndex>0</networkCardIndex></attachment><privateIpAddressesSet>${addresses.join('')}</privateIpAddressesSet><ipv6AddressesSet/><interfaceType>interface</interfaceType></item>`;
}
