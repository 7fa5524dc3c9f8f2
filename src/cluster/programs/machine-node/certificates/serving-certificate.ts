import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, messageOf, type Random, type Runnable } from '../../../../base/index.ts';
import type { Credential } from '../../../../wire/certificates/index.ts';
import { nodeSubject } from '../../kubelet/node-endpoints.ts';
import { selfSigned } from '../../kubelet/self-signed.ts';

/** Files are looked at this often, as a kubelet does where the kernel tells it nothing. */
const LOOK_EVERY_MS = 60_000;

export interface ServingFiles {
  readonly certificate: string;
  readonly key: string;
}

/** The files with a certificate that the node has signed itself; made where they are missing. */
export async function selfSignedFiles(
  certDir: string,
  node: { readonly name: string; readonly addresses: readonly string[] },
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<ServingFiles> {
  const files = { certificate: join(certDir, 'kubelet.crt'), key: join(certDir, 'kubelet.key') };
  try {
    await Promise.all([readFile(files.certificate), readFile(files.key)]);
  } catch {
    const names = [node.name, ...node.addresses];
    const { certificate, privateKey } = selfSigned(nodeSubject(node.name), { names, clock, random });
    await mkdir(certDir, { recursive: true, mode: 0o755 });
    await writeFile(files.certificate, certificate, { mode: 0o644 });
    await writeFile(files.key, privateKey, { mode: 0o600 });
  }
  return files;
}

export async function credentialIn({ certificate, key }: ServingFiles): Promise<Credential> {
  return { certificate: await readFile(certificate, 'utf8'), privateKey: await readFile(key, 'utf8') };
}

/** Looks for other content of files, and reports it. A file that is missing for a while changes nothing. */
export class FileChanges implements Runnable {
  readonly #paths: readonly string[];
  readonly #parts: { readonly clock: Clock; readonly log: Logger; changed(texts: readonly string[]): void };
  #known = '';

  constructor(
    paths: readonly string[],
    parts: { readonly clock: Clock; readonly log: Logger; changed(texts: readonly string[]): void },
  ) {
    this.#paths = paths;
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, changed } = this.#parts;
    while (!signal.aborted && this.#paths.length > 0) {
      try {
        const texts = await Promise.all(this.#paths.map((path) => readFile(path, 'utf8')));
        const all = JSON.stringify(texts);
        if (this.#known !== '' && this.#known !== all) changed(texts);
        this.#known = all;
      } catch (error) {
        log.warn('file cannot be read again', { error: messageOf(error) });
      }
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }
}
