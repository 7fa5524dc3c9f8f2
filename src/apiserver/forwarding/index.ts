// Passing requests on to other servers, and their answers back, as they come.
export { discard, forward, forwardUpgrade, type Onward, sendRepeatable } from './forward.ts';
export { answerHeaders, endToEndHeaders, escapedPath, type ForwardedHeaders } from './forwarded-headers.ts';
