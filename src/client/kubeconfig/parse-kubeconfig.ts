import { dirname, isAbsolute, join } from 'node:path';
import { messageOf } from '../../wire/http/index.ts';
import { EntryReader } from './entry-reader.ts';
import { type ClusterEntry, type ContextEntry, type Kubeconfig, KubeconfigError } from './kubeconfig.ts';
import { readUser, type ResolvePath } from './user-entry.ts';
import { yamlValue } from './yaml-value.ts';

/**
 * Reads the text of a kubeconfig. `path` is where it came from: relative paths in it are relative to that file's folder.
 * Unknown members are ignored, as clients of other versions put theirs there.
 */
export function parseKubeconfig(text: string, path: string): Kubeconfig {
  const place = `kubeconfig "${path}"`;
  const top = new EntryReader(parseText(text, place), place);
  checkVersion(top);
  const resolve: ResolvePath = (file) => (isAbsolute(file) ? file : join(dirname(path), file));
  return {
    clusters: entries(top, 'clusters', (entry) => readCluster(entry.at('cluster'), resolve)),
    users: entries(top, 'users', (entry) => readUser(entry.at('user'), resolve)),
    contexts: entries(top, 'contexts', (entry) => readContext(entry.at('context'))),
    currentContext: top.text('current-context'),
  };
}

function parseText(text: string, place: string): unknown {
  try {
    return yamlValue(text);
  } catch (cause) {
    throw new KubeconfigError(`Cannot read ${place}: ${messageOf(cause)}`, { cause });
  }
}

function checkVersion(top: EntryReader): void {
  const apiVersion = top.text('apiVersion') ?? 'v1';
  const kind = top.text('kind') ?? 'Config';
  if (apiVersion === 'v1' && kind === 'Config') return;
  throw new KubeconfigError(`Cannot read ${top.origin}: it is ${kind} of "${apiVersion}", not Config of "v1"`);
}

/** One element of `clusters`, `users` or `contexts`. */
class NamedEntry {
  readonly name: string;
  readonly #reader: EntryReader;
  readonly #place: string;

  constructor(reader: EntryReader, place: string) {
    this.name = reader.requiredText('name');
    this.#reader = reader;
    this.#place = place;
  }

  at(member: string): EntryReader {
    return new EntryReader(this.#reader.raw(member), `${member} "${this.name}" in ${this.#place}`);
  }
}

function entries<T>(top: EntryReader, member: string, read: (entry: NamedEntry) => T): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const [index, value] of top.list(member).entries()) {
    const entry = new NamedEntry(new EntryReader(value, `${member}[${index}] in ${top.origin}`), top.origin);
    if (found.has(entry.name)) {
      throw new KubeconfigError(`Cannot read ${top.origin}: "${member}" has two entries named "${entry.name}"`);
    }
    found.set(entry.name, read(entry));
  }
  return found;
}

function readCluster(entry: EntryReader, resolve: ResolvePath): ClusterEntry {
  const authority = entry.text('certificate-authority');
  const extensions = entry.list('extensions').map((value, index): readonly [string, unknown] => {
    const extension = new EntryReader(value, `extensions[${index}] of ${entry.origin}`);
    return [extension.requiredText('name'), extension.raw('extension')];
  });
  return {
    origin: entry.origin,
    server: entry.text('server') ?? '',
    tlsServerName: entry.text('tls-server-name'),
    insecureSkipTlsVerify: entry.flag('insecure-skip-tls-verify'),
    certificateAuthority: authority === undefined ? undefined : resolve(authority),
    certificateAuthorityData: entry.data('certificate-authority-data'),
    proxyUrl: entry.text('proxy-url'),
    disableCompression: entry.flag('disable-compression'),
    extensions: new Map(extensions),
  };
}

function readContext(entry: EntryReader): ContextEntry {
  return {
    origin: entry.origin,
    cluster: entry.text('cluster') ?? '',
    user: entry.text('user') ?? '',
    namespace: entry.text('namespace'),
  };
}
