import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { findPeer, peersFolder } from '../../../peers/index.ts';

/** Programs of the images of drivers that the suite's storage tests deploy, by the name and version that its manifests ask for. */
export const driverImages = {
  'hostpathplugin:v1.17.1': 'hostpathplugin',
  'csi-provisioner:v6.1.1': 'csi-provisioner',
  'csi-attacher:v4.11.0': 'csi-attacher',
  'csi-resizer:v2.1.0': 'csi-resizer',
  'csi-snapshotter:v8.5.0': 'csi-snapshotter',
  'csi-node-driver-registrar:v2.16.0': 'csi-node-driver-registrar',
  'livenessprobe:v2.18.0': 'livenessprobe',
} as const;

/** The same for all images of storage tests: one test fills volumes by a program instead of copying them. */
export const storageImages = { ...driverImages, 'hello-populator:v1.0.1': 'hello-populator' } as const;

export type StorageProgram = (typeof storageImages)[keyof typeof storageImages];

/** Peers that stand in for a program: another release of the same, then the part of it that most tests use. */
const STAND_INS: Partial<Record<StorageProgram, readonly string[]>> = {
  hostpathplugin: ['hostpathplugin', 'image/socket-pair'],
  'csi-provisioner': ['csi-provisioner'],
  'csi-resizer': ['csi-resizer'],
  'csi-snapshotter': ['csi-snapshotter'],
  'hello-populator': ['image/hello-populator'],
};

/** Where programs are looked for that no Go proxy has, and that are built elsewhere: the folder `storage-programs` of the peers' folder. */
export function storageProgramsFolder(): string {
  return join(peersFolder(), 'storage-programs');
}

/** The program for an image, and whether it is the very one; undefined when there is neither it nor a stand-in. */
export function findStorageProgram(
  name: StorageProgram,
): { readonly path: string; readonly isOriginal: boolean } | undefined {
  const path = join(storageProgramsFolder(), name);
  if (isExecutable(path)) return { path, isOriginal: true };
  for (const standIn of STAND_INS[name] ?? []) {
    const { path: found } = findPeer(standIn);
    if (found !== undefined) return { path: found, isOriginal: false };
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run
  }
}
