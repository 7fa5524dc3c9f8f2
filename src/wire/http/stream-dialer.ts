import type { Duplex } from 'node:stream';
import { connect as connectTls, type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';
import { LeanSocket, type OnRead } from '../connections/index.ts';
import {
  cannotConnect,
  contextOptions,
  dial,
  type DialOptions,
  type DialTarget,
  hostOf,
  KEEP_ALIVE_MS,
  portOf,
  type TlsCredentials,
  tlsOptions,
  verified,
} from './dial.ts';

/**
 * A way to connect as `dial` does, for connections that may carry much: they are read into memory that is reused if the server is reached
 * directly (see LeanSocket), and the TLS context that was used last is kept. Only servers that pass on streams use it, so that bundles of
 * clients leave it out.
 */
export function streamDialer(): (target: DialTarget, options: DialOptions) => Promise<Duplex> {
  const contexts = new KeptContext();
  return async (target, options) => {
    options.signal.throwIfAborted();
    return isDirect(target) ? dialLean(target, options, contexts) : dial(target, options);
  };
}

/** Whether TLS is all that is needed to reach the server. */
function isDirect({ server, proxyUrl, socketPath, address, dialer, connection }: DialTarget): boolean {
  return (
    server.protocol === 'https:' &&
    [proxyUrl, socketPath, address, dialer, connection].every((way) => way === undefined)
  );
}

async function dialLean(target: DialTarget, options: DialOptions, contexts: KeptContext): Promise<LeanSocket> {
  const { server } = target;
  const place = { host: hostOf(server), port: portOf(server) };
  let socket: LeanSocket;
  try {
    socket = new LeanSocket((onread) => {
      const secureContext = contexts.of(options);
      const how: ConnectionOptions & { readonly onread: OnRead } = {
        ...place,
        onread,
        ...tlsOptions(target, options),
        secureContext,
      };
      return connectTls(how);
    });
  } catch (cause) {
    throw cannotConnect(server, cause, 'credentials');
  }
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
  await verified(socket.secured, target, options);
  return socket;
}

/** The context of TLS that was used last: making one costs more than the rest of a connection. */
class KeptContext {
  #kept: { readonly credentials: TlsCredentials; readonly context: SecureContext } | undefined;

  of({ authorities, certificate }: TlsCredentials): SecureContext {
    const kept = this.#kept;
    const isSame = kept?.credentials.authorities === authorities && kept?.credentials.certificate === certificate;
    if (kept !== undefined && isSame) return kept.context;
    const credentials: TlsCredentials = {
      ...(authorities === undefined ? {} : { authorities }),
      ...(certificate === undefined ? {} : { certificate }),
    };
    const context = createSecureContext(contextOptions(credentials));
    this.#kept = { credentials, context };
    return context;
  }
}
