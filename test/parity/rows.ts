/** What Karpenter's scheduler does, row by row, in a line each: docs/parity.md says which test holds which row. */

export interface BehaviourRow {
  readonly row: string;
  readonly says: string;
  /** Tests that hold the row and do not cite it, being about something wider. */
  readonly heldBy?: readonly { readonly file: string; readonly title: string }[];
  /** Why no test holds it. */
  readonly notHeld?: string;
}

export interface BehaviourSection {
  readonly title: string;
  readonly rows: readonly BehaviourRow[];
}

const WAKING: BehaviourSection = {
  title: 'When it looks',
  rows: [
    {
      row: 'B1',
      says: 'Word of a pod without a place starts a run, and a tick finds what was missed',
      heldBy: [
        { file: 'test/controllers/webhook.test.ts', title: 'who is woken' },
        { file: 'test/controllers/twice.test.ts', title: 'every wake lost: the tick alone gets the work done' },
      ],
    },
    {
      row: 'B2',
      says: 'What happens within a moment is decided together',
      heldBy: [
        {
          file: 'test/stack/kerf-stack.test.ts',
          title: 'a wake queue collects for a second, and no more than two runs go on at a time',
        },
        { file: 'test/operator/wake-batch.test.ts', title: 'a storm of wakes is one run for each cluster' },
      ],
    },
    {
      row: 'B3',
      says: 'Karpenter waits until every claim is launched; here an unlaunched claim takes part by its record',
      heldBy: [{ file: 'test/core/cluster/state-node.test.ts', title: 'a claim in flight takes part by its record' }],
    },
    {
      row: 'B4',
      says: 'A run has a bounded time, and what it leaves is for the next one',
      heldBy: [
        {
          file: 'test/operator/wake-batch.test.ts',
          title: 'a cluster that hangs is given up before the function runs out of time; the others are done',
        },
      ],
    },
    { row: 'B5', says: 'A node that pods are meant for is promised to them, and not disrupted for a while' },
  ],
};

const PODS: BehaviourSection = {
  title: 'Which pods',
  rows: [
    {
      row: 'B6',
      says: 'Pods that the scheduler tried and could not place; none of daemons, of nodes, gated or preempting',
    },
    { row: 'B7', says: 'Pods of nodes that go, unless a budget or a wish of theirs keeps them in place' },
    { row: 'B8', says: 'A pod that refuses every managed node is passed over without a word' },
    { row: 'B9', says: 'A pod whose labels or volumes cannot be understood is refused, and the reason said' },
    { row: 'B10', says: 'Pods that are passed over are counted apart from those without a place' },
    { row: 'B11', says: 'An ephemeral volume is the claim of its name, and the template’s class until there is one' },
  ],
};

const INPUTS: BehaviourSection = {
  title: 'What is looked at',
  rows: [
    { row: 'B12', says: 'NodePools that are ready and stay, the heaviest first, of equals the later name' },
    { row: 'B13', says: 'Of the types those that suit the pool and are on offer; a pool without any drops out' },
    { row: 'B14', says: 'A new node has the pool’s requirements and labels; a custom label gets one value' },
    {
      row: 'B15',
      says: 'Every node that stays takes pods, strangers and claims in flight too, initialized ones first',
    },
    { row: 'B16', says: 'Taints that a starting node will lose do not count' },
    { row: 'B17', says: 'The room of a node is what it has less its pods less the daemons still to come' },
    {
      row: 'B18',
      says: 'What a pod asks for: containers, sidecars, the peak of its start, overhead, pod-level figures',
    },
    { row: 'B19', says: 'Requests fit where each one does; a node that is overdrawn in anything takes nothing' },
    { row: 'B20', says: 'A daemon is judged by its newest living pod, else by its template' },
    { row: 'B21', says: 'Which daemons come depends on the type, and so does the room they take' },
    {
      row: 'B22',
      says: 'Default spread for pods that declare none',
      notHeld:
        'EKS runs the kube-scheduler and lets users configure no default constraints. Those that it has built in are ScheduleAnyway: they keep no pod unschedulable, and Kerf adds none',
    },
    { row: 'B23', says: 'A new claim fits what the limits leave; here exactly so within a run, nodes included' },
    { row: 'B24', says: 'A claim keeps as many distinct values as minValues asks for, or says that it could not' },
    { row: 'B25', says: 'A claim keeps its cheapest types where there are too many' },
    { row: 'B26', says: 'A type is ranked by its cheapest offering that the claim may take' },
  ],
};

