import type { Clock, Logger, Random } from '../../base/index.ts';
import {
  Client,
  type ClusterConnection,
  type HttpTransport,
  impersonationHeaders,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../client/index.ts';
import type { HttpClient, HttpExchange, UpgradedConnection } from '../../wire/http/index.ts';
import { openWebSocket, type WebSocketConnection } from '../../wire/websocket/index.ts';

export const USER_AGENT = 'keelson-dashboard';

type Headers = TransportRequest['headers'];

interface ViewerTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The API server, asked with the credentials of one viewer. */
export class Viewer {
  /** For what the dashboard asks on the viewer's behalf. */
  readonly client: Client;
  readonly namespace: string;
  readonly #transport: HttpTransport;
  readonly #headers: Headers;
  readonly #tools: ViewerTools;

  /** `token`: the viewer's own, which is used instead of the connection's credentials. */
  constructor(
    transport: HttpTransport,
    connection: ClusterConnection,
    options: ViewerTools & { readonly token?: string },
  ) {
    const { token, ...tools } = options;
    const { impersonate, namespace = 'default' } = connection;
    this.#transport = transport;
    this.#tools = tools;
    this.namespace = namespace;
    this.#headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(impersonate === undefined ? {} : impersonationHeaders(impersonate)),
      'user-agent': USER_AGENT,
    };
    const own: Transport = {
      send: (request) => this.send(request),
      [Symbol.asyncDispose]: async () => undefined, // the connections are shared by all viewers
    };
    this.client = new Client(own, {
      ...tools,
      namespace,
      userAgent: USER_AGENT,
      maxRetries: 2,
      onWarning: () => undefined,
    });
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    return this.#transport.send({ ...request, headers: { ...request.headers, ...this.#headers } });
  }

  /** Asks for a WebSocket on a connection of its own, which the caller closes; an answer other than 101 is returned as it is. */
  upgrade(request: Omit<TransportRequest, 'value'>): Promise<UpgradedConnection | HttpExchange> {
    const own = { ...request, headers: { ...request.headers, ...this.#headers } };
    return this.#transport.ask(own, (client, complete) => client.upgrade(complete));
  }

  /** Opens a WebSocket to the API server, for the dashboard's own use; an answer that refuses it is returned as it is. */
  async openWebSocket(
    path: string,
    { protocols, signal }: { readonly protocols: readonly string[]; readonly signal: AbortSignal },
  ): Promise<WebSocketConnection | HttpExchange> {
    const { clock, random } = this.#tools;
    const upgrade: HttpClient['upgrade'] = ({ headers }) => this.upgrade({ method: 'GET', path, headers, signal });
    return openWebSocket({ upgrade }, { path, headers: {}, signal }, { clock, random, protocols });
  }
}
