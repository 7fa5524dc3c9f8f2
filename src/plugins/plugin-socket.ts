import type { Clock, Logger } from '../base/index.ts';
import { GrpcServer, removeStaleSocket, unaryMethod } from '../wire/grpc/index.ts';
import { Registration } from './protocol/plugin-registration-v1.ts';

export interface PluginSocketOptions {
  /** The path of the socket, in the folder that the agent watches. */
  readonly socket: string;
  readonly type: 'CSIPlugin' | 'DRAPlugin' | 'DevicePlugin';
  readonly name: string;
  /** The path of the socket that serves the plugin; default this one. */
  readonly endpoint?: string;
  readonly versions: readonly string[];
  readonly clock: Clock;
  readonly log?: Logger;
  /** Called when the agent has registered the plugin, or has refused it for a reason. */
  notified?(status: { readonly isRegistered: boolean; readonly error: string }): void;
}

/** Registers a plugin with the agent of its node: serves the socket through which the agent asks what it is. Disposing removes the socket. */
export async function servePluginSocket(options: PluginSocketOptions): Promise<AsyncDisposable> {
  const { socket, type, name, endpoint = '', versions, clock, log, notified } = options;
  await removeStaleSocket(socket);
  return await GrpcServer.listen({
    address: `unix:${socket}`,
    clock,
    ...(log === undefined ? {} : { log }),
    methods: [
      unaryMethod(Registration.getInfo, async () => ({ type, name, endpoint, supportedVersions: versions })),
      unaryMethod(Registration.notifyRegistrationStatus, async ({ pluginRegistered = false, error = '' }) => {
        notified?.({ isRegistered: pluginRegistered, error });
        return {};
      }),
    ],
  });
}
