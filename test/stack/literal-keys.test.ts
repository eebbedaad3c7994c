import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withLiteralKeys } from '../../lib/stack/bundles/literal-keys.ts';

const EC2 = 'node_modules/@aws-sdk/client-ec2/dist-es/schemas/schemas_0.js';

test('keys that are constants of the module become literal', () => {
  const module = 'const _M = "Min";\nconst _xN = "xml\\"Name";\nexport var A$ = [3, _M, [{ [_M]: 1, [_xN]: _M }]];';
  expect(withLiteralKeys(module)).toBe(
    'const _M = "Min";\nconst _xN = "xml\\"Name";\nexport var A$ = [3, _M, [{ "Min": 1, "xml\\"Name": _M }]];',
  );
});

test('other keys stay', () => {
  const module = 'const count = 1;\n  const _M = "inner";\nvar A = { [count]: 1, [_M]: 2, [_other]: 3 };';
  expect(withLiteralKeys(module)).toBe(module);
});

test('no computed key is left in the shapes of EC2', () => {
  const module = readFileSync(EC2, 'utf8');
  const computed = /\{\s*\[\w+\]:/;
  expect(module).toMatch(computed);
  expect(withLiteralKeys(module)).not.toMatch(computed);
});
