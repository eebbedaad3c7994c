import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { isTomlTable, readToml, type TomlTable } from '../../lib/apis/formats/toml.ts';
import { dataOf, partsOf, textOf } from '../core/node-class/user-data/user-data-readers.ts';
import { samples } from '../samples.ts';

/** For each family and any text of the user, the user data is well-formed and contains the text, or is refused with a reason. */

const SNIPPETS = [
  '#!/bin/bash\n',
  '#cloud-config\n',
  'apiVersion: node.eks.aws/v1alpha1\n',
  'MIME-Version: 1.0\n',
  'Content-Type: multipart/mixed; boundary="//"\n',
  'Content-Type: multipart/mixed; boundary=KERF-BOUNDARY\r\n',
  'Content-Type: text/x-shellscript; charset="us-ascii"\n',
  'Content-Transfer-Encoding: base64\n',
  '--//\n',
  '--//--\n',
  '--KERF-BOUNDARY\n',
  '--KERF-BOUNDARY--\n',
  '--KERF-BOUNDARY-1\n',
  '\n',
  '\r\n',
  '\r',
  ' ',
  '\ufeff',
  '\0',
  'ä',
  '🐧',
  '\ud800',
  '[settings]\n',
  '[settings.kubernetes]\n',
  'settings = 1\n',
  'max-pods = 12\n',
  'cluster-name = "theirs"\n',
  '"quoted key" = \'literal\'\n',
  'x = """\nlines\n"""\n',
  '[[list]]\n',
  '# comment\n',
  '<powershell>',
  '</powershell>',
  '<script>echo</script>',
  '<persist>true</persist>',
  '</',
  "'",
  '"',
  '`',
  '$(exit 1)',
  'Write-Host hi\n',
  'EOF\n',
  '<<EOF\n',
  '=3D\n',
];

const written: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...SNIPPETS), { maxLength: 12 }).map((parts) => parts.join('')),
  fc
    .array(fc.oneof(fc.constantFrom(...SNIPPETS), fc.string({ unit: 'binary' })), { maxLength: 8 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
  // Around the limit of 16 KiB, with letters of one to four bytes.
  fc
    .tuple(fc.constantFrom('a', 'ä', '日', '🐧', '=', '\n'), fc.integer({ min: 3_000, max: 17_000 }))
    .map(([letter, times]) => letter.repeat(times)),
);

/** The return value is not used: a failed check throws. */
function always<T>(given: fc.Arbitrary<T>, check: (value: T) => unknown, numRuns = samples(500, 100)): void {
  const property = fc.property(given, (value) => {
    check(value);
  });
  fc.assert(property, { seed: 69, numRuns });
}

const LIMIT = 16_384;

function bytesOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** The text after conversion to bytes: half of a surrogate pair is replaced. */
function arriving(text: string): string {
  return text.toWellFormed();
}

function tableOf(text: string): TomlTable {
  return parse(text, { integersAsBigInt: true });
}

/** The text without blanks and without the tags that Kerf may move. */
function kept(text: string): string {
  return text.replaceAll(/<\/?powershell>|\s|\ufeff/gi, '');
}

describe.each(['AL2023', 'AL2'] as const)('C69, C70: %s, any text', (amiFamily) => {
  const alone = partsOf(textOf({ amiFamily }))[0];

  test("the message is complete, Kerf's part is the last, and the user's text is in it", () => {
    always(written, (userData) => {
      const data = dataOf({ amiFamily, userData });
      if (data.kind === 'unsupported') return expect(data.reason).toMatch(/^(Unreadable|UserDataSize)/);
      expect(bytesOf(data.text)).toBeLessThanOrEqual(LIMIT);
      const parts = partsOf(arriving(data.text));
      expect(parts.at(-1)).toEqual(alone);
      if (/^\s*[\w-]+[ \t]*:/.test(userData)) return undefined;
      const bodies = parts.slice(0, -1).map(({ body }) => body.trim());
      return expect(bodies).toEqual(userData.trim() === '' ? [] : [arriving(userData).trim()]);
    });
  });

  const body = written.filter((text) => !text.includes('//') && !text.startsWith(' ') && bytesOf(text) < 2_000);
  const type = fc.constantFrom(
    'text/x-shellscript',
    'text/cloud-config; charset="utf-8"',
    'application/node.eks.aws',
    'multipart/mixed; boundary="inner"',
  );

  test("each part of the user's message is kept, in order, with its type and its content", () => {
    const parts = fc.array(fc.record({ type, body }), { minLength: 1, maxLength: 5 });
    always(parts, (given) => {
      const lines = given.map((part) => `--//\nContent-Type: ${part.type}\n\n${part.body}\n`);
      const userData = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n${lines.join('')}--//--\n`;
      const data = dataOf({ amiFamily, userData });
      if (data.kind === 'unsupported') return expect(data.reason).toBe('UserDataSizeLimitExceeded');
      return expect(partsOf(arriving(data.text)).slice(0, -1)).toEqual(
        given.map((part) => ({ type: part.type.split(';')[0], body: arriving(part.body) })),
      );
    });
  });

  test('user data that Kerf wrote is valid input for Kerf', () => {
    always(
      written,
      (userData) => {
        const first = dataOf({ amiFamily, userData });
        if (first.kind === 'unsupported') return undefined;
        const again = dataOf({ amiFamily, userData: first.text });
        if (again.kind === 'unsupported') return expect(again.reason).toBe('UserDataSizeLimitExceeded');
        return expect(partsOf(again.text).slice(0, -1)).toEqual(partsOf(first.text));
      },
      200,
    );
  });
});

describe('C71: Bottlerocket, any text', () => {
  const OURS = new Set(['cluster-name', 'api-server', 'cluster-certificate', 'node-taints', 'node-labels']);

  /** Each setting of the user that Kerf does not set keeps its place and its value. */
  function expectKept(theirs: TomlTable, read: TomlTable, path = ''): void {
    for (const [key, value] of Object.entries(theirs)) {
      const here = `${path}/${key}`;
      if (path === '/settings/kubernetes' && OURS.has(key)) continue;
      const now = read[key];
      if (isTomlTable(value) && isTomlTable(now)) expectKept(value, now, here);
      else expect(now, here).toEqual(value);
    }
  }

  const key = fc.oneof(
    fc.constantFrom('settings', 'kubernetes', 'max-pods', 'node-labels', 'a.b', '__proto__', 'motd'),
    fc.string(),
  );
  const leaf = fc.oneof(
    fc.string({ unit: 'binary' }).map(arriving),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value)),
    fc.boolean(),
  );
  const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(key, leaf, { maxKeys: 3 }));
  const table = fc.dictionary(key, value, { maxKeys: 4 });
  const toml = fc
    .record({ root: table, settings: table, kubernetes: table })
    .map(({ root, settings, kubernetes }) =>
      stringify({ ...root, settings: { ...settings, kubernetes } }, { numbersAsFloat: true }),
    );

  test('the text is TOML, names the cluster, and keeps every other setting', () => {
    always(fc.oneof(written, toml), (userData) => {
      const data = dataOf({ amiFamily: 'Bottlerocket', userData });
      if (data.kind === 'unsupported') return expect(data.reason).toMatch(/^(Unreadable|UserDataSize)/);
      expect(bytesOf(data.text)).toBeLessThanOrEqual(LIMIT);
      const read = tableOf(data.text);
      expect(read).toMatchObject({ settings: { kubernetes: { 'cluster-name': 'demo' } } });
      return expectKept(tableOf(arriving(userData)), read);
    });
  });

  test('text is refused only if it is not TOML, lacks a table, or is too long', () => {
    always(fc.oneof(written, toml), (userData) => {
      const data = dataOf({ amiFamily: 'Bottlerocket', userData });
      if (data.kind === 'user-data' || data.reason === 'UserDataSizeLimitExceeded') return undefined;
      const isTable = / which is not a table; write \[/.test(data.message);
      return expect(readToml(userData).kind).toBe(isTable ? 'table' : 'unreadable');
    });
  });
});

