import { NAMED_FAULTS } from '../scenario/fault-fields.ts';
import { CALLS_OF_API } from '../scenario/port-calls.ts';
import { CAPACITY_TYPES, DURATION, FOR, INSTANCE_TYPES, PERCENT, POSITIVE, ZONES } from './scenario-fields.ts';
import { COUNT, closed, described, enumSchema, listOf, type Schema, TEXT } from './schema.ts';

export const THROTTLE: Schema = described(
  'An AWS API or the API server throttles Kerf: a share of its calls fail before they have an effect.',
  closed(
    {
      api: described('The API that throttles.', enumSchema(...Object.keys(CALLS_OF_API))),
      percent: described('The share of the calls that fail, after the retries of the SDK. Default: 50.', {
        ...PERCENT,
        minimum: 1,
      }),
      for: FOR,
    },
    ['api'],
  ),
);

export const BOOTS: Schema = described(
  'Instances that are launched in this time boot slowly, or never register as nodes.',
  closed({
    slowBy: described('The additional time until an instance registers as a node, such as 5m.', DURATION),
    failPercent: described('The share of the instances that never register. Default: 0.', PERCENT),
    instanceTypes: INSTANCE_TYPES,
    zones: ZONES,
    for: FOR,
  }),
);

const QUOTA_FAMILIES: readonly string[] = ['standard', 'g', 'p', 'x', 'f', 'inf', 'trn', 'dl', 'hpc', 'u'];

export const QUOTA: Schema = described(
  'A quota of the account for the vCPUs of running instances. A launch above it is refused: VcpuLimitExceeded, or MaxSpotInstanceCountExceeded for spot. Of several quotas for one group, the lowest applies.',
  closed(
    {
      capacityType: described(
        'on-demand, which includes reserved capacity, or spot. EC2 has a quota for each.',
        enumSchema('on-demand', 'spot'),
      ),
      family: described(
        'The group of instance families as EC2 counts them: standard (a, c, d, h, i, m, r, t, z), g (g and vt), p, x, f, inf, trn, dl, hpc or u. Default: standard.',
        enumSchema(...QUOTA_FAMILIES),
      ),
      vcpus: described('The quota in vCPUs.', COUNT),
      for: FOR,
    },
    ['capacityType', 'vcpus'],
  ),
);

const FUNCTIONS = ['provisioning', 'lifecycle', 'disruption', 'termination', 'catalogue', 'interruption'];
const BY_HAND =
  'delete-node remove-node delete-node-claim delete-pod terminate-instance remove-tags cordon-node keep-node lose-node stop-kubelet hold-pods';
const ERRORS = ['forbidden', 'conflict', 'gone', 'too-many-requests', 'server-error', 'throttled', 'timeout'];
const HOW =
  'twice late lost reply-lost rejected spent partial not-admitted never-join late-ready late-join late-taint early-taint'.split(
    ' ',
  );

/** Another rule checks which fields a kind has. */
export const FAULT: Schema = described(
  'A fault of the fault tester (docs/faults.md), by its name. Each kind has its own fields.',
  closed(
    {
      kind: described('The name of the fault.', enumSchema(...NAMED_FAULTS)),
      for: FOR,
      percent: described(
        'The share of the calls, messages, launches, instances or pods that the fault affects. Default: 100.',
        PERCENT,
      ),
      calls: described(
        'The calls of Kerf that the fault affects: methods of its ports such as store.listNodeClaims, or store.* for all methods of a port. The ports are cluster (the API server), cloud (EC2, EKS and IAM), store, leases and catalogue (DynamoDB), and messages (SQS and EventBridge).',
        listOf(TEXT, { minItems: 1 }),
      ),
      call: described('object-refused: one method of a port, such as cluster.evictPod.', TEXT),
      error: described('calls-fail: the error of the call. Default: timeout.', enumSchema(...ERRORS)),
      where: described(
        'calls-fail, cut-off: whether the call fails before or after its effect. Default: before.',
        enumSchema('before', 'after'),
      ),
      upTo: described(
        'calls-slow, messages, clocks: the longest delay, which the seed chooses. For messages, the default is 5m.',
        DURATION,
      ),
      nth: described(
        'object-refused, by-hand, node-pool, node-class: which object, counted from 0. Default: 0.',
        COUNT,
      ),
      how: described(
        'messages: twice, late or lost. odd-launches: reply-lost, rejected, spent, partial or not-admitted. machines: never-join, late-ready, late-join, late-taint or early-taint.',
        enumSchema(...HOW),
      ),
      queues: described(
        'messages: the queues of these functions. Default: all queues.',
        listOf(enumSchema(...FUNCTIONS), { minItems: 1 }),
      ),
      functions: described(
        'clocks: the functions whose clocks are wrong. Default: all functions.',
        listOf(enumSchema(...FUNCTIONS, 'webhook'), { minItems: 1 }),
      ),
      lag: described('listed-late: the age below which EC2 does not list an instance.', DURATION),
      late: described('machines: the additional time. Default: the seed chooses one to ten minutes.', DURATION),
      instanceTypes: INSTANCE_TYPES,
      zones: ZONES,
      capacityTypes: CAPACITY_TYPES,
      count: described('impaired: the number of instances. Default: 1.', POSITIVE),
      what: described(
        'by-hand: what a user does. After the time of `for`, keep-node, hold-pods and remove-tags are undone, the kubelet of stop-kubelet runs again, and that of lose-node registers the removed node again.',
        enumSchema(...BY_HAND.split(' ')),
      ),
      change: described(
        'node-pool: what a user does with it.',
        enumSchema('fewer', 'more', 'weight', 'budget', 'template', 'delete', 'replace', 'replicas'),
      ),
    },
    ['kind'],
  ),
);
