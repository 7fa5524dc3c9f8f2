import { Buffer } from 'node:buffer';
import type { LogEntry } from '../runtime/index.ts';

/** As `kubectl logs` asks for them. */
export interface PodLogOptions {
  /** Those of the container's run before. */
  readonly previous?: boolean;
  readonly follow?: boolean;
  readonly tailLines?: number;
  readonly sinceMs?: number;
  readonly timestamps?: boolean;
  readonly limitBytes?: number;
  /** Both unless given. */
  readonly stream?: 'stdout' | 'stderr';
  readonly signal: AbortSignal;
}

const NEWLINE = Buffer.from('\n');

/** Entries as the text that is shown of them. */
export async function* logOutput(
  entries: AsyncIterable<LogEntry>,
  { sinceMs = -Infinity, timestamps = false, limitBytes = Infinity, stream }: PodLogOptions,
): AsyncGenerator<Uint8Array> {
  let left = limitBytes;
  let isLineStart = true;
  for await (const entry of entries) {
    if (stream !== undefined && entry.stream !== stream) continue;
    if (Date.parse(entry.time) < sinceMs) continue;
    const stamp = timestamps && isLineStart ? [Buffer.from(`${entry.time} `)] : [];
    isLineStart = entry.isLineEnd;
    const text = Buffer.concat([...stamp, entry.content, ...(isLineStart ? [NEWLINE] : [])]);
    yield text.length > left ? text.subarray(0, left) : text;
    left -= text.length;
    if (left <= 0) return;
  }
}
