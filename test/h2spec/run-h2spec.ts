import { execFile } from 'node:child_process';
import { text as readText } from 'node:stream/consumers';
import { startTransport, text } from '../../src/apiserver/transport/testing/test-transport.ts';

/** What h2spec found. */
export interface H2specResult {
  readonly output: string;
  readonly passed: number;
  readonly failed: number;
}

/**
 * Headers of this length are sent by fives where a frame has to be larger than the server takes: h2spec takes the least that a
 * server may announce for granted, and ours announces 256 KiB.
 */
const HEADER_BYTES = 60_000;

/** Runs all cases of h2spec, the strict ones too, against the API server's transport. */
export async function runH2spec(program: string, cases: readonly string[] = []): Promise<H2specResult> {
  await using server = await startTransport(async (call) => {
    if (call.request.method === 'POST') await call.request.body(1_000_000);
    return text('an answer of a few bytes');
  });
  const flags = ['-t', '-k', '-S', '-p', String(server.port), '--max-header-length', String(HEADER_BYTES)];
  const child = execFile(program, [...cases, ...flags], { maxBuffer: 1e7 });
  const output = child.stdout === null ? '' : await readText(child.stdout);
  const [, passed = '0', failed = '-1'] = /(\d+) passed, \d+ skipped, (\d+) failed/.exec(output) ?? [];
  return { output, passed: Number(passed), failed: Number(failed) };
}
