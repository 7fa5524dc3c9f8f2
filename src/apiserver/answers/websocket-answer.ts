import { type Clock, onAbort } from '../../base/index.ts';
import { CLOSE_CODE, handshake, WebSocketConnection, type WebSocketOptions } from '../../wire/websocket/index.ts';
import type { Call } from '../request/call.ts';
import type { ConnectionAnswer } from './answer.ts';

export interface WebSocketAnswerOptions extends Pick<WebSocketOptions, 'maxMessageBytes' | 'pingAfterMs'> {
  readonly clock: Clock;
  /**
   * The supported subprotocols; '' is for a client that offers none. The first one that the client offers is chosen; a client that
   * offers others only is refused.
   */
  readonly protocols: readonly string[];
  /** Owns the connection until it resolves. When the server stops, it sends the client a close frame. */
  serve(connection: WebSocketConnection): Promise<void>;
}

/** Switches to WebSocket, or answers with an error. Assumes that the client asks for it, see `wantsWebSocket`. */
export function webSocketAnswer(call: Call, options: WebSocketAnswerOptions): ConnectionAnswer {
  const { protocols } = options;
  const { code, headers, body } = handshake(
    (name) => call.request.header(name),
    (offered) => (offered.length === 0 ? [''] : offered).find((name) => protocols.includes(name)),
  );
  if (code !== 101) return { type: 'bytes', code, contentType: '', body, headers };
  const protocol = headers['Sec-WebSocket-Protocol'] ?? '';
  return {
    type: 'upgrade',
    headers,
    async takeOver(socket) {
      const connection = new WebSocketConnection(socket, { ...options, protocol });
      using _stopping = onAbort(call.request.signal, () => connection.close(CLOSE_CODE.goingAway));
      await options.serve(connection);
      connection.close();
    },
  };
}
