import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

/** What kube-scheduler makes of a file: the completed configuration, or the message with which it ends. */
export type RecordedConfiguration = { readonly written: string } | { readonly error: string };

const PATH = join(import.meta.dirname, 'configurations.json.gz');

export function readRecordedConfigurations(): Readonly<Record<string, RecordedConfiguration>> {
  return JSON.parse(gunzipSync(readFileSync(PATH)).toString()) as Record<string, RecordedConfiguration>;
}

export function writeRecordedConfigurations(recorded: Readonly<Record<string, RecordedConfiguration>>): void {
  writeFileSync(PATH, gzipSync(JSON.stringify(recorded), { level: 9 }));
}
