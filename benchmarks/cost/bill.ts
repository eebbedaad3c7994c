/** The bill of a month in USD, by component. */

import {
  ARCHIVE_DAYS,
  CATALOGUE_RUNS_A_MONTH,
  HOURS_A_MONTH,
  LAMBDA_LINES,
  LOG_EVENT_BYTES,
  MIB_OF_A_VCPU,
} from './assumptions.ts';
import prices from './aws-prices.json' with { type: 'json' };
import type { FixedParts } from './fixed-parts.ts';
import type { FunctionUse, Use } from './ledger.ts';

export const COMPONENTS = [
  'Lambda',
  'reads',
  'writes',
  'queues',
  'polling',
  'metrics',
  'logs',
  'events',
  'storage',
  'fixed',
] as const;
export type Component = (typeof COMPONENTS)[number];
export type Bill = Readonly<Record<Component, number>>;

const { usd } = prices;
const MILLION = 1e6;
const GB = 1e9;
const MIB_OF_A_GB = 1_024;
/** Of each invocation. */
const LAMBDA_BYTES = LAMBDA_LINES.bytes + LAMBDA_LINES.lines * LOG_EVENT_BYTES;

/** What is billed without any work: polls of queues, alarms, secrets, dashboards. */
export function fixedBill({ pollsAMinute, alarmMetrics, secrets, dashboardMetrics }: FixedParts): Bill {
  const polls = pollsAMinute * 60 * HOURS_A_MONTH;
  const dashboards = dashboardMetrics > 50 ? usd.dashboardMonth : 0;
  return {
    ...NOTHING,
    polling: (polls / MILLION) * usd.sqsMillionRequests,
    fixed: alarmMetrics * usd.alarmMetricMonth + secrets * usd.secretMonth + dashboards,
  };
}

/** The bill of a use that goes on for the whole month. */
export function billOfUse({ hours, functions, metricHours, tableBytes }: Use, fixed: FixedParts): Bill {
  const each = Object.entries(functions).map(([name, use]) => billOfFunction(name, use, fixed));
  const counted = scaled(each.reduce(sumOf, NOTHING), HOURS_A_MONTH / hours);
  return sumOf(counted, {
    ...NOTHING,
    metrics: (metricHours / hours) * usd.metricMonth,
    storage: (tableBytes / GB) * (usd.tableGbMonth + usd.tableBackupGbMonth),
  });
}

/** The catalogue function, which is the deployment's. */
export function catalogueBill(run: FunctionUse, fixed: FixedParts): Bill {
  return scaled(billOfFunction('catalogue', run, fixed), CATALOGUE_RUNS_A_MONTH);
}

/** Lambda's duration of all invocations. *Units:* seconds. */
function secondsOf({ latencyMs, measuredCpuMs, assumedCpuMs }: FunctionUse, memoryMib: number): number {
  const share = Math.min(1, memoryMib / MIB_OF_A_VCPU);
  return (latencyMs + (measuredCpuMs + assumedCpuMs) / share) / 1_000;
}

function billOfFunction(name: string, use: FunctionUse, fixed: FixedParts): Bill {
  const memoryMib = memoryOf(fixed, name);
  const linesOfLambda = fixed.logsOnlyFailures.includes(name) ? 0 : use.invocations * LAMBDA_BYTES;
  const gbSeconds = (secondsOf(use, memoryMib) * memoryMib) / MIB_OF_A_GB;
  // Each message was sent once.
  const requests = use.messages + use.queueCalls;
  return {
    ...NOTHING,
    Lambda: gbSeconds * usd.lambdaGbSecond + (use.invocations / MILLION) * usd.lambdaMillionRequests,
    reads: (use.readUnits / MILLION) * usd.readMillionUnits,
    writes: (use.writeUnits / MILLION) * usd.writeMillionUnits,
    queues: (requests / MILLION) * usd.sqsMillionRequests,
    logs: ((use.logBytes + linesOfLambda) / GB) * usd.logsGb,
    events: (use.events / MILLION) * usd.eventBridgeMillionEvents + archiveUsd(use.eventBytes),
    storage: (use.s3Puts * usd.s3ThousandPuts + use.s3Gets * usd.s3ThousandGets) / 1_000,
  };
}

/** The archive takes in all events, and keeps each for a part of a month. */
function archiveUsd(bytes: number): number {
  const monthsKept = (ARCHIVE_DAYS * 24) / HOURS_A_MONTH;
  return (bytes / GB) * (usd.eventBridgeArchivedGb + monthsKept * usd.eventBridgeArchiveGbMonth);
}

function memoryOf({ memoryMib }: FixedParts, name: string): number {
  const mib = memoryMib[name];
  if (mib === undefined) throw new RangeError(`the template has no function ${name}`);
  return mib;
}

const NOTHING: Bill = {
  Lambda: 0,
  reads: 0,
  writes: 0,
  queues: 0,
  polling: 0,
  metrics: 0,
  logs: 0,
  events: 0,
  storage: 0,
  fixed: 0,
};

export function sumOf(a: Bill, b: Bill): Bill {
  return mapped((component) => a[component] + b[component]);
}

export function scaled(bill: Bill, factor: number): Bill {
  return mapped((component) => bill[component] * factor);
}

export function totalOf(bill: Bill): number {
  return COMPONENTS.reduce((sum, component) => sum + bill[component], 0);
}

function mapped(valueOf: (component: Component) => number): Bill {
  return {
    Lambda: valueOf('Lambda'),
    reads: valueOf('reads'),
    writes: valueOf('writes'),
    queues: valueOf('queues'),
    polling: valueOf('polling'),
    metrics: valueOf('metrics'),
    logs: valueOf('logs'),
    events: valueOf('events'),
    storage: valueOf('storage'),
    fixed: valueOf('fixed'),
  };
}
