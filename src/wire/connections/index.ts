// What other folders may use: bytes between two ends, independent of the protocol.
export { ByteInbox, type ByteSource, type Sink } from './byte-inbox.ts';
export { cutBytes, cutText } from './cut-text.ts';
export { drained } from './drained.ts';
export { duplexPair } from './duplex-pair.ts';
export { FrameTurns } from './frame-turns.ts';
export { joinConnections } from './join-connections.ts';
export { joinedChunks } from './joined-chunks.ts';
export { LeanSocket, type OnRead } from './lean-socket.ts';
export { readBytes } from './read-bytes.ts';
export { TurnWrites } from './turn-writes.ts';
