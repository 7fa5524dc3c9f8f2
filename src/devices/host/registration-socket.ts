import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isExtendedResource } from '../../api/meaning/index.ts';
import { type Clock, type Logger, messageOf } from '../../base/index.ts';
import { GrpcError, GrpcServer, unaryMethod } from '../../wire/grpc/index.ts';
import { Registration } from '../protocol/device-plugin-v1beta1.ts';

export const DEVICE_PLUGIN_VERSION = 'v1beta1';
export const KUBELET_SOCKET = 'kubelet.sock';
const FOLDER_MODE = 0o750;
/** The longest path of a socket on Linux. */
const MAX_SOCKET_PATH = 107;

export interface RegistrationSocketParts {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Connects to a plugin. What it throws reaches the plugin. */
  register(resource: string, socket: string): Promise<void>;
  /** Called for each request, also for those that are refused. */
  asked(resource: string): void;
}

/**
 * Opens the socket at which plugins register. All sockets in the folder are removed first, as a kubelet does: plugins take that as the sign
 * to register again.
 */
export async function openRegistrationSocket(parts: RegistrationSocketParts): Promise<GrpcServer> {
  const { folder, clock, log } = parts;
  const path = join(folder, KUBELET_SOCKET);
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH)
    throw new Error(
      `Cannot open the socket of device plugins "${path}": the path has ${Buffer.byteLength(path)} bytes, at most ${MAX_SOCKET_PATH} are possible`,
    );
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  await removeSockets(folder);
  const register = unaryMethod(Registration.register, async ({ version = '', endpoint = '', resourceName = '' }) => {
    parts.asked(resourceName);
    log.info('device plugin asks to be registered', { resource: resourceName, endpoint });
    try {
      if (version !== DEVICE_PLUGIN_VERSION)
        throw new Error(
          `requested API version ${JSON.stringify(version)} is not supported by kubelet. Supported version is ["${DEVICE_PLUGIN_VERSION}"]`,
        );
      if (!isExtendedResource(resourceName))
        throw new Error(`the ResourceName ${JSON.stringify(resourceName)} is invalid`);
      await parts.register(resourceName, join(folder, endpoint));
      return {};
    } catch (error) {
      log.warn('device plugin cannot be registered', { resource: resourceName, error: messageOf(error) });
      throw new GrpcError('UNKNOWN', messageOf(error), { cause: error });
    }
  });
  return await GrpcServer.listen({ address: `unix:${path}`, methods: [register], clock, log });
}

async function removeSockets(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isSocket()) await rm(join(folder, entry.name), { force: true });
}
