// What other folders may use: WebSocket (RFC 6455) for both sides, without extensions.
export { CLOSE_CODE, closeFrame, frame, OPCODE } from './frame.ts';
export { FrameReader, type FrameWord } from './frame-reader.ts';
export { type Handshake, handshake, type ProtocolChoice, wantsWebSocket } from './handshake.ts';
export { openWebSocket, type OpenWebSocketOptions } from './open-websocket.ts';
export {
  WebSocketConnection,
  WebSocketError,
  type WebSocketMessage,
  type WebSocketOptions,
} from './websocket-connection.ts';
