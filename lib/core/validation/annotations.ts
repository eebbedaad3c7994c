import { parseDuration } from '../../apis/formats/duration.ts';
import { isTimeZone } from '../../apis/formats/job-schedule.ts';
import { parseMinimumSaving } from '../../apis/formats/minimum-saving.ts';
import { parsePriceFactor } from '../../apis/formats/price-factor.ts';
import { quote } from '../../apis/formats/quote.ts';
import {
  BUDGET_TIME_ZONE,
  COOL_DOWN,
  GRACEFUL_EXPIRATION,
  MAX_EVICTIONS_PER_HOUR,
  MAX_PRICE_FACTOR,
  MINIMUM_SAVING,
} from '../../apis/labels.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { FieldProblem } from './field-problem.ts';

interface Rule {
  readonly isValid: (value: string) => boolean;
  /** Continues `"VALUE" is not …`. */
  readonly is: string;
  /** Continues `so …`. */
  readonly effect: string;
  readonly allowed: string;
}

const NOT_MOVED = 'consolidation moves no pods of its nodes';

/** Kerf's own annotations of NodePools. The API server accepts any value. */
const RULES: Readonly<Record<string, Rule>> = {
  [BUDGET_TIME_ZONE]: {
    isValid: isTimeZone,
    is: 'the name of a time zone',
    effect: 'budgets with a schedule allow no disruption',
    allowed: 'an IANA name, such as Europe/Paris or UTC',
  },
  [GRACEFUL_EXPIRATION]: {
    isValid: (value) => value === 'Never' || parseDuration(value) !== undefined,
    is: 'a duration',
    effect: 'a node that expires is deleted at once and not replaced first',
    allowed: 'a duration, such as 24h, or Never',
  },
  [MINIMUM_SAVING]: {
    isValid: (value) => parseMinimumSaving(value) !== undefined,
    is: 'a saving',
    effect: NOT_MOVED,
    allowed: 'a percentage of the price of the nodes, such as 5%, or US dollars per hour, such as $0.02',
  },
  [COOL_DOWN]: {
    isValid: (value) => parseDuration(value) !== undefined,
    is: 'a duration',
    effect: NOT_MOVED,
    allowed: 'a duration, such as 1h',
  },
  [MAX_PRICE_FACTOR]: {
    isValid: (value) => parsePriceFactor(value) !== undefined,
    is: 'a factor of a price',
    effect: 'the default of 3 applies',
    allowed: 'a number from 1, such as 3 or 2.5, or Off for no limit',
  },
  [MAX_EVICTIONS_PER_HOUR]: {
    isValid: (value) => parsePositive(value) !== undefined,
    is: 'a number of pods',
    effect: NOT_MOVED,
    allowed: 'a whole number from 1, such as 3',
  },
};

/** A positive whole number. *Shape:* undefined for other texts. */
export function parsePositive(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** Which of Kerf's annotations of a NodePool have invalid values, and the effect. *Shape:* none of them rejects the NodePool. */
export function annotationProblems({ metadata: { annotations = {} } }: NodePool): readonly FieldProblem[] {
  return Object.entries(RULES).flatMap(([key, { isValid, is, effect, allowed }]) => {
    const value = annotations[key];
    if (value === undefined || isValid(value)) return [];
    const message = `${quote(value)} is not ${is}, so ${effect}`;
    return [{ path: ['metadata', 'annotations', key], message, allowed }];
  });
}

/** *Shape:* `the annotation KEY: "VALUE" is not …, so …; write …`. @param of follows the key */
export function annotationInWords({ path, message, allowed }: FieldProblem, of = ''): string {
  return `the annotation ${String(path.at(-1))}${of}: ${message}; write ${allowed}`;
}
