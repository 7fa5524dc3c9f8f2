/**
 * How long a client that is still sending may go on after its answer, so that it reads the answer before it finds the
 * connection gone. As long as Go's server waits.
 */
export const LINGER_MS = 500;

/** What is left of a body up to this size is read and thrown away, so that the connection can be used again. */
export const MAX_DISCARDED_BYTES = 256 * 1024;
