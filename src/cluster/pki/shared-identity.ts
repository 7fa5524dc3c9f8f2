import { createHash, X509Certificate } from 'node:crypto';
import type { Random } from '../../base/index.ts';
import type { Store } from '../../store/index.ts';
import { type FileTexts, type JoinToken, openFiles, type SealedFiles, sealFiles } from './sealed-files.ts';
import type { PkiFiles } from './pki-files.ts';

/** The files that servers of one cluster have in common; all others can be made of them. */
export const SHARED_FILES: readonly string[] = [
  'ca.crt',
  'ca.key',
  'front-proxy-ca.crt',
  'front-proxy-ca.key',
  'sa.key',
];

/** Where servers on one store agree on their keys; Kubernetes has nothing there. */
const KEY = '/registry/keelson/identity';

/** What is written there. */
interface IdentityRecord {
  readonly version: 1;
  /** SHA-256 of the cluster's authority. */
  readonly authority: string;
  readonly sealed: SealedFiles;
}

interface Found {
  readonly record: IdentityRecord;
  readonly revision: number;
}

export interface IdentityOptions {
  /** Where this server keeps its files. */
  readonly files: PkiFiles;
  /** Opens what other servers have handed over, and seals what this one hands over; default nothing is handed over. */
  readonly token: JoinToken | undefined;
  readonly random: Random;
  /** Makes the files that are not there, in a place of its own. */
  readonly make: (files: PkiFiles) => Promise<unknown>;
}

/**
 * Lets a server have the same authorities and keys as the others on its store, before it uses any.
 *
 * Guarantees: all servers that are given tokens end up with the same files, also when they start at the same time; a file that is
 * there is never replaced. Refuses to start with keys that are not those of the other servers.
 */
export async function shareIdentity(store: Store, options: IdentityOptions): Promise<void> {
  const { files, token, random, make } = options;
  for (;;) {
    const found = await readRecord(store);
    const own = await readShared(files);
    if (found === undefined) {
      if (token === undefined) return;
      const whole = await complete(own, make);
      if (!(await handOver(store, whole, { token, random, expected: 0 }))) continue; // another server was first: its keys count
      return writeMissing(files, whole);
    }
    const ownAuthority = own['ca.crt'];
    if (ownAuthority !== undefined && fingerprint(ownAuthority) !== found.record.authority) throw foreign(files);
    const isWhole = SHARED_FILES.every((name) => own[name] !== undefined);
    if (isWhole) {
      if (token === undefined || openFiles(found.record.sealed, token) !== undefined) return;
      if (await handOver(store, own, { token, random, expected: found.revision })) return; // under the new token from now on
      continue;
    }
    if (token === undefined) throw withoutToken();
    const theirs = openFiles(found.record.sealed, token);
    if (theirs === undefined) throw wrongToken(found.record.sealed.tokenId);
    return writeMissing(files, theirs);
  }
}

async function readRecord(store: Store): Promise<Found | undefined> {
  const entry = await store.get(KEY);
  if (entry === undefined) return undefined;
  const record = JSON.parse(Buffer.from(entry.value).toString('utf8')) as IdentityRecord;
  if (record.version !== 1)
    throw new Error(`Cannot join the other servers: they use version ${record.version} of keys`);
  return { record, revision: entry.modRevision };
}

async function readShared(files: PkiFiles): Promise<FileTexts> {
  const texts: Record<string, string> = {};
  for (const name of SHARED_FILES) {
    const text = await files.read(name);
    if (text !== undefined) texts[name] = text;
  }
  return texts;
}

/** The same files with those that are missing; they are not kept yet, since another server may be first. */
async function complete(own: FileTexts, make: IdentityOptions['make']): Promise<FileTexts> {
  const texts = new Map(Object.entries(own));
  const draft: PkiFiles = {
    place: (name) => name,
    read: async (name) => texts.get(name),
    create: async (name, text) => {
      texts.set(name, texts.get(name) ?? text);
      return texts.get(name) ?? text;
    },
    replace: async (name, text) => void texts.set(name, text),
  };
  await make(draft);
  return Object.fromEntries(SHARED_FILES.map((name) => [name, texts.get(name) ?? '']));
}

/** False when the record has changed since it was read. */
async function handOver(
  store: Store,
  whole: FileTexts,
  { token, random, expected }: { readonly token: JoinToken; readonly random: Random; readonly expected: number },
): Promise<boolean> {
  const record: IdentityRecord = {
    version: 1,
    authority: fingerprint(whole['ca.crt'] ?? ''),
    sealed: sealFiles(whole, token, random),
  };
  const value = new TextEncoder().encode(JSON.stringify(record));
  const result = await store.commit({
    conditions: [{ key: KEY, modRevision: expected }],
    operations: [{ type: 'put', key: KEY, value }],
  });
  return result.ok;
}

async function writeMissing(files: PkiFiles, texts: FileTexts): Promise<void> {
  for (const name of SHARED_FILES) {
    const text = texts[name];
    if (text === undefined) throw new Error(`Cannot join the other servers: they have handed over no "${name}"`);
    await files.create(name, text);
  }
}

function fingerprint(pem: string): string {
  return createHash('sha256').update(new X509Certificate(pem).raw).digest('hex');
}

function foreign(files: PkiFiles): Error {
  const place = files.place('ca.crt');
  return new Error(
    `Cannot start on this etcd: "${place}" is not the authority of the other servers there; remove it and all beside it, and join them with their token`,
  );
}

function withoutToken(): Error {
  return new Error(
    'Cannot start on this etcd: other servers there have keys in common, and this one has none yet; it needs their join token, or their files',
  );
}

function wrongToken(tokenId: string): Error {
  return new Error(
    `Cannot join the other servers: the join token does not open their keys, which were handed over with the token "${tokenId}.…"`,
  );
}
