import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isValid } from '../../../lib/manifests/check/validate.ts';
import { convertDocuments } from '../../../lib/manifests/convert/convert-documents.ts';
import { convertText, parse, print } from './convert-text.ts';

const ROOT = new URL('../../../../shared/data/nodepools/', import.meta.url);

const OLD_VERSION =
  /^\s*(?:- )?apiVersion: ['"]?karpenter\.(?:sh\/v1alpha5|sh\/v1beta1|k8s\.aws\/v1alpha1|k8s\.aws\/v1beta1)/m;

const KNOWN: readonly (readonly [file: RegExp, field: RegExp, reason: string])[] = [
  [/./, /^spec\.role$/, 'the instance profile came from the global settings'],
  [/matt-e-builds/, /./, 'broken on purpose, to try a linter on'],
  [/abdulfrfr|EKS-Cilium/, /\.id$|^metadata\.name$/, 'a placeholder'],
  [/ENTERPRISE/, /^spec\.instanceStorePolicy$/, 'NVME is not a policy'],
  [/jasontsaicc/, /^spec\.template\.metadata\.labels\./, 'labels that Karpenter keeps to itself'],
];

function faultsOf(object: unknown): readonly string[] {
  const { kind } = Object(object);
  const faults: string[] = [];
  if (kind === 'NodePool') isValid('NodePool', object, (path) => faults.push(path.join('.')));
  if (kind === 'EC2NodeClass') isValid('EC2NodeClass', object, (path) => faults.push(path.join('.')));
  return faults;
}

function rows(): readonly { readonly file: string; readonly parses: boolean }[] {
  const table = readFileSync(new URL('MANIFEST.tsv', ROOT), 'utf8').trim().split(/\r?\n/).slice(1);
  return table.map((line) => {
    const columns = line.split('\t');
    return { file: columns[0] ?? '', parses: columns[6] === 'ok' };
  });
}

/** Of a former version, and of a kind that has an equivalent. */
function isOld(object: unknown): boolean {
  const { apiVersion, kind } = Object(object);
  return OLD_VERSION.test(`apiVersion: ${apiVersion}`) && kind !== 'AWSNodeInstanceProfile';
}

const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');

if (existsSync(ROOT)) {
  const files = rows().filter(
    ({ file, parses }) => parses && parse(read(file)).every(({ errors }) => errors.length === 0),
  );
  const old = files.filter(({ file }) => OLD_VERSION.test(read(file)));

  describe('old manifests of public repositories', () => {
    test('are among the data', () => {
      expect(old.length).toBeGreaterThan(20);
    });

    test.each(old.map(({ file }) => file))('%s becomes v1', (file) => {
      const { conversions, objects, text } = convertText(read(file));
      expect(objects.filter(isOld)).toEqual([]);
      expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([]);
      const warnings = conversions.flatMap((conversion) => conversion.warnings);
      expect(warnings.filter(({ message, fix }) => message === '' || fix === '')).toEqual([]);
      const again = convertDocuments(parse(text));
      expect(again.filter(({ converted }) => converted)).toEqual([]);
      expect(print(again.flatMap(({ documents }) => documents))).toBe(text);
    });
  });

  describe('manifests of public repositories without old objects', () => {
    test.each(files.filter((one) => !old.includes(one)).map(({ file }) => file))('%s is returned unchanged', (file) => {
      const documents = parse(read(file));
      const conversions = convertDocuments(documents);
      expect(conversions.filter((conversion, index) => conversion.documents[0] !== documents[index])).toEqual([]);
      expect(conversions.filter(({ converted }) => converted)).toEqual([]);
    });
  });

  describe('what old manifests of public repositories became', () => {
    test.each(old.map(({ file }) => file))('%s is valid, except for errors that it had', (file) => {
      const faults = convertText(read(file)).objects.flatMap(faultsOf);
      expect(faults.filter((field) => !KNOWN.some(([where, what]) => where.test(file) && what.test(field)))).toEqual(
        [],
      );
    });
  });
} else {
  test.skip('public manifests: ../shared/data/nodepools is not on this machine', () => undefined);
}
