import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CniError } from '../cni-error.ts';
import { FieldReader, isObject, type JsonObject, parseObject } from '../field-reader.ts';
import type { VersionedResult } from '../results/cni-result.ts';
import { convertResult } from '../results/convert-result.ts';
import { resultOf } from '../results/read-result.ts';
import { orderedJson } from '../sorted-json.ts';
import { type Attachment, type CapabilityArgs, DEFAULT_INTERFACE } from './attachment.ts';

/** Where libcni keeps the results of ADD, and with it containerd and CRI-O. */
export const CACHE_FOLDER = '/var/lib/cni';

const KIND = 'cniCacheV1';

/** An attachment that was added and not deleted yet. */
export interface CachedAttachment extends Attachment {
  readonly ifName: string;
  readonly network: string;
  /** The text of the network's configuration when it was added. */
  readonly config: string;
}

/** Results of ADD on the disk, in libcni's files: `FOLDER/results/NETWORK-CONTAINER-INTERFACE`. */
export class ResultCache {
  readonly #folder: string;

  constructor(folder: string = CACHE_FOLDER) {
    this.#folder = join(folder, 'results');
  }

  async put(result: VersionedResult, config: string, network: string, attachment: Attachment): Promise<void> {
    const { containerId, netns, ifName = DEFAULT_INTERFACE, args = [], capabilityArgs = {} } = attachment;
    const text = orderedJson({
      kind: KIND,
      containerId,
      config: Buffer.from(config).toString('base64'),
      ifName,
      networkName: network,
      netns: netns === '' ? undefined : netns,
      cniArgs: args.length === 0 ? undefined : args,
      capabilityArgs: Object.keys(capabilityArgs).length === 0 ? undefined : capabilityArgs,
      result,
    });
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(network, attachment);
    const written = join(this.#folder, `.${process.pid}-${containerId}-${ifName}`);
    await writeFile(written, text, { mode: 0o600 });
    await rename(written, path); // readers see the whole of it, or nothing
  }

  /** The result of ADD in the form of the version; undefined when there is none. Throws when the file says something else. */
  async result(network: string, attachment: Attachment, cniVersion: string): Promise<VersionedResult | undefined> {
    const text = await readFile(this.#path(network, attachment), 'utf8').catch(() => undefined); // as libcni: none
    if (text === undefined) return undefined;
    const object = parseObject(text, `the cached result of network "${network}"`);
    // files of libcni before 0.8 are the result itself
    const result = object['kind'] === KIND ? object['result'] : object;
    return convertResult(resultOf(isObject(result) ? result : {}), cniVersion);
  }

  async remove(network: string, attachment: Attachment): Promise<void> {
    await rm(this.#path(network, attachment), { force: true });
  }

  /** All attachments, in order of their files' names; files that cannot be read are left out. */
  async attachments(): Promise<readonly CachedAttachment[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw new CniError('IoFailure', `cannot read folder "${this.#folder}"`, { details: error.message, cause: error });
    });
    const found: CachedAttachment[] = [];
    for (const name of names.filter((each) => !each.startsWith('.')).sort()) {
      const text = await readFile(join(this.#folder, name), 'utf8').catch(() => undefined); // deleted by now
      const attachment = text === undefined ? undefined : attachmentOf(text);
      if (attachment !== undefined) found.push(attachment);
    }
    return found;
  }

  #path(network: string, { containerId, ifName = DEFAULT_INTERFACE }: Attachment): string {
    return join(this.#folder, `${network}-${containerId}-${ifName}`);
  }
}

/** Undefined for a file of another kind. */
function attachmentOf(text: string): CachedAttachment | undefined {
  try {
    const object = parseObject(text, 'a cached result');
    const reader = new FieldReader(object, 'a cached result');
    const [ifName = '', network = ''] = [reader.text('ifName'), reader.text('networkName')];
    if (object['kind'] !== KIND || ifName === '' || network === '') return undefined;
    return {
      containerId: reader.text('containerId') ?? '',
      netns: reader.text('netns') ?? '',
      ifName,
      network,
      config: Buffer.from(reader.text('config') ?? '', 'base64').toString('utf8'),
      args: argsOf(reader),
      capabilityArgs: (reader.object('capabilityArgs') ?? {}) as JsonObject as CapabilityArgs,
    };
  } catch (error) {
    if (error instanceof CniError) return undefined; // as libcni: a file of another kind
    throw error;
  }
}

function argsOf(reader: FieldReader): NonNullable<Attachment['args']> {
  return (reader.list('cniArgs') ?? []).map((pair, at) => {
    const [name, value] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
    if (typeof name === 'string' && typeof value === 'string') return [name, value];
    throw reader.wrong(`cniArgs[${at}]`, 'a pair of strings', pair);
  });
}
