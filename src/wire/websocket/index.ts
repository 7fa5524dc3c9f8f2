// What other folders may use: WebSocket for both sides.
export { CLOSE_CODE, closeFrame, frame, OPCODE } from './frame.ts';
export { WebSocketInput } from './frame-reader.ts';
export { handshake, wantsWebSocket } from './handshake.ts';
