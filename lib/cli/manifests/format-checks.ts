import { parseCron } from '../../apis/cron.ts';
import { parseDuration } from '../../apis/duration.ts';
import { isQuantity } from '../../apis/quantity.ts';
import { FORMATS, type FormatName } from '../../apis/schemas/formats.ts';

/** The formats that no pattern describes. */
const CHECKS: Partial<Readonly<Record<FormatName, (text: string) => boolean>>> = {
  quantity: (text) => isQuantity(text) && !text.startsWith('-'),
  'go-duration': (text) => parseDuration(text) !== undefined,
  // A word alone is no schedule, and no key to look up in a table.
  'cron-schedule': (text) => /^@|\s/.test(text) && parseCron(text) !== undefined,
  'ebs-volume-size': isEbsVolumeSize,
};

/** True where text is of this format. */
export function hasFormat(name: FormatName, text: string): boolean {
  return checkOf(name)(text);
}

/** The check behind each format, by name. */
export const FORMAT_CHECKS: ReadonlyMap<string, (text: string) => boolean> = new Map(
  formatNames().map((name) => [name, checkOf(name)]),
);

function checkOf(name: FormatName): (text: string) => boolean {
  const { pattern, maxLength = Number.POSITIVE_INFINITY } = FORMATS[name];
  const whole = new RegExp(pattern ?? '');
  return CHECKS[name] ?? ((text) => text.length <= maxLength && whole.test(text));
}

function formatNames(): readonly FormatName[] {
  return Object.keys(FORMATS).filter((name): name is FormatName => Object.hasOwn(FORMATS, name));
}

const LARGEST_VOLUME: ReadonlyMap<string, number> = new Map([
  ['Gi', 59_000],
  ['G', 64_000],
  ['Ti', 58],
  ['T', 64],
]);

/** A3.19 */
function isEbsVolumeSize(text: string): boolean {
  const [, amount, unit = ''] = /^([1-9][0-9]*)(Gi|G|Ti|T)$/.exec(text) ?? [];
  return Number(amount) <= (LARGEST_VOLUME.get(unit) ?? 0);
}
