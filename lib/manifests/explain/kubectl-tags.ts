import type { Scalar, ScalarTag } from 'yaml';

/**
 * YAML tags for the values that kubectl reads differently from YAML 1.2: y, yes and on are true, 0644 is octal, 1_000 is a
 * number, 1e400 is text. Numbers and booleans are written back with their source text.
 */

const TRUE = /^(?:y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE)$/;
const FALSE = /^(?:n|N|no|No|NO|off|Off|OFF|false|False|FALSE)$/;
const DECIMAL = /^[-+]?(?:0|[1-9][0-9_]*)$/;
const OCTAL = /^[-+]?0o?[0-7_]+$/;
const BINARY = /^[-+]?0b[01_]+$/;
const HEXADECIMAL = /^[-+]?0x[0-9a-fA-F_]+$/;
const FLOAT = /^[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** *Shape:* undefined for text that kubectl reads as text, including numbers out of its range. */
function numberOf(text: string): number | undefined {
  const plain = text.replaceAll('_', '');
  if (DECIMAL.test(text)) return finite(Number(plain));
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/.exec(plain) ?? [];
  const direction = sign === '-' ? -1 : 1;
  if (OCTAL.test(text)) return direction * Number.parseInt(digits.replace('o', ''), 8);
  if (BINARY.test(text)) return direction * Number.parseInt(digits.slice(2), 2);
  if (HEXADECIMAL.test(text)) return within64Bits(direction * Number.parseInt(digits.slice(2), 16));
  return FLOAT.test(text) ? finite(Number(plain)) : undefined;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

function within64Bits(value: number): number | undefined {
  return Math.abs(value) < 2 ** 64 ? value : undefined;
}

export const KUBECTL_TAGS: readonly ScalarTag[] = [
  {
    identify: (value) => typeof value === 'boolean',
    default: true,
    tag: 'tag:yaml.org,2002:bool',
    test: new RegExp(`${TRUE.source}|${FALSE.source}`),
    resolve: (text) => TRUE.test(text),
    stringify: ({ source = '', value }: Scalar) => {
      const asWritten = value === true ? TRUE.test(source) : FALSE.test(source);
      return asWritten ? source : String(value);
    },
  },
  {
    identify: (value) => typeof value === 'number',
    default: true,
    tag: 'tag:yaml.org,2002:float',
    test: new RegExp([DECIMAL, OCTAL, BINARY, HEXADECIMAL, FLOAT].map(({ source }) => source).join('|')),
    resolve: (text) => numberOf(text) ?? text,
    stringify: ({ source = '', value }: Scalar) => (numberOf(source) === value ? source : String(value)),
  },
];