const ALGORITHM: BehaviourSection = {
  title: 'How it decides',
  rows: [
    { row: 'B27', says: 'A pod asks first with its heaviest preference as if it were required' },
    { row: 'B28', says: 'Pods go by cpu, then memory, then age, then uid; priority does not matter' },
    { row: 'B29', says: 'Pods without a place are asked again as long as anything moves' },
    { row: 'B30', says: 'A preference that is given up is given up for this try only' },
    { row: 'B31', says: 'The order in which preferences are given up' },
    { row: 'B32', says: 'With the policy Ignore preferences are not looked at' },
    { row: 'B33', says: 'Existing nodes are asked first, and what is asked of them' },
    { row: 'B34', says: 'Then the claims that this run opened, the one with the fewest pods first' },
    { row: 'B35', says: 'Then a new claim of the heaviest pool that can, be it dearer' },
    { row: 'B36', says: 'What a claim must still be able to become when a pod joins it' },
    { row: 'B37', says: 'A type fits where one of its offerings both has the room and may be taken' },
    {
      row: 'B38',
      says: 'What is written on the claim in the end: no host name, the daemons at the least, narrowed capacity types',
    },
    { row: 'B39', says: 'Limits are looked at once more when claims are made' },
    { row: 'B40', says: 'What a run costs as pods, nodes and types grow' },
    { row: 'B41', says: 'Karpenter leaves ties to chance; here the same snapshot has the same answer' },
  ],
};

const VOLUMES: BehaviourSection = {
  title: 'Volumes',
  rows: [
    { row: 'B42', says: 'Where volumes are or may be made: the alternatives of each, combined' },
    { row: 'B43', says: 'A volume binds the node and leaves the zones that a spread counts alone' },
    { row: 'B44', says: 'How many volumes an existing node can attach' },
  ],
};

const TOPOLOGY: BehaviourSection = {
  title: 'Topology',
  rows: [
    { row: 'B45', says: 'Domains are what pools, types and nodes together can be' },
    { row: 'B46', says: 'Bound pods that live and are selected count, but for those of the run' },
    { row: 'B47', says: 'A pod goes to the domain with the fewest, within the skew of the emptiest' },
    { row: 'B48', says: 'With fewer domains than minDomains the emptiest counts as empty' },
    { row: 'B49', says: 'Over hosts a new one is always possible, so the skew is a maximum a host' },
    { row: 'B50', says: 'matchLabelKeys narrows who is counted' },
    { row: 'B51', says: 'Nodes that the pod could not use count or not, as the two policies say' },
    { row: 'B52', says: 'Affinity looks in its own namespace, those listed and those selected; spread in its own' },
    { row: 'B53', says: 'Affinity goes where a selected pod is; the first of its kind chooses' },
    { row: 'B54', says: 'Anti-affinity goes where none is; over zones here all are placed in one run' },
    { row: 'B55', says: 'Pods that are there keep away whom they reject' },
    {
      row: 'B56',
      says: 'A pod counts in a domain once its node is pinned there, for anti-affinity wherever it may end',
    },
    { row: 'B57', says: 'Spread over capacity types and over labels of one’s own' },
  ],
};

const OTHERS: BehaviourSection = {
  title: 'Other constraints',
  rows: [
    { row: 'B58', says: 'Host ports conflict by address, port and protocol, those of daemons too' },
    { row: 'B59', says: 'A reserved offering is not promised to more claims than it has places' },
    {
      row: 'B60',
      says: 'Dynamic resource allocation: a pod with resource claims is refused, with the reason',
      heldBy: [
        {
          file: 'test/core/provisioning/provision.test.ts',
          title: '$what are refused with a reason',
        },
      ],
    },
    { row: 'B61', says: 'Taints and tolerations; a soft taint keeps away until nothing else is left' },
    { row: 'B62', says: 'The overhead of a runtime class is what the pod states' },
    { row: 'B63', says: 'A static NodePool takes no part' },
    {
      row: 'B64',
      says: 'Predictions of what pods will need',
      notHeld: 'Karpenter collects them and decides nothing by them, so there is no behaviour to hold',
    },
    { row: 'B65', says: 'The pods of a capacity buffer are placed like others, and nobody is told of them' },
  ],
};

export const BEHAVIOUR: readonly BehaviourSection[] = [WAKING, PODS, INPUTS, ALGORITHM, VOLUMES, TOPOLOGY, OTHERS];
