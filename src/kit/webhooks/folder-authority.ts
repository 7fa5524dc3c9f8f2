import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Random } from '../../base/index.ts';
import type { Credential } from '../../wire/certificates/index.ts';
import type { FoundAuthority } from './shared-authority.ts';
import { WebhookAuthority } from './serving-certificate.ts';

const CERTIFICATE = 'ca.crt';
const KEY = 'ca.key';

/** The certificate authority in a folder that only its owner can read; created if missing, so it survives restarts. */
export async function folderAuthority(
  folder: string,
  parts: { readonly clock: Clock; readonly random: Random },
): Promise<FoundAuthority> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stored = await read(folder);
  if (stored === undefined) {
    const authority = new WebhookAuthority(parts);
    const { certificate, privateKey } = authority.credential;
    await writeFile(join(folder, KEY), privateKey, { mode: 0o600 });
    await writeFile(join(folder, CERTIFICATE), certificate);
    return { authority, former: '' };
  }
  try {
    return { authority: new WebhookAuthority(parts, stored), former: '' };
  } catch (cause) {
    throw new Error(
      `Cannot use the authority in "${folder}": its ${CERTIFICATE} and ${KEY} are no pair; remove both to have others made`,
      { cause },
    );
  }
}

/** The certificate is written last: without it the authority is incomplete. */
async function read(folder: string): Promise<Credential | undefined> {
  try {
    const certificate = await readFile(join(folder, CERTIFICATE), 'utf8');
    return { certificate, privateKey: await readFile(join(folder, KEY), 'utf8') };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`Cannot read the authority in "${folder}"`, { cause });
  }
}
