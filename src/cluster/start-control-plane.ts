import { builtInTypes, StatusError } from '../api/index.ts';
import { messageOf, RandomUidSource } from '../base/index.ts';
import { type Encryption, openEncryption } from '../encryption/index.ts';
import { servingNames } from './addresses.ts';
import { ControlPlane, type OpenedParts } from './control-plane.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { ClusterKeys } from './pki/cluster-pki.ts';
import type { PkiFiles } from './pki/pki-files.ts';
import { shareIdentity } from './pki/shared-identity.ts';
import { isStoreError } from '../store/index.ts';
import { openStorage, type OpenStorage } from './storage-options.ts';
import { withOneAuditLog } from './workers/one-audit-log.ts';

const START_AGAIN_MS = 1000;

/**
 * Starts the store, the API server and the objects every cluster has; resolves when clients can come.
 *
 * An etcd that does not answer is waited for until the signal aborts, also if it goes away halfway.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { storage, clock, log, signal } = options;
  for (;;) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (signal.aborted || storage.type !== 'etcd' || !mayPass(error)) throw error;
      log.warn('starting again: the store failed, or another server wrote the same objects', {
        error: messageOf(error),
      });
    }
    await clock.sleep(START_AGAIN_MS, signal);
    signal.throwIfAborted();
  }
}

/** Whether a start that failed like this can succeed on the same store. */
function mayPass(error: unknown): boolean {
  if (isStoreError(error, 'Unavailable')) return true;
  return error instanceof StatusError && (error.code >= 500 || error.status.reason === 'Conflict');
}

/**
 * One attempt, phase by phase: storage, keys, then registry, access, admission and server (see `buildServer`), custom kinds, the objects
 * that every cluster has, and the port. Each phase takes what earlier ones returned.
 */
async function startOnce(given: ControlPlaneOptions): Promise<ControlPlane> {
  const options = given.serving?.workers === undefined ? given : withOneAuditLog(given);
  const plane = await openPlane(options);
  try {
    await plane.prepare();
    const { listen, workers } = options.serving ?? {};
    const bootstrapped = plane.bootstrap();
    if (workers !== undefined) await bootstrapped; // workers find the objects that every cluster has
    await Promise.all([bootstrapped, listen === undefined ? undefined : plane.listen(listen)]);
    return plane;
  } catch (error) {
    await plane[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens what a server needs, and builds it. Nothing stays open when that fails. */
async function openPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const storage = await openStorage(options.storage, options);
  let encryption: Encryption | undefined;
  try {
    const keys = await openKeys(options, storage);
    encryption = await openStorageEncryption(options, storage);
    const transformerFor = encryption?.transformerFor.bind(encryption);
    return new ControlPlane(options, {
      storage: { ...storage, ...(transformerFor === undefined ? {} : { transformerFor }) },
      types: builtInTypes(options.kubernetesVersion),
      ...(encryption === undefined ? {} : { encryption }),
      ...keys,
    });
  } catch (error) {
    await encryption?.[Symbol.asyncDispose]();
    await storage.store[Symbol.asyncDispose]();
    throw error;
  }
}

async function openStorageEncryption(
  { storage: { encryption }, clock, random, log }: ControlPlaneOptions,
  { keyName }: OpenStorage,
): Promise<Encryption | undefined> {
  if (encryption === undefined) return undefined;
  const uids = new RandomUidSource(random);
  return openEncryption(encryption, { clock, random, uids, log, ...(keyName === undefined ? {} : { keyName }) });
}

/** Reads and makes keys when the store is locked, so that no two servers make them at once. */
async function openKeys(
  options: ControlPlaneOptions,
  { store }: OpenStorage,
): Promise<Pick<OpenedParts, 'keys' | 'pki'>> {
  const { storage, random, serving: { joinToken: token, worksWith } = {} } = options;
  if (worksWith !== undefined) return { pki: worksWith };
  const keys = clusterKeys(options);
  const make = (files: PkiFiles): Promise<unknown> => clusterKeys(options, files).read();
  if (storage.type === 'etcd' || token !== undefined)
    await shareIdentity(store, { files: keys.files, token, random, make });
  return { keys, pki: await keys.read() };
}

function clusterKeys(options: ControlPlaneOptions, files?: PkiFiles): ClusterKeys {
  const { certificateClock: clock = options.clock, random, log, serviceCidrs, serving = {} } = options;
  const { pkiFolder: folder, sharedPkiFolder: sharedFolder } = serving;
  return new ClusterKeys({
    clock,
    random,
    log,
    folder,
    sharedFolder,
    files,
    servingNames: servingNames(serving, serviceCidrs),
  });
}
