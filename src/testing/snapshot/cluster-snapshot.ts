import { isUtf8 } from 'node:buffer';
import type { SeededState } from '../../base/index.ts';
import type { ControlPlane } from '../../cluster/index.ts';
import type { Entry, StoreContents } from '../../store/index.ts';

/** The whole state of a test cluster as plain data. */
export interface ClusterSnapshot {
  readonly takenAtMs: number;
  readonly seed: string;
  readonly random: SeededState;
  /** The options of `startCluster` that decide the cluster's parts. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The names of options that are not plain data and must be given again. */
  readonly ownCode: readonly string[];
  readonly revision: number;
  readonly entries: readonly SavedEntry[];
  /** Keys and certificates by file name, without those that are generated at every start. */
  readonly keys: Readonly<Record<string, string>>;
}

type SavedEntry = readonly [
  key: string,
  createRevision: number,
  modRevision: number,
  deadlineMs: number,
  encoding: 'text' | 'base64',
  value: string,
];

/** The store's contents in the form of a snapshot. */
export function savedEntries({ entries, deadlinesMs }: StoreContents): readonly SavedEntry[] {
  return entries.map(({ key, value, createRevision, modRevision }): SavedEntry => {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const encoding = isUtf8(bytes) ? 'text' : 'base64';
    const text = bytes.toString(encoding === 'text' ? 'utf8' : 'base64');
    return [key, createRevision, modRevision, deadlinesMs.get(key) ?? 0, encoding, text];
  });
}

/** A snapshot's entries in the form of a store. */
export function storedContents({ revision, entries }: ClusterSnapshot): StoreContents {
  const deadlinesMs = new Map<string, number>();
  const stored = entries.map(([key, createRevision, modRevision, deadlineMs, encoding, value]): Entry => {
    if (deadlineMs > 0) deadlinesMs.set(key, deadlineMs);
    return { key, value: Buffer.from(value, encoding === 'text' ? 'utf8' : 'base64'), createRevision, modRevision };
  });
  return { revision, entries: stored, deadlinesMs };
}

/** The keys that keep tokens, and the certificate authorities in objects, valid. */
export function savedKeys({ pki }: Pick<ControlPlane, 'pki'>): Readonly<Record<string, string>> {
  const { authority, frontProxyAuthority, serviceAccountKey } = pki;
  return {
    'ca.crt': authority.certificate,
    'ca.key': authority.privateKey,
    'front-proxy-ca.crt': frontProxyAuthority.certificate,
    'front-proxy-ca.key': frontProxyAuthority.privateKey,
    'sa.key': serviceAccountKey,
  };
}

/** Splits options into those that are plain data and the names of the others. */
export function plainOptions(options: object): Pick<ClusterSnapshot, 'options' | 'ownCode'> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  const plain = entries.filter(([, value]) => isPlain(value));
  return {
    options: Object.fromEntries(plain),
    ownCode: entries.filter(([, value]) => !isPlain(value)).map(([name]) => name),
  };
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function' && typeof value !== 'symbol';
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every(isPlain);
}
