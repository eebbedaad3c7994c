import { DNS_SUBDOMAIN, NAME, NAME_RULE } from '../formats/label-syntax.ts';

/** A text format of a field. `allowed` completes "write …". */
export interface Format {
  readonly allowed: string;
  /** Absent where a regular expression cannot describe the format. */
  readonly pattern?: string;
  readonly maxLength?: number;
}

const DNS_LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
/** Kubernetes ignores the case of an annotation's domain. */
const ANNOTATION_KEY = `${NAME}|${DNS_SUBDOMAIN.replaceAll('a-z', 'A-Za-z')}/${NAME}`;

const DNS_RULE = 'lower-case letters, digits, "-" or ".", with a letter or digit at both ends';

function byPattern(pattern: string, allowed: string, maxLength = 253): Format {
  return { pattern: `^(?:${pattern})$`, maxLength, allowed };
}

const ALL = {
  quantity: {
    allowed: 'a quantity of zero or more, such as 500m, 2, 1.5 or 512Mi',
  },
  percent: byPattern('[0-9]+%', 'a whole number (without quotes) or a percentage such as 25%'),
  'qualified-name': { allowed: `a name of ${NAME_RULE}; an optional prefix is a DNS name and "/"`, maxLength: 317 },
  'annotation-key': byPattern(ANNOTATION_KEY, `a name of ${NAME_RULE}; an optional prefix is a DNS name and "/"`, 317),
  'label-value': byPattern(`(?:${NAME})?`, `${NAME_RULE}; it may be empty`, 63),
  'dns-label': byPattern(
    DNS_LABEL,
    'at most 63 lower-case letters, digits or "-", with a letter or digit at both ends',
    63,
  ),
  'dns-subdomain': byPattern(DNS_SUBDOMAIN, DNS_RULE),
  'generate-name': byPattern(
    '[a-z0-9](?:[-a-z0-9.]*[-a-z0-9])?',
    `the start of a name: ${DNS_RULE}; it may end with "-"`,
  ),
  // Go's format; only for the kind Scenario.
  'go-duration': {
    allowed: 'a duration such as 90s, 10m or 1h30m',
  },
  // `name` or `namespace/name`
  'object-reference': byPattern(`(?:${DNS_LABEL}/)?${DNS_SUBDOMAIN}`, 'the name of an object, or namespace/name', 317),
  'workload-reference': byPattern(
    `(?:Deployment|ReplicaSet|StatefulSet)/(?:${DNS_LABEL}/)?${DNS_SUBDOMAIN}`,
    'Deployment/NAME, ReplicaSet/NAME or StatefulSet/NAME, with NAMESPACE/NAME for another namespace than default',
    330,
  ),
} satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof ALL;

export const FORMATS: Readonly<Record<FormatName, Format>> = ALL;

export function isFormatName(name: string | undefined): name is FormatName {
  return name !== undefined && Object.hasOwn(ALL, name);
}