describe('C72: Windows, any text', () => {
  const alone = textOf({ amiFamily: 'Windows2022' });
  const call = alone.slice('<powershell>\n'.length, -'\n</powershell>\n'.length);

  const element = fc
    .tuple(written, written, written)
    .map(([before, script, after]) => `${before}<powershell>${script}</powershell>${after}`);

  test("one PowerShell element ends with Kerf's script, and the user's text is around and before it", () => {
    always(fc.oneof(written, element), (userData) => {
      const data = dataOf({ amiFamily: 'Windows2022', userData });
      if (data.kind === 'unsupported') return expect(data.reason).toMatch(/^(Unreadable|UserDataSize)/);
      expect(bytesOf(data.text)).toBeLessThanOrEqual(LIMIT);
      expect(data.text.match(/<\/?powershell>/gi)).toEqual(['<powershell>', '</powershell>']);
      expect(data.text).toContain(`\n${call}\n</powershell>\n`);
      return expect(kept(data.text.replace(call, ''))).toBe(kept(userData));
    });
  });
});

test('C73: Custom, any text, is kept unchanged', () => {
  always(written, (userData) => {
    const data = dataOf({ amiFamily: 'Custom', userData });
    expect(data.kind).toBe(bytesOf(userData) <= LIMIT ? 'user-data' : 'unsupported');
    if (data.kind === 'user-data') expect(data.text).toBe(userData);
  });
});

test('C69: the NodeConfig is valid for any kubelet setting', () => {
  always(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (kubelet) => {
    const { maxPods: _, kubeReserved: __, systemReserved: ___, clusterDNS: ____, ...rest } = kubelet;
    const body = partsOf(textOf({ kubelet: rest }))[0]?.body ?? '';
    expect(body).toMatch(/^[\0-\x7e]*$/);
    expect(JSON.parse(body)).toHaveProperty('spec.kubelet.config', {
      ...JSON.parse(JSON.stringify(rest)),
      registerWithTaints: expect.any(Array),
    });
  });
});

const BASH = spawnSync('bash', ['--version']).status === 0;

test.skipIf(!BASH)(
  'C70: bash reads the script correctly for any name of a cluster (skipped if bash is not installed)',
  () => {
    const name = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''));
    fc.assert(
      fc.property(name, name, (clusterName, endpoint) => {
        const bootstrap = { clusterName, endpoint, certificateAuthority: 'Q0E=', serviceCidr: '10.100.0.0/16' };
        const script = partsOf(arriving(textOf({ amiFamily: 'AL2' }, { bootstrap })))[0]?.body ?? '';
        const call = script.replace('/etc/eks/bootstrap.sh', "printf '%s\\0'");
        const { stdout, status } = spawnSync('bash', ['-c', call]);
        expect(status).toBe(0);
        const given = stdout.toString().split('\0');
        expect([given[0], given[2]]).toEqual([arriving(clusterName), arriving(endpoint)]);
      }),
      { seed: 70, numRuns: samples(40, 10) },
    );
  },
);
