/** A kind of text that a field may hold: `allowed` completes "write …". */
export interface Format {
  readonly allowed: string;
  /** Absent where the rule is no regular language and the reader has to know it. */
  readonly pattern?: string;
  readonly maxLength?: number;
}

const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const DNS_LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const DNS_SUBDOMAIN = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*';
const QUALIFIED_NAME = `${NAME}|${DNS_SUBDOMAIN}/${NAME}`;
/** Kubernetes reads the domain of an annotation in lower case. */
const ANNOTATION_KEY = `${NAME}|${DNS_SUBDOMAIN.replaceAll('a-z', 'A-Za-z')}/${NAME}`;

const NAME_RULE = 'at most 63 letters, digits, "-", "_" or ".", with a letter or digit at both ends';
const DNS_RULE = 'lower-case letters, digits, "-" or ".", with a letter or digit at both ends';

function byPattern(pattern: string, allowed: string, maxLength = 253): Format {
  return { pattern: `^(?:${pattern})$`, maxLength, allowed };
}

const ALL = {
  quantity: {
    allowed: 'a quantity of zero or more, such as 500m, 2, 1.5 or 512Mi',
  },
  percent: byPattern('[0-9]+%', 'a whole number (without quotes) or a percentage such as 25%'),
  'qualified-name': byPattern(QUALIFIED_NAME, `a name of ${NAME_RULE}; a DNS name and "/" may stand before it`, 317),
  'annotation-key': byPattern(ANNOTATION_KEY, `a name of ${NAME_RULE}; a DNS name and "/" may stand before it`, 317),
  'label-value': byPattern(`(?:${NAME})?`, `${NAME_RULE}; it may be empty`, 63),
  'dns-label': byPattern(
    DNS_LABEL,
    'at most 63 lower-case letters, digits or "-", with a letter or digit at both ends',
    63,
  ),
  'dns-subdomain': byPattern(DNS_SUBDOMAIN, DNS_RULE),
  'generate-name': byPattern('[a-z0-9](?:[-a-z0-9.]*[-a-z0-9])?', `the start of a name: ${DNS_RULE}; "-" may end it`),
  // A1.9, A1.12
  'duration-or-never': byPattern(
    '(?:[0-9]+[smh])+|Never',
    'a duration of whole hours, minutes or seconds, such as 30s, 1h30m or 720h, or Never',
  ),
  // A1.10
  duration: byPattern('(?:[0-9]+[smh])+', 'a duration of whole hours, minutes or seconds, such as 30s, 1h30m or 720h'),
  // Go writes it so; for our own kind only.
  'go-duration': {
    allowed: 'a duration such as 90s, 10m or 1h30m',
  },
  // A1.15
  'budget-nodes': byPattern(
    '(?:100|[0-9]{1,2})%|[0-9]+',
    'a count or a percentage from 0% to 100% as text, such as "3" or "10%"',
  ),
  // A1.17
  'cron-schedule': {
    allowed:
      'five cron fields in UTC (minute, hour, day of month, month, day of week 0-6), such as "0 9 * * mon-fri", or @hourly, @daily, @weekly, @monthly or @annually',
  },
  // A1.18
  'budget-duration': byPattern(
    '(?:[0-9]+[hm]|[0-9]+h[0-9]+m)(?:0s)?',
    'hours and minutes only, such as 30m, 8h or 1h30m',
  ),
  // A1.8
  'api-group': byPattern('[^/]+', 'an API group without a version, such as karpenter.k8s.aws'),
  // A3.2 to A3.9: EC2 accepts more shapes than one, so only the prefix counts.
  'subnet-id': byPattern('.*subnet-[0-9a-z]+.*', 'a subnet id such as subnet-0123456789abcdef0'),
  'security-group-id': byPattern('.*sg-[0-9a-z]+.*', 'a security group id such as sg-0123456789abcdef0'),
  'ami-id': byPattern('.*ami-[0-9a-z]+.*', 'an AMI id such as ami-0123456789abcdef0'),
  'capacity-reservation-id': byPattern('cr-[0-9a-z]+', 'a capacity reservation id such as cr-0123456789abcdef0'),
  'placement-group-id': byPattern('pg-[0-9a-z]+', 'a placement group id such as pg-0123456789abcdef0'),
  'aws-account-id': byPattern('[0-9]{12}', 'an AWS account id of 12 digits, in quotes'),
  'ami-alias': byPattern(
    '(?:al2|al2023|bottlerocket)@.+|windows20(?:19|22|25)@latest',
    'family@version: al2, al2023 or bottlerocket with a version or latest (al2023@latest), or windows2019, windows2022 or windows2025 with @latest',
    30,
  ),
  'tag-text': byPattern('[\\s\\S]+', 'text that is not empty', 256),
  // A3.19
  'ebs-volume-size': {
    allowed: 'a whole size such as 100Gi, of at most 59000Gi, 64000G, 58Ti or 64T',
  },
  // `name` or `namespace/name`
  'object-reference': byPattern(`(?:${DNS_LABEL}/)?${DNS_SUBDOMAIN}`, 'the name of an object, or namespace/name', 317),
} satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof ALL;

export const FORMATS: Readonly<Record<FormatName, Format>> = ALL;

export function isFormatName(name: string | undefined): name is FormatName {
  return name !== undefined && Object.hasOwn(ALL, name);
}
