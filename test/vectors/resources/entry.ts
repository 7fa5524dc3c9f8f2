import { normalized } from '../../../src/resources/testing/normalized.ts';
import type { Reply } from '../apply/kube-client.ts';

/** A line of a file in src/resources/testdata: what is sent, and what came back. */
export type Entry = Readonly<Record<string, unknown>>;

interface Sent {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

export interface Recording {
  readonly file: string;
  send(method: string, path: string, options?: { readonly body?: unknown; readonly type?: string }): Promise<Reply>;
  collectionOf(object: Sent): string;
}

type Format = 'created' | 'refused' | 'warned' | 'scenario';

/** What the entries of a file are; undefined for those that are not answers to requests. */
export function formatOf(file: string): Format | undefined {
  return (['created', 'refused', 'warned', 'scenario'] as const).find((format) => file.startsWith(format));
}

/** The entry with what the server answers now. */
export async function answerTo(entry: Entry, recording: Recording): Promise<Entry> {
  switch (formatOf(recording.file)) {
    case 'created':
      return created(entry, recording);
    case 'refused':
      return refused(entry, recording);
    case 'warned':
      return warned(entry, recording);
    case 'scenario':
      return played(entry, recording);
    case undefined:
      return entry;
  }
}

async function created(entry: Entry, { send, collectionOf }: Recording): Promise<Entry> {
  const input = entry['input'] as Sent;
  const collection = collectionOf(input);
  await send('POST', collection, { body: input });
  const { body } = await send('GET', `${collection}/${encodeURIComponent(input.metadata.name)}`);
  const hadStatus = 'status' in (entry['output'] as object);
  const { status, ...others } = body;
  const kept = hadStatus ? { ...others, status } : others; // where a controller writes the status it was left out
  return { input, output: normalized(asAdmin(kept), JSON.stringify(input)) };
}

/** A request for a certificate as if the `admin` of the tests had sent it. */
function asAdmin(object: Entry): Entry {
  if (object['kind'] !== 'CertificateSigningRequest') return object;
  const { extra: _, ...spec } = object['spec'] as Entry;
  return { ...object, spec: { ...spec, username: 'admin' } };
}

/** The texts that explain what a name may look like, which other tests have in full. */
export const LONG_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/a lowercase RFC 1123 (label|subdomain) must consist.*/s, '<$1>'],
  [/a DNS-1035 label must consist.*/s, '<1035 label>'],
  [/name part must consist of.*/s, '<qualified name>'],
  [/a valid label must be an empty.*/s, '<label value>'],
];

async function refused(entry: Entry, { send, collectionOf }: Recording): Promise<Entry> {
  const input = entry['input'] as Sent;
  const { body } = await send('POST', `${collectionOf(input)}?dryRun=All`, { body: input });
  const { causes = [] } = (body['details'] ?? {}) as { causes?: { field: string; message: string }[] };
  const said = causes.map(({ field, message }) =>
    LONG_TEXTS.reduce((text, [pattern, word]) => text.replace(pattern, word), `${field}: ${message}`),
  );
  return { input, causes: said };
}

async function warned(entry: Entry, { send, collectionOf }: Recording): Promise<Entry> {
  const input = entry['input'] as Sent;
  const { warnings } = await send('POST', `${collectionOf(input)}?dryRun=All`, { body: input });
  return { input, warnings };
}

async function played(entry: Entry, { send }: Recording): Promise<Entry> {
  const { send: request, body, type } = entry as { send: string; body?: unknown; type?: string };
  const [method = '', path = ''] = request.split(' ');
  const fallback = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await send(method, path, { body, type: type ?? fallback });
  const { code: _code, reply: _reply, warnings: _warnings, ...asked } = entry;
  if (!('code' in entry)) return entry;
  const reply = answer.code === 204 ? {} : normalized(answer.body, JSON.stringify(body ?? null));
  return { ...asked, code: answer.code, reply, ...(answer.warnings.length === 0 ? {} : { warnings: answer.warnings }) };
}
