import { describe, expect, test } from 'vitest';
import { compileKubeletExpression, type ExpressionVariables } from '../../lib/apis/kubelet-expression.ts';

const M5_LARGE: ExpressionVariables = {
  vcpus: 2,
  memory_mib: 8192,
  default_enis: 3,
  ips_per_eni: 10,
  max_pods: 29,
  instance_type: 'm5.large',
};

function resultOf(text: string) {
  const expression = compileKubeletExpression(text);
  return expression.kind === 'expression' ? expression.evaluate(M5_LARGE) : expression;
}

describe('A3.17: an expression over the numbers of a type gives a whole number', () => {
  test.each([
    ['110', 110],
    ['min(max_pods, vcpus * 8)', 16],
    ['max(60, vcpus * 30)', 60],
    ['memory_mib / 100', 81],
    ['default_enis * (ips_per_eni - 1) + 2', 29],
    ['double(memory_mib) * 0.05', 409],
    ['min(1.5, vcpus)', 1],
    ['max(vcpus, 2.5)', 2],
    ['max(vcpus, 0.5) * 1.5', 3],
    ['instance_type.startsWith("m5.") ? 20 : max_pods', 20],
    ['instance_type in ["c5.large"] ? 20 : max_pods', 29],
    ['0', 0],
  ])('%s is %i', (text, value) => {
    expect(resultOf(text)).toEqual({ kind: 'value', value });
  });
});

describe('A3.29: an invalid expression is reported when it is compiled', () => {
  test.each([
    ['', 'Unexpected token: EOF'],
    ['min(110,', 'Unexpected token: EOF'],
    ['undefined_var + 1', 'Unknown variable: undefined_var'],
    ['vcpus * 0.5', 'no such overload: int * double'],
    ['"8"', 'it returns string, not a number'],
    ['vcpus > 2', 'it returns bool, not a number'],
    ['[vcpus]', 'it returns list<int>, not a number'],
    [`${'1+'.repeat(600)}1`, 'it has 1201 characters, but at most 1000 are allowed'],
  ])('%j', (text, message) => {
    expect(resultOf(text)).toEqual({ kind: 'invalid', message });
  });
  test('an expression with too many parts is invalid', () => {
    expect(resultOf(`${'1+'.repeat(490)}1`)).toMatchObject({ kind: 'invalid' });
  });
});

const TEN = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]';
const loops = (depth: number): string => (depth === 0 ? 'true' : `${TEN}.all(v${depth}, ${loops(depth - 1)})`);

describe('a short expression that could take very long is rejected before it is evaluated (promise 7)', () => {
  test.each([
    ['loops in loops', `${loops(12)} ? 1 : 2`, 'it calls all, but may call only min, max, int'],
    ['lists that double', `[[1]]${'.map(a, a + a)'.repeat(20)}[0].size()`, 'it calls map, but may call only'],
    ['texts that double', `["x"]${'.map(a, a + a)'.repeat(20)}[0].size()`, 'it calls map, but may call only'],
    ['names that double', 'cel.bind(a, "xx", (a + a).size())', 'it calls bind, but may call only'],
    ['a loop below an operator', `vcpus + (${loops(1)} ? 1 : 2)`, 'it calls all, but may call only'],
    ['a loop in a list', `${loops(1)} in [true] ? 1 : 2`, 'it calls all, but may call only'],
    ['a loop within min', `min(1, ${loops(1)} ? 1 : 2)`, 'it calls all, but may call only'],
    ['a pattern that backtracks', 'instance_type.matches("(a+)+$") ? 1 : 2', 'the pattern (a+)+$ repeats a group'],
    [
      'a long one',
      `instance_type.matches("${'.*'.repeat(20)}x") ? 1 : 2`,
      'has 20 repetitions, but at most 3 are allowed',
    ],
    ['a text of its own', '"aaaaaaaa".matches("a*a*a*b") ? 1 : 2', 'matches may be called only on instance_type'],
    ['a pattern that is made', 'instance_type.matches("a" + "b") ? 1 : 2', 'the pattern of matches must be a literal'],
  ])('%s', (_, text, message) => {
    expect(resultOf(text)).toMatchObject({ kind: 'invalid', message: expect.stringContaining(message) });
  });

  test.each([
    ['instance_type.matches("^m[0-9]+[.]") ? 1 : 2', 1],
    ['instance_type.size()', 8],
  ])('%s is evaluated', (text, value) => {
    expect(resultOf(text)).toEqual({ kind: 'value', value });
  });
});

describe('A3.29: an expression without a valid number for a type is reported when it is evaluated', () => {
  test.each([
    ['1048576 / (vcpus - vcpus)', 'division by zero'],
    ['0 - 1', 'it returns -1'],
    ['9223372036854775807 * vcpus', 'integer overflow: 18446744073709551614'],
    ['9223372036854775807', 'it returns 9223372036854775807'],
    ['1.0 / 0.0', 'it returns Infinity'],
    ['int("many")', 'int() type error: cannot convert to int'],
  ])('%s', (text, message) => {
    expect(resultOf(text)).toEqual({ kind: 'failed', message });
  });
});
