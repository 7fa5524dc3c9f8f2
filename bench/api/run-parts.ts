import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, Part } from './part.ts';
import type { Report } from './report.ts';
import { type ServerKind, type ServerUnderTest, startServer } from './server-under-test.ts';

export interface RunOptions {
  readonly report: Report;
  readonly scale: number;
  /** Flags of our server on top of those that every run has. */
  readonly flags: readonly string[];
}

/** Runs the parts of a round on one kind of server. A failure is reported, and the next parts get a new server. */
export async function runParts(kind: ServerKind, parts: readonly Part[], options: RunOptions): Promise<void> {
  const { report, scale, flags } = options;
  let shared: ServerUnderTest | undefined;
  const stop = async (): Promise<void> => {
    const server = shared;
    shared = undefined;
    await server?.[Symbol.asyncDispose]();
  };
  for (const part of parts) {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-'));
    const bench: Bench = {
      folder,
      scale,
      kind,
      startServer: (data) => startServer(kind, { folder: data, flags }),
      add: (measure, value, details) => report.add(kind, { ...measure, part: part.title }, value, details),
    };
    try {
      if (part.on === 'a server of its own') {
        await stop(); // nothing else is to take time or memory
        await part.measure(bench);
      } else {
        shared ??= await bench.startServer();
        await part.measure(shared, bench);
      }
    } catch (error) {
      report.addFailure(kind, part.name, error);
      await stop();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  await stop();
}
