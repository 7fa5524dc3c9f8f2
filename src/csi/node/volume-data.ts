import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/index.ts';
import { errorCode } from '../../system/index.ts';
import { VOLUME_DATA } from './volume-paths.ts';

/** What the agent notes about a volume before it calls the driver, to undo the call after a restart. */
export interface VolumeData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly specVolID?: string;
  readonly nodeName?: string;
  readonly attachmentID?: string;
  readonly volumeLifecycleMode?: string;
}

/** Writes the note of a folder, which is created. It is on the disk when this resolves: a driver is called next. */
export async function saveVolumeData(folder: string, data: VolumeData): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const path = join(folder, VOLUME_DATA);
  const draft = `${path}.new`;
  const file = await open(draft, 'w', 0o640);
  try {
    await file.writeFile(`${JSON.stringify(data)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/** The note of a folder; undefined when there is none. */
export async function loadVolumeData(folder: string): Promise<VolumeData | undefined> {
  const path = join(folder, VOLUME_DATA);
  try {
    const data = JSON.parse(await readFile(path, 'utf8')) as Partial<VolumeData> | null;
    if (typeof data?.driverName !== 'string' || typeof data.volumeHandle !== 'string')
      throw new Error('driverName and volumeHandle are missing');
    return data as VolumeData;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw new Error(`kubernetes.io/csi: failed to parse volume data file [${path}]: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The names in a folder; none where it does not exist. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
