/** What a simulated deployment used, by function. */
export interface FunctionUse {
  readonly invocations: number;
  /** Of its queue. */
  readonly messages: number;
  /** Calls that receive and calls that delete ten messages at most. */
  readonly queueCalls: number;
  /** From the start of invocations to their answers, without CPU time. */
  readonly latencyMs: number;
  /** Measured CPU time of controllers and stores. */
  readonly measuredCpuMs: number;
  /** CPU time by the assumptions. */
  readonly assumedCpuMs: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Events of 64 KB. */
  readonly events: number;
  /** Of these events, as the archive of the bus has them. */
  readonly eventBytes: number;
  /** Without the lines of Lambda itself. */
  readonly logBytes: number;
  readonly logEvents: number;
  readonly s3Puts: number;
  readonly s3Gets: number;
  /** Calls by port and method, and of EC2 by action. */
  readonly calls: Readonly<Record<string, number>>;
}

export interface Use {
  /** The simulated time of the count. */
  readonly hours: number;
  readonly nodes: number;
  readonly functions: Readonly<Record<string, FunctionUse>>;
  /** The sum over hours of the custom metrics that were written in the hour. */
  readonly metricHours: number;
  /** The names of these metrics. */
  readonly metrics: readonly string[];
  readonly tableBytes: number;
}

export type MutableUse = {
  -readonly [Key in keyof FunctionUse]: FunctionUse[Key] extends number ? number : Record<string, number>;
};

export function nothingUsed(): MutableUse {
  return {
    invocations: 0,
    messages: 0,
    queueCalls: 0,
    latencyMs: 0,
    measuredCpuMs: 0,
    assumedCpuMs: 0,
    readUnits: 0,
    writeUnits: 0,
    events: 0,
    eventBytes: 0,
    logBytes: 0,
    logEvents: 0,
    s3Puts: 0,
    s3Gets: 0,
    calls: {},
  };
}
