/** A self-signed certificate for this machine's loopback addresses. Node can sign but cannot write certificates, and openssl may be missing. */
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM, as is the key. */
  readonly certificate: string;
  readonly key: string;
}

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  object: 0x06,
  text: 0x0c,
  time: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  address: 0x87,
} as const;

/** Object identifiers, as DER has them. */
const OID = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  subjectAltName: '551d11',
};

const TRUE = der(TAG.boolean, Buffer.from([0xff]));
const DAY_MS = 86_400_000;

/** The loopback addresses. Some programs treat the first as a special case, so there is a second. */
const LOOPBACK = [
  [127, 0, 0, 1],
  [127, 0, 0, 2],
];

/** *Source:* RFC 5280 section 4; two kilobytes less than RSA, which matters in an environment variable. */
export function certificateForThisMachine(now: Date): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(TAG.set, sequence(object(OID.commonName), der(TAG.text, Buffer.from('kerf-rig')))));
  const validity = sequence(time(new Date(now.getTime() - DAY_MS)), time(new Date(now.getTime() + 30 * DAY_MS)));
  const algorithm = sequence(object(OID.ecdsaWithSha256));
  const addresses = LOOPBACK.map((address) => der(TAG.address, Buffer.from(address)));
  const content = sequence(
    der(TAG.version, der(TAG.integer, Buffer.from([2]))),
    // A serial number is positive.
    der(TAG.integer, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      TAG.extensions,
      sequence(
        extension(OID.basicConstraints, TRUE, der(TAG.octets, sequence(TRUE))),
        extension(OID.subjectAltName, der(TAG.octets, sequence(...addresses))),
      ),
    ),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]);
  return {
    certificate: pem(sequence(content, algorithm, der(TAG.bits, signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extension(oid: string, ...rest: readonly Buffer[]): Buffer {
  return sequence(object(oid), ...rest);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(TAG.sequence, Buffer.concat(parts));
}

function object(oid: string): Buffer {
  return der(TAG.object, Buffer.from(oid, 'hex'));
}

/** UTCTime: `261121224300Z`. */
function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/\D/g, '').slice(2, 14);
  return der(TAG.time, Buffer.from(`${digits}Z`));
}

function der(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  return length < 0x1_00 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 0xff]);
}

function pem(content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
