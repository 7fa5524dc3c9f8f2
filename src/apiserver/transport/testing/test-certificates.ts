// Certificates for tests and benchmarks: just enough of X.509 (RFC 5280) for TLS between two programs on one machine.
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Identity {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

export interface TestAuthority extends Identity {
  /** A certificate for 127.0.0.1 and localhost. */
  issueServer(): Identity;
  issueClient(subject: Subject, validity?: Validity): Identity;
}

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export interface Validity {
  readonly from: Date;
  readonly to: Date;
}

const OID = {
  commonName: '550403',
  organization: '55040a',
  ecdsaWithSha256: '2a8648ce3d040302',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extendedKeyUsage: '551d25',
  subjectAltName: '551d11',
  serverAuth: '2b06010505070301',
  clientAuth: '2b06010505070302',
} as const;

const YEARS: Validity = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2049-01-01T00:00:00Z') };

/** A certificate authority for one test. */
export function testAuthority(name: string): TestAuthority {
  const { privateKey, publicKey } = newKey();
  const subject = { commonName: name };
  const issue = (issued: Omit<Draft, 'issuer'>): string => signed({ ...issued, issuer: subject }, privateKey);
  const isAuthority = [extension(OID.basicConstraints, sequence(boolean())), extension(OID.keyUsage, bits(0x06))];
  return {
    certificate: issue({ subject, publicKey, validity: YEARS, extensions: isAuthority }),
    key: pem(privateKey),
    issueServer() {
      const names = sequence(tag(0x82, Buffer.from('localhost')), tag(0x87, Buffer.from([127, 0, 0, 1])));
      const extensions = [usage(OID.serverAuth), extension(OID.subjectAltName, names)];
      return identity((key) =>
        issue({ subject: { commonName: 'server' }, publicKey: key, validity: YEARS, extensions }),
      );
    },
    issueClient(client, validity = YEARS) {
      return identity((key) =>
        issue({ subject: client, publicKey: key, validity, extensions: [usage(OID.clientAuth)] }),
      );
    },
  };
}

interface Draft {
  readonly subject: Subject;
  readonly issuer: Subject;
  readonly publicKey: KeyObject;
  readonly validity: Validity;
  readonly extensions: readonly Buffer[];
}

function signed(draft: Draft, key: KeyObject): string {
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const body = sequence(
    tag(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    distinguishedName(draft.issuer),
    sequence(time(draft.validity.from), time(draft.validity.to)),
    distinguishedName(draft.subject),
    draft.publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(...draft.extensions)),
  );
  const certificate = sequence(body, algorithm, tag(0x03, Buffer.from([0]), sign('sha256', body, key)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function newKey(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function identity(issue: (publicKey: KeyObject) => string): Identity {
  const { privateKey, publicKey } = newKey();
  return { certificate: issue(publicKey), key: pem(privateKey) };
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function distinguishedName({ commonName, organizations = [] }: Subject): Buffer {
  const part = (name: string, value: string): Buffer => tag(0x31, sequence(oid(name), tag(0x0c, Buffer.from(value))));
  const groups = organizations.map((organization) => part(OID.organization, organization));
  return sequence(...groups, ...(commonName === '' ? [] : [part(OID.commonName, commonName)]));
}

function usage(purpose: string): Buffer {
  return extension(OID.extendedKeyUsage, sequence(oid(purpose)));
}

function extension(name: string, value: Buffer): Buffer {
  return sequence(oid(name), tag(0x04, value));
}

function time(date: Date): Buffer {
  return tag(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));
}

function oid(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, 'hex'));
}

function integer(value: Buffer): Buffer {
  return tag(0x02, value);
}

function boolean(): Buffer {
  return tag(0x01, Buffer.from([0xff]));
}

function bits(value: number): Buffer {
  return tag(0x03, Buffer.from([1, value]));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, ...parts);
}

function tag(type: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([type, ...size]), content]);
}
