import type { ApiServer, ClientCertificate } from '../apiserver/index.ts';
import type { Clock } from '../base/index.ts';
import { Client, type ClientOptions, type Transport } from '../client/index.ts';
import { InProcessTransport } from './in-process-transport.ts';

/** What a client in this process may be given. */
export interface InProcessClientOptions extends ClientOptions {
  /** Puts something between the client and the server. */
  readonly wrapTransport?: (transport: Transport) => Transport;
}

/** Who a client in this process is, as a certificate would say. */
export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

/** A client straight into the server, which is who the certificate names: the same stages as any other's requests, no sockets. */
export function inProcessClient(
  server: ApiServer,
  certificate: ClientCertificate,
  { wrapTransport = (transport) => transport, ...own }: InProcessClientOptions & { readonly clock: Clock },
): Client {
  return new Client(wrapTransport(new InProcessTransport(server, { clock: own.clock, certificate })), own);
}
