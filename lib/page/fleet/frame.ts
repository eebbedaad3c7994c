/** A node of the picture. *Units:* seconds from the start, USD, millicores and MiB. */
export interface FleetNode {
  /** The name of its NodeClaim. */
  readonly id: string;
  /** The id of its instance. */
  readonly instance: string;
  readonly pool: string;
  readonly type: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly usdPerHour: number;
  readonly launchedAt: number;
  readonly state: 'starting' | 'ready' | 'leaving' | 'lost';
  /** Why it is leaving. Empty if it stays. */
  readonly why: string;
  /** 0 until the node has joined. */
  readonly cpu: number;
  readonly memory: number;
  readonly cpuRequested: number;
  readonly memoryRequested: number;
  readonly pods: number;
}

/** A node of which nothing is known. */
export const UNKNOWN_NODE: Omit<FleetNode, 'id'> = {
  instance: '',
  pool: '',
  type: '',
  zone: '',
  capacityType: '',
  usdPerHour: 0,
  launchedAt: 0,
  state: 'starting',
  why: '',
  cpu: 0,
  memory: 0,
  cpuRequested: 0,
  memoryRequested: 0,
  pods: 0,
};

/** The new values of a node. A new node has all fields. */
export type NodeChange = Partial<FleetNode> & Pick<FleetNode, 'id'>;

/** The pending pods of one workload. */
export interface PendingPods {
  readonly workload: string;
  readonly count: number;
  /** Since when the first of them is pending. */
  readonly since: number;
  /** Why provisioning cannot place them. Empty if nodes are on their way. */
  readonly reason: string;
}

/** The figures of the cluster at one time. */
export interface FleetFigures {
  readonly usdPerHour: number;
  readonly costUsd: number;
  readonly podsRunning: number;
  readonly podsPending: number;
  /** What the requests of the pods on nodes cost on fractions of the cheapest instances that the NodePools allow. 0: no bound. */
  readonly boundUsdPerHour: number;
}

/** A line of the log. `decision`: what Kerf or the Scenario decided, and what went wrong; not how it was carried out. */
export interface LogLine {
  readonly at: number;
  readonly label: string;
  readonly text: string;
  readonly style: 'plain' | 'bold' | 'good' | 'bad' | 'quiet';
  readonly decision: boolean;
}

/** What has changed since the frame before. An absent field has not changed. */
export interface Frame {
  readonly at: number;
  readonly nodes?: readonly NodeChange[];
  readonly gone?: readonly string[];
  /** All of them. */
  readonly pending?: readonly PendingPods[];
  readonly figures?: FleetFigures;
  readonly lines?: readonly LogLine[];
}

/** What the page gets at its start. */
export interface PageData {
  readonly title: string;
  readonly durationSeconds: number;
  /** Whether a server sends more frames and takes commands. */
  readonly live: boolean;
  /** Whether it shows records of decisions. @default it shows a simulation */
  readonly recorded?: boolean;
  readonly frames: readonly Frame[];
}
