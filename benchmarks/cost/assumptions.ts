/** What the benchmark assumes, because it is not measured: latencies, and CPU time of code that the simulator replaces. */

/** *Units:* milliseconds of latency. Every call of a port takes 1 to 6 ms more, which the simulator draws. */
export const LATENCY_MS = {
  tableQuery: 5,
  /** Each MB of an answer. */
  tableQueryMb: 20,
  tablePut: 6,
  tableTransaction: 14,
  queue: 8,
  eventBus: 18,
  kubernetesRead: 18,
  kubernetesWrite: 13,
  describeCluster: 120,
  /** Of EC2, by action; another action takes as long as a read. */
  ec2: 150,
  ec2Instance: 0.6,
  CreateFleet: 2_500,
  CreateLaunchTemplate: 400,
  TerminateInstances: 600,
  /** The catalogue reads about 150 pages. */
  describeCatalogue: 30_000,
} as const;

/** *Units:* milliseconds of CPU time of a whole vCPU, beside the measured time of the controllers and stores. */
export const CPU_MS = {
  invocation: 4,
  /** The client of the SDK, for DynamoDB, SQS, EventBridge and EKS. */
  sdkCall: 1,
  ec2Call: 3,
  /** Each instance in an answer of DescribeInstances: measured, 260 to 360 ms for 1,000. */
  instance: 0.3,
  kubernetesCall: 1.5,
  node: 0.1,
  nodeClaim: 0.05,
} as const;

/** Lambda gives a function this share of a vCPU. *Units:* MiB of memory for one vCPU. */
export const MIB_OF_A_VCPU = 1_769;

/**
 * The event source mapping of a queue polls with long polls of 20 s: three a minute and poller. Messages end a poll early. It has five
 * pollers, and while there is little traffic as few as two, unless it has a maximum concurrency. *Source:* "Configuring scaling behavior
 * for SQS event source mappings", AWS Lambda Developer Guide, as of 2026. That an idle queue always has two is assumed.
 */
export const POLLS_A_MINUTE = { whole: 15, reduced: 6 } as const;

/** Lambda's own three lines START, END and REPORT of an invocation. *Units:* bytes. */
export const LAMBDA_LINES = { lines: 3, bytes: 290 } as const;

/** What CloudWatch adds to each log event. *Units:* bytes. */
export const LOG_EVENT_BYTES = 26;

/** What EventBridge adds to the detail of an event: version, id, source, account, time, region and type. *Units:* bytes. */
export const EVENT_ENVELOPE_BYTES = 300;

/** How long the archive of the event bus keeps an event. */
export const ARCHIVE_DAYS = 14;

export const HOURS_A_MONTH = 730;

/** The catalogue is read every twelve hours. */
export const CATALOGUE_RUNS_A_MONTH = HOURS_A_MONTH / 12;
