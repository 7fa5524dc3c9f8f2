// What other folders may use: both sides of SPDY/3.1, as older clients of remote commands and kubelets speak it.
export { RESET_STATUS } from './frame.ts';
export type { SpdyHeaders } from './header-block.ts';
export { SpdySession, type SpdySessionOptions } from './spdy-session.ts';
export { SpdyError, SpdyStream } from './spdy-stream.ts';
