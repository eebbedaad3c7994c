/** The pages of the manual, in the order in which one can read them. A test checks that every document is one of them. */

export interface Page {
  readonly text: string;
  /** The path of the document, without `.md`. */
  readonly link: string;
}

export interface Part {
  readonly text: string;
  readonly items: readonly Page[];
}

function page(text: string, link: string): Page {
  return { text, link: `/${link}` };
}

export const PARTS: readonly Part[] = [
  {
    text: 'Start',
    items: [
      page('What Kerf is', ''),
      page('On a laptop, in 5 minutes', 'start-laptop'),
      page('On a cluster, in 20 minutes', 'start-cluster'),
    ],
  },
  {
    text: 'Coming from …',
    items: [
      page('Karpenter', 'migration'),
      page('Cluster Autoscaler', 'from-cluster-autoscaler'),
      page('EKS Auto Mode', 'from-auto-mode'),
    ],
  },
  {
    text: 'Understand',
    items: [
      page('Concepts', 'concepts'),
      page('How Kerf decides', 'how-it-decides'),
      page('Cost', 'cost'),
      page('Security', 'security'),
      page('Limits', 'limits'),
      page('Glossary', 'glossary'),
    ],
  },
  {
    text: 'Use',
    items: [
      page('Settings', 'settings'),
      page('Commands', 'commands'),
      page('Simulation', 'simulation'),
      page('Scenarios', 'scenario'),
      page('Snapshots', 'snapshot'),
      page('Decisions', 'decisions'),
    ],
  },
  {
    text: 'Operate',
    items: [
      page('Install, upgrade, remove', 'operations'),
      page('Runbook', 'runbook'),
      page('Signals', 'signals'),
      page('Reasons', 'reasons'),
      page('Stuck nodes', 'stuck-nodes'),
      page('Karpenter’s metrics', 'karpenter-metrics'),
      page('The webhook', 'webhook'),
      page('Calls to AWS', 'ec2'),
    ],
  },
  {
    text: 'Measurements',
    items: [page('A week', 'week'), page('Large clusters', 'scale'), page('Faults', 'faults')],
  },
  {
    text: 'Internals',
    items: [
      page('Architecture', 'architecture'),
      page('The scheduling engine', 'scheduling'),
      page('Promises', 'promises'),
      page('Karpenter’s behaviour', 'behaviour'),
      page('Parity', 'parity'),
    ],
  },
];

/** Pages to which the pages of the last part lead. */
export const BELOW: readonly string[] = [
  ...['a-apis', 'b-scheduling', 'c-aws', 'd-lifecycle', 'e-disruption', 'f-observability', 'g-requests', 'h-traps'].map(
    (name) => `/behaviour/${name}`,
  ),
  ...['a-apis', 'b-scheduling', 'c-aws', 'd-lifecycle', 'e-disruption', 'f-observability'].map(
    (name) => `/parity/${name}`,
  ),
];
