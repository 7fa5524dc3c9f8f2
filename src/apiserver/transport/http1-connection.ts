import { type IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { answerToAmbiguity, answerToClientError, type ClientError } from './client-errors.ts';
import type { Connection } from './connection.ts';
import { Http1Exchange } from './http1-exchange.ts';
import { LazyCall } from './lazy-call.ts';
import type { TransportLimits } from './limits.ts';
import type { OpenConnection } from './open-connections.ts';
import type { RequestServer } from './request-server.ts';
import { requestTarget } from './request-target.ts';
import { WebSocketExchange } from './websocket-exchange.ts';
import { wantsWebSocket } from '../../wire/websocket/index.ts';

export interface Http1ConnectionOptions {
  readonly connection: Connection;
  readonly requests: RequestServer;
  readonly limits: TransportLimits;
}

/** One HTTP/1.1 connection: its requests arrive one after the other. */
export class Http1Connection implements OpenConnection {
  readonly connection: Connection;
  readonly #socket: TLSSocket;
  readonly #requests: RequestServer;
  readonly #maxRunning: number;
  #latest: IncomingMessage | undefined;

  constructor(socket: TLSSocket, options: Http1ConnectionOptions) {
    this.connection = options.connection;
    this.#socket = socket;
    this.#requests = options.requests;
    this.#maxRunning = options.limits.maxStreams;
  }

  accept(message: IncomingMessage, response: ServerResponse, waitsToSend: boolean): void {
    if (this.connection.running >= this.#maxRunning) {
      this.destroy(); // only an attack pipelines that many requests
      return;
    }
    const refusal = answerToAmbiguity(message);
    if (refusal !== undefined) {
      this.#refuse(refusal);
      return;
    }
    this.#latest = message;
    const sent = message.url ?? '';
    const target = requestTarget(sent);
    if (target !== undefined) {
      this.#requests.serve(new Http1Exchange({ message, target, waitsToSend }, response, this.connection));
    } else if (sent === '*' && message.method === 'OPTIONS') {
      response.writeHead(200, { 'content-length': 0 }).end();
    } else {
      response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      response.end('400 Bad Request');
    }
  }

  /**
   * Handles a request to switch protocols: watches switch to WebSocket; for other requests the handler decides, which may answer in plain
   * HTTP. In either case it is the connection's last request, because Node reads neither further requests nor a body. Nothing is read until
   * there is an answer, so a client that leaves is noticed only when the server writes to it.
   */
  acceptUpgrade(message: IncomingMessage, first: Uint8Array): void {
    const socket = this.#socket;
    const refusal = answerToAmbiguity(message);
    if (refusal !== undefined) {
      this.#refuse(refusal);
      return;
    }
    const response = new ServerResponse(message);
    socket.on('error', () => socket.destroy()).on('drain', () => response.emit('drain'));
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    this.connection.isDraining = true;
    const target = requestTarget(message.url ?? '');
    const hasBody =
      message.headers['transfer-encoding'] !== undefined || (message.headers['content-length'] ?? '0') !== '0';
    if (target === undefined || hasBody || this.connection.running > 0) {
      response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      response.end('400 Bad Request');
      return;
    }
    const upgrade = { socket, first };
    const plain = new Http1Exchange({ message, target, waitsToSend: false, upgrade }, response, this.connection);
    const isWatch = new LazyCall(plain, 0).info.verb === 'watch';
    const isWebSocket = isWatch && wantsWebSocket((name) => plain.header(name));
    this.#requests.serve(isWebSocket ? new WebSocketExchange(plain, socket, first) : plain);
  }

  /** The client sent an invalid request. Earlier requests are still answered. */
  fail(error: ClientError): void {
    this.#refuse(answerToClientError(error));
  }

  /** Answers, unless an earlier answer is still being written, and closes the connection. */
  #refuse(answer: string | undefined): void {
    if (this.connection.running > 0 && this.#latest?.complete === true) this.connection.isDraining = true;
    else if (this.connection.running > 0 || answer === undefined || !this.#socket.writable) this.destroy();
    else this.#socket.end(answer, () => this.destroy());
  }

  drain(): void {
    this.connection.isDraining = true;
    if (this.connection.running === 0) this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
