// Forwards requests to other servers, and streams their answers back.
export { discard, forward, forwardUpgrade, type Onward, sendRepeatable } from './forward.ts';
export { answerHeaders, endToEndHeaders, escapedPath, type ForwardedHeaders } from './forwarded-headers.ts';
